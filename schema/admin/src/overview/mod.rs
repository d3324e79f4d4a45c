//! Overview of the platform: counts, growth, pending items, traffic, dormant partners, and one search over all objects.
//!
//! Triggers maintain the counts (0110) and the request counts provide the traffic, so no query here reads individual
//! log entries.

mod attention;
mod growth;
mod list;
mod resolvers;
mod search;
mod store;
mod traffic;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
