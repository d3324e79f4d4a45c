//! Collections for readers: the currently visible ones, each with its visible listings. [`super::collections`]
//! describes their maintenance.

mod list;
mod resolvers;
mod store;

pub(in crate::marketplace) use list::STATEMENTS;
pub(in crate::marketplace) use resolvers::OPERATIONS;
