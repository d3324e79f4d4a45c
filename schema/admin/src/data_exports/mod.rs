//! Data exports that staff request on a partner's written request. The partner's team downloads them; staff cannot.

mod resolvers;

pub(crate) use resolvers::OPERATIONS;
