//! The account of a partner: its company data, its history, and its closure by its team.
//!
//! A closure has a waiting time, in which the account works as before and any caller with `partner:write` can cancel
//! the closure. [`crate::partner::lifecycle`] defines the state machine.

mod list;
mod resolvers;
mod store;
mod types;

pub(in crate::partner) use list::STATEMENTS;
pub(in crate::partner) use resolvers::OPERATIONS;
