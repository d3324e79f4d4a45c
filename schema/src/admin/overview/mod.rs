//! The platform at a glance: how many there are of what, how it grows, what waits for somebody, what is asked of the
//! service, which partners have gone silent, and one search over everything.
//!
//! Counts are kept by triggers (0110), traffic by the counts of usage, so that nothing here reads a ledger.

mod attention;
mod growth;
mod list;
mod resolvers;
mod search;
mod store;
mod traffic;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::OverviewQuery;
