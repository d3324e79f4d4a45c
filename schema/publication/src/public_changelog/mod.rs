//! The public changelog: released entries.

mod list;
mod resolvers;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
