//! Overview of the board for staff: counts by status, open work, most wanted feature requests, and weekly activity.

mod store;

use labs_core::context::RequestContext;
use labs_core::day::Day;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::feature_requests::rules::FeatureRequestStatus;

/// Number of feature requests with a status.
#[derive(Clone, Copy, Debug, Serialize, OutputType)]
pub(super) struct BoardStatusCount {
    /// The status.
    status: FeatureRequestStatus,
    /// Number of feature requests on the board with this status.
    feature_requests: i64,
}

/// A feature request with many votes.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct BoardWanted {
    /// UUID of the feature request.
    uuid: Uuid,
    /// Title of the feature request.
    title: String,
    /// Status of the feature request.
    status: FeatureRequestStatus,
    /// Number of users who voted for the feature request. The service never reveals who they are.
    votes: i32,
}

/// Activity of one week on the board.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, OutputType)]
pub(super) struct BoardWeek {
    /// Monday on which the week began, in UTC.
    week: Day,
    /// Number of feature requests proposed in the week, regardless of their later status.
    proposed: i64,
    /// Number of comments and answers written in the week.
    comments: i64,
}

/// Overview of the board.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct BoardOverview {
    /// Number of feature requests on the board per status.
    by_status: Vec<BoardStatusCount>,
    /// Number of suspended feature requests.
    suspended: i64,
    /// Number of feature requests that are merged into another.
    merged: i64,
    /// Number of open reports on feature requests.
    open_reports_on_feature_requests: i64,
    /// Number of open reports on comments.
    open_reports_on_comments: i64,
    /// Number of feature requests on the board that staff have neither answered nor moved to another status.
    waiting: i64,
    /// Time when the oldest feature request in `waiting` was proposed. Null if `waiting` is 0.
    waiting_since: Option<Time>,
    /// Share of feature requests that staff have answered or moved to another status, to three decimals. Counts the
    /// feature requests on the board that were proposed within the last 90 days. Null if there are none.
    answered_share: Option<f64>,
    /// Median number of hours from the proposal to the first answer or status change, to one decimal. Counts the
    /// feature requests of `answered_share` that staff have answered or moved. Null if there are none.
    median_hours: Option<f64>,
    /// The ten `OPEN` or `UNDER_REVIEW` feature requests with the most votes, most votes first.
    most_wanted: Vec<BoardWanted>,
    /// Last twelve weeks, including the current one, earliest first.
    weeks: Vec<BoardWeek>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![engagement_moderation_get_overview];

/// Get the feature request board overview.
#[operation(query, access = "labs.admin.engagement")]
async fn engagement_moderation_get_overview(cx: &RequestContext) -> Result<BoardOverview, Fault> {
    let (by_status, counts) = (store::count_by_status(&cx.db).await?, store::get_counts(&cx.db).await?);
    Ok(BoardOverview {
        by_status,
        suspended: counts.suspended,
        merged: counts.merged,
        open_reports_on_feature_requests: counts.requests_reported,
        open_reports_on_comments: counts.comments_reported,
        waiting: counts.waiting,
        waiting_since: counts.waiting_since,
        answered_share: counts.answered_share,
        median_hours: counts.median_hours,
        most_wanted: store::list_most_wanted(&cx.db).await?,
        weeks: counts.weeks.0,
    })
}
