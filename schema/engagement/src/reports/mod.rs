//! Reports: users of partners ask staff to check a feature request or a comment, and staff decide. Each user can report
//! an object once. A decision applies to all open reports on the object.

mod list;
mod resolvers;
pub(crate) mod rules;
pub(crate) mod store;
mod types;

use labs_core::list::Statements;

pub(crate) use resolvers::OPERATIONS;

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&list::REPORTS, &list::ONE];
