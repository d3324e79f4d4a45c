//! Statistics of apps: partners read statistics about own apps, staff about any app.
//!
//! The figures of an app follow the app, regardless of its owner and state. A partner's distinct totals are the values
//! that were reported for the partner at the time.

mod csv;
mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
