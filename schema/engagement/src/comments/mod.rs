//! Comments on feature requests: texts by users of partners, and answers by staff. Each comment stays on its feature
//! request. If that is merged into another, the target shows the comment with its origin.

mod list;
mod resolvers;
mod rules;
pub(crate) mod store;

use labs_core::list::Statements;

pub(crate) use resolvers::OPERATIONS;

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(crate) static STATEMENTS: [&dyn Statements; 3] = [&list::OWN, &list::TOGETHER, &list::ON_BOARD];
