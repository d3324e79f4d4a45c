//! A deprecation: an operation, a parameter, a field or a value that is to go, at least six months from now.
//!
//! ```text
//!   create ──▶ in force, told by every affected answer ──▶ gone, at its sunset, with the release that takes it away
//!                 └── delete ──▶ it stays
//! ```
//!
//! Every replica knows what is deprecated ([`crate::core::deprecation`]). Who calls it is counted in memory with all other
//! counts ([`crate::core::usage`]).

mod list;
mod reminders;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(crate) use reminders::remind_callers;
pub(in crate::admin) use resolvers::{DeprecationsMutation, DeprecationsQuery};
