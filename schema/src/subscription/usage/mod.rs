//! How much of its tier a partner uses: each limit beside what is used of it.
//!
//! It is counted as the guards count before they let more in (`partner_usage`), so that what is shown here as left is
//! what is let in.

mod resolvers;
mod rules;
mod store;

pub(in crate::subscription) use resolvers::UsageQuery;
