//! Response time of staff to feature requests. It is computed over a year and cached for a minute, because every
//! partner can request it.

mod store;

use labs_core::describe::OutputType;
use std::time::Duration;

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use moka::sync::Cache;
use serde::Serialize;

/// Lifetime of the cached value.
const KEPT: Duration = Duration::from_secs(60);

/// Response times of staff for feature requests proposed within the last 365 days.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, OutputType)]
pub(super) struct BoardPace {
    /// Number of proposed feature requests. Merged and suspended ones are not counted.
    proposed: i64,
    /// Share of these feature requests that staff answered or moved to another status, to three decimals. Null if there
    /// are no feature requests.
    answered_share: Option<f64>,
    /// Median number of days until the first answer or status change, over all requests that had one, to one decimal.
    /// Null if no request had one.
    median_days: Option<f64>,
}

/// Cache of the last computed value.
struct PaceCount(Cache<(), BoardPace>);

impl Default for PaceCount {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(1).time_to_live(KEPT).build())
    }
}

/// Returns the pace of the last 365 days, at most one minute old.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn of_the_year(cx: &RequestContext) -> Result<BoardPace, Fault> {
    let counted = cx.services.state::<PaceCount>();
    if let Some(known) = counted.0.get(&()) {
        return Ok(known);
    }
    let pace = store::get(&cx.db).await?;
    counted.0.insert((), pace);
    Ok(pace)
}
