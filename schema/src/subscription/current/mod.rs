//! The subscription of whoever calls: what it is, what another tier would change, and its end.
//!
//! The steps themselves stand in [`crate::subscription::changing`].

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::subscription) use list::STATEMENTS;
pub(in crate::subscription) use resolvers::{CurrentMutation, CurrentQuery};
