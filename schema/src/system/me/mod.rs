//! Who is calling: the first call when a request answers 403 (specification: platform, Use of the token 2).

mod resolvers;

pub(in crate::system) use resolvers::MeQuery;
