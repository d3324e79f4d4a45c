//! The feature matrix: what each feature is worth in each tier on offer, for a pricing page.

mod resolvers;
mod store;

pub(in crate::subscription) use resolvers::PublicFeaturesQuery;
