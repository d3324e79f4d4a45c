//! Operations of staff on background jobs and their runs.
//!
//! [`crate::core::job`] defines the jobs. [`crate::jobs`] runs them and looks every second for the runs that are
//! requested here.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(in crate::admin) use resolvers::{JobsMutation, JobsQuery};
