//! Who is calling: the first call when a request answers 403 (docs/decisions.md#identity).

mod resolvers;

pub(in crate::system) use resolvers::MeQuery;
