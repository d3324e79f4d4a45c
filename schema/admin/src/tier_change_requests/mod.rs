//! Decisions of staff on tier change requests. [`labs_subscription::change_requests`] defines the requests.

mod list;
mod resolvers;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
