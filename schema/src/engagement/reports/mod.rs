//! Reports: what people of partners ask staff to look at, a proposal or a comment, and what staff decide. Each person reports
//! a thing once; a decision takes all open reports on the same thing.

mod list;
mod resolvers;
pub(in crate::engagement) mod rules;
mod store;
mod types;

use crate::core::list::Statements;

pub(in crate::engagement) use resolvers::{BoardReportsMutation, BoardReportsQuery};

/// What is asked of reports in words that the compiler has not checked.
pub(in crate::engagement) static STATEMENTS: [&dyn Statements; 2] = [&list::REPORTS, &list::ONE];
