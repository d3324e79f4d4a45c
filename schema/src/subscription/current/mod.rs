//! The caller's subscription: its current state, the effect of another tier, and its cancellation.
//!
//! [`crate::subscription::changing`] implements the actions.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::subscription) use list::STATEMENTS;
pub(in crate::subscription) use resolvers::OPERATIONS;
