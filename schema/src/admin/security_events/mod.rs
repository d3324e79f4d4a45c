//! Security events across users and machine clients: sign-ins, failures and changes of accounts.
//!
//! [`crate::auth::security_events`] writes the events where they occur. This module only reads them.

mod list;
mod resolvers;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::OPERATIONS;
