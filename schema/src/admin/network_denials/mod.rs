//! A network denial: a network whose requests are refused outright, whoever sends them.
//!
//! ```text
//!   create ──▶ in force ──▶ over, at its end date
//!                 └── delete ──▶ gone
//! ```
//!
//! It is kept at the edge, from a list in the memory of each replica ([`crate::core::authority`]), which is read anew within
//! a second of a change.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{NetworkDenialsMutation, NetworkDenialsQuery};
