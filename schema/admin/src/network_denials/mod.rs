//! Network denials: the service rejects every request from the network, independent of the caller.
//!
//! ```text
//!   create ──▶ effective ──▶ expired, at its end date
//!                 └── delete ──▶ deleted
//! ```
//!
//! Each replica enforces the denials from a list in memory ([`labs_core::authority`]), which it reloads within a
//! second of a change.

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
