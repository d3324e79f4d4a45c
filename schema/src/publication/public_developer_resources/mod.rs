//! Public developer resources: released ones for the public. [`super::developer_resources`] contains the queries.

mod resolvers;

pub(in crate::publication) use resolvers::OPERATIONS;
