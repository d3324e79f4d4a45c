//! A partner's account: its company data, what happened to it, and how its team ends it.
//!
//! A closing has a waiting time, in which everything goes on as before and any of its keepers may take it back. The
//! machine stands in [`crate::partner::standing`].

mod list;
mod resolvers;
mod store;
mod types;

pub(in crate::partner) use list::STATEMENTS;
pub(in crate::partner) use resolvers::{PartnerAccountMutation, PartnerAccountQuery};
