//! Operations of staff on background jobs and their runs.
//!
//! [`plan`] defines the jobs. [`crate::jobs`] runs them and looks every second for the runs that are requested here.

mod list;
mod plan;
mod resolvers;
mod rules;
mod store;

pub use list::STATEMENTS;
pub use plan::JobCode;
pub use plan::{JobPlan, Schedule};
pub use resolvers::OPERATIONS;
