//! A person's own account.

mod resolvers;
mod store;

pub(in crate::auth) use resolvers::AccountQuery;
