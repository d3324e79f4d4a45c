//! The roadmap: planned, in-progress and recently shipped feature requests, and the response time of staff.

mod pace;
mod resolvers;

use labs_core::list::Statements;

pub(crate) use resolvers::OPERATIONS;

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&resolvers::COLUMNS];
