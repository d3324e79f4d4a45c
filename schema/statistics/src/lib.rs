//! Statistics: the number of customers who use partners' apps, per day, as reported by the platform's own API.
//!
//! The stored figures are a cache of that API, with a log of the imports. Without a source, nothing is imported and
//! nothing is shown. A day that was never imported is unknown, not zero.
//!
//! | folder | content |
//! |---|---|
//! | `imports` | requests to the platform, their schedule and results, and the import runs |
//! | `apps` | statistics for partners and staff |

mod apps;
mod freshness;
pub mod imports;

use labs_core::list::Statements;
use labs_core::operation::Operation;

/// SQL of the module that is assembled at run time, so the compiler does not check it.
pub fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [&apps::STATEMENTS, &imports::STATEMENTS];
    of_resources.into_iter().flatten().copied()
}

/// Operations of the group.
pub const OPERATIONS: &[&[Operation]] = &[apps::OPERATIONS, imports::OPERATIONS];
