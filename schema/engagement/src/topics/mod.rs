//! Topics of feature requests: names by locale, with a fixed position. An inactive topic stays on its feature requests
//! but cannot be assigned any more.

mod list;
mod resolvers;
mod store;

use labs_core::list::Statements;

pub(crate) use resolvers::OPERATIONS;

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&list::OFFERED, &list::BY_ID];
