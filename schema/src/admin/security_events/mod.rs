//! The security ledger across people and programs: sign-ins, failures, and what changed about accounts.
//!
//! It is written where things happen ([`crate::auth::security_events`]); here it is only read.

mod list;
mod resolvers;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::SecurityEventsQuery;
