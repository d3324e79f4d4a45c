//! Usage of a partner's tier: each limit with its usage.
//!
//! The usage is counted by the same database function that the guards call before they admit more (`partner_usage`), so
//! the shown remainder equals the enforced one.

mod resolvers;
mod rules;
mod store;
mod warnings;

pub(crate) use resolvers::OPERATIONS;
pub use warnings::warn_of_quota;
