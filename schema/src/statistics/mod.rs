//! How many customers use partners' apps, a day at a time, as the platform's own API reported it.
//!
//! What stands here is a cache of that, with a ledger of when. Without a source nothing is imported and nothing is shown,
//! and a day that was never imported is unknown, not zero.
//!
//! | folder | what it decides |
//! |---|---|
//! | `imports` | what is asked of the platform and when, what becomes of it, and the ledger |
//! | `apps` | what partners and staff are told of it |

mod apps;
mod freshness;
pub(crate) mod imports;

use crate::core::engine::roots;
use crate::core::list::Statements;

/// What is asked in the group in words that the compiler has not checked.
pub(crate) fn statements() -> impl Iterator<Item = &'static dyn Statements> {
    let of_resources: [&[&dyn Statements]; _] = [&apps::STATEMENTS, &imports::STATEMENTS];
    of_resources.into_iter().flatten().copied()
}

roots! {
    /// What can be read of the group.
    pub(crate) struct StatisticsQuery(
        apps::AppStatisticsQuery,
        apps::AppStatisticsAdministrationQuery,
        imports::ImportsQuery,
    );
}

roots! {
    /// What can be written in the group.
    pub(crate) struct StatisticsMutation(imports::ImportsMutation,);
}
