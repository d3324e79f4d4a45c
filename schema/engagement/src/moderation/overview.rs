//! Overview of the board for staff: counts by status, open work, most wanted feature requests, and weekly activity.

use labs_core::context::RequestContext;
use labs_core::day::Day;
use labs_core::db::Db;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use labs_core::words::Word as _;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
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
pub const OPERATIONS: &[Operation] = operations![engagement_moderation_get_overview];

/// Get the feature request board overview.
#[operation(query, access = "labs.admin.engagement")]
async fn engagement_moderation_get_overview(cx: &RequestContext) -> Result<BoardOverview, Fault> {
    let (by_status, counts) = (count_by_status(&cx.db).await?, counts(&cx.db).await?);
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
        most_wanted: list_most_wanted(&cx.db).await?,
        weeks: counts.weeks.0,
    })
}

struct Counts {
    suspended: i64,
    merged: i64,
    requests_reported: i64,
    comments_reported: i64,
    waiting: i64,
    waiting_since: Option<Time>,
    answered_share: Option<f64>,
    median_hours: Option<f64>,
    weeks: Json<Vec<BoardWeek>>,
}

/// Counts the feature requests on the board for each status, including zero counts. It reads an index of the board and
/// is the most expensive statement of the overview.
async fn count_by_status(db: &Db) -> Result<Vec<BoardStatusCount>, Fault> {
    let found = sqlx::query!(
        r#"select status as "status: FeatureRequestStatus", count(*) as "number!" from feature_request
            where shown group by status"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let number = |status| found.iter().find(|row| row.status == status).map_or(0, |row| row.number);
    let all = FeatureRequestStatus::ALL.iter();
    Ok(all.map(|status| BoardStatusCount { status: *status, feature_requests: number(*status) }).collect())
}

/// Returns all single counts and the weeks, each from an index.
async fn counts(db: &Db) -> Result<Counts, Fault> {
    Ok(sqlx::query_as!(
        Counts,
        r#"with answering as (
               select count(*) as proposed, count(answered_at) as answered,
                      percentile_cont(0.5) within group (order by extract(epoch from answered_at - created_at)
                          ::double precision) as median
                 from feature_request where shown and created_at >= labs_now() - interval '90 days'),
           reports as (
               select count(request_uuid) as requests, count(comment_uuid) as comments
                 from board_report where outcome = 'OPEN'),
           waiting as (
               select count(*) as number, min(created_at) as since from feature_request
                where shown and answered_at is null),
           week as (
               select monday::date as monday, monday at time zone 'UTC' as begins,
                      (monday + interval '7 days') at time zone 'UTC' as ends
                 from generate_series(date_trunc('week', labs_now() at time zone 'UTC') - interval '77 days',
                          date_trunc('week', labs_now() at time zone 'UTC'), interval '7 days') as monday)
           select (select count(*) from feature_request where suspended_at is not null) as "suspended!",
                  (select count(*) from feature_request where merged_into_uuid is not null) as "merged!",
                  reports.requests as "requests_reported!", reports.comments as "comments_reported!",
                  waiting.number as "waiting!", waiting.since as "waiting_since: Time",
                  round(answering.answered::numeric / nullif(answering.proposed, 0), 3)::double precision
                      as answered_share,
                  round((answering.median / 3600)::numeric, 1)::double precision as median_hours,
                  (select jsonb_agg(jsonb_build_object('week', monday,
                       'proposed', (select count(*) from feature_request as r
                                     where r.created_at >= begins and r.created_at < ends),
                       'comments', (select count(*) from feature_comment as c
                                     where c.created_at >= begins and c.created_at < ends)) order by monday)
                     from week) as "weeks!: Json<Vec<BoardWeek>>"
             from answering, reports, waiting"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns the ten feature requests with the most votes that are open or under review.
async fn list_most_wanted(db: &Db) -> Result<Vec<BoardWanted>, Fault> {
    Ok(sqlx::query_as!(
        BoardWanted,
        r#"select uuid as "uuid!", title as "title!", status as "status!: FeatureRequestStatus", votes as "votes!"
             from ((select request_uuid as uuid, title, status, votes from feature_request
                     where shown and status = 'OPEN' order by votes desc, request_uuid desc limit 10)
                   union all
                   (select request_uuid, title, status, votes from feature_request
                     where shown and status = 'UNDER_REVIEW' order by votes desc, request_uuid desc limit 10)) as either
            order by votes desc, uuid desc limit 10"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
