//! The calling principal: the first operation to call if a request returns 403 (docs/decisions/access.md).

mod resolvers;

pub(in crate::system) use resolvers::OPERATIONS;
