//! How fast the service answers what is proposed. It is counted over a year, and kept in memory for a minute, because
//! everybody may ask for it.

use std::time::Duration;

use async_graphql::SimpleObject;
use moka::sync::Cache;
use serde::Serialize;

use crate::core::context::RequestContext;
use crate::core::fault::Fault;

/// How long it is kept.
const KEPT: Duration = Duration::from_secs(60);

/// How fast the service answers what was proposed within a year.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardPace {
    /// How many were proposed.
    proposed: i64,
    /// The share that was answered or moved on; null where nothing was proposed.
    answered_share: Option<f64>,
    /// Days until the first answer, in the middle of all that were answered; null where none was.
    median_days: Option<f64>,
}

/// What was counted last.
struct Counted(Cache<(), BoardPace>);

impl Default for Counted {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(1).time_to_live(KEPT).build())
    }
}

/// The pace of the last 365 days, as it was within the last minute.
///
/// # Errors
/// When the database is away.
pub(super) async fn of_the_year(cx: &RequestContext) -> Result<BoardPace, Fault> {
    let counted = cx.services.state::<Counted>();
    if let Some(known) = counted.0.get(&()) {
        return Ok(known);
    }
    let pace = sqlx::query_as!(
        BoardPace,
        r#"select count(*) as "proposed!",
                  round(count(answered_at)::numeric / nullif(count(*), 0), 3)::double precision as answered_share,
                  round((percentile_cont(0.5) within group (order by extract(epoch from answered_at - created_at)
                      ::double precision) / 86400)::numeric, 1)::double precision as median_days
             from feature_request
            where shown and created_at >= labs_now() - interval '365 days'"#
    )
    .fetch_one(&mut *cx.db.conn().await?)
    .await?;
    counted.0.insert((), pace);
    Ok(pace)
}
