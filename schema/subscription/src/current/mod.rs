//! The caller's subscription: its current state, the effect of another tier, and its cancellation.
//!
//! [`crate::changing`] implements the actions.

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
