//! The calling principal: the first operation to call if a request returns 403 (docs/decisions.md#identity).

mod resolvers;

pub(in crate::system) use resolvers::MeQuery;
