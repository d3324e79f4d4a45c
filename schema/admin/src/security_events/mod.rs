//! Security events across users and machine clients: sign-ins, failures and changes of accounts.
//!
//! [`labs_identity::auth::security_events`] writes the events where they occur. This module only reads them.

mod list;
mod resolvers;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
