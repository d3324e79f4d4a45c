//! The feature matrix for a pricing page: the value of each feature in each offered tier.

mod list;
mod resolvers;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
