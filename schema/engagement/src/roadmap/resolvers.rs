//! Resolvers of the roadmap.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::list::Lookup;
use labs_core::operation::{Operation, operation, operations};
use serde::Serialize;

use super::pace::{self, BoardPace};
use crate::feature_requests::rules::FeatureRequestStatus;
use crate::feature_requests::{BoardRow, FeatureRequestSummary, SHORT, into_view};

/// The roadmap of the board.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct Roadmap {
    /// Planned feature requests, most votes first.
    planned: Vec<FeatureRequestSummary>,
    /// Feature requests in progress, most votes first.
    in_progress: Vec<FeatureRequestSummary>,
    /// Feature requests shipped within the last 180 days, newest first.
    shipped: Vec<FeatureRequestSummary>,
    /// Response time of staff.
    pace: BoardPace,
}

/// All columns in one statement: at most fifty feature requests each, found by index.
pub(super) static COLUMNS: Lookup<BoardRow> = Lookup::new(
    &SHORT,
    &["r.request_uuid = any(array(
           (select p.request_uuid from feature_request as p where p.shown and p.status = 'PLANNED'
             order by p.votes desc, p.request_uuid desc limit 50)
           union all
           (select p.request_uuid from feature_request as p where p.shown and p.status = 'IN_PROGRESS'
             order by p.votes desc, p.request_uuid desc limit 50)
           union all
           (select p.request_uuid from feature_request as p
             where p.shown and p.status = 'SHIPPED' and p.status_at >= labs_now() - interval '180 days'
             order by p.status_at desc, p.request_uuid desc limit 50)))"],
);

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![engagement_roadmap_get];

/// Get the roadmap.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_roadmap_get(cx: &RequestContext) -> Result<Roadmap, Fault> {
    let mut rows = COLUMNS.fetch_all(&cx.db, []).await?;
    rows.sort_by(BoardRow::by_votes);
    let all = into_view(cx, rows).await?;
    let of = |status| all.iter().filter(move |one| one.status == status).cloned();
    let mut shipped: Vec<_> = of(FeatureRequestStatus::Shipped).collect();
    shipped.sort_by_key(|one| std::cmp::Reverse((one.status_at, one.uuid)));
    Ok(Roadmap {
        planned: of(FeatureRequestStatus::Planned).collect(),
        in_progress: of(FeatureRequestStatus::InProgress).collect(),
        shipped,
        pace: pace::of_the_year(cx).await?,
    })
}
