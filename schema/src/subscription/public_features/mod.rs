//! The feature matrix: what each feature is worth in each tier on offer, for a pricing page.

mod list;
mod resolvers;

pub(in crate::subscription) use list::STATEMENTS;
pub(in crate::subscription) use resolvers::PublicFeaturesQuery;
