//! Collections for readers: the currently visible ones, each with its visible listings. [`super::collections`]
//! describes their maintenance.

mod list;
mod resolvers;
mod store;

pub(crate) use list::STATEMENTS;
pub(crate) use resolvers::OPERATIONS;
