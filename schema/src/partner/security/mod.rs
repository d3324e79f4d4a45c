//! How a team keeps itself safe: its policy, its ledger, and the programs that may act for it.
//!
//! The policy takes effect at the next sign-in of each member: a session keeps what was asked of it when it was opened.
//! Where a second factor is required, a session without one reaches the member's own account only, to enrol it
//! (docs/decisions.md#principals).

mod list;
mod resolvers;
mod store;
mod types;

pub(in crate::partner) use list::STATEMENTS;
pub(in crate::partner) use resolvers::{SecurityMutation, SecurityQuery};
