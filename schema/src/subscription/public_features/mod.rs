//! The feature matrix for a pricing page: the value of each feature in each offered tier.

mod list;
mod resolvers;

pub(in crate::subscription) use list::STATEMENTS;
pub(in crate::subscription) use resolvers::OPERATIONS;
