//! A background job as operators see it, and its runs.
//!
//! What there is of them stands in [`crate::core::job`]; they run in [`crate::jobs`], which looks every second at what is
//! asked for here.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{JobsMutation, JobsQuery};
