//! Decisions of staff on tier change requests. [`crate::subscription::change_requests`] defines the requests.

mod list;
mod resolvers;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::OPERATIONS;
