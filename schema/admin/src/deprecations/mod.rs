//! Deprecations: operations, parameters, fields or values that will be removed, at least six months from now.
//!
//! ```text
//!   create ──▶ effective, announced in every affected response ──▶ removed at its sunset, with the release that removes it
//!                 └── delete ──▶ the element stays
//! ```
//!
//! Every replica keeps the deprecations in memory ([`labs_core::deprecation`]). Callers are counted in memory with
//! all other counts ([`labs_core::usage`]).

mod list;
mod reminders;
mod resolvers;
mod rules;
mod store;

pub use list::STATEMENTS;
pub use reminders::remind_callers;
pub use resolvers::OPERATIONS;
