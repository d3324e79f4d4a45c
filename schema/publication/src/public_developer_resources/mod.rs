//! Public developer resources: released ones for the public. [`super::developer_resources`] contains the queries.

mod resolvers;

pub(crate) use resolvers::OPERATIONS;
