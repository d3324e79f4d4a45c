//! SQL statements of the board's overview.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_core::words::Word as _;
use sqlx::types::Json;

use super::{BoardStatusCount, BoardWanted, BoardWeek};
use crate::feature_requests::rules::FeatureRequestStatus;

/// Single counts, and the weeks.
pub(super) struct Counts {
    pub(super) suspended: i64,
    pub(super) merged: i64,
    pub(super) requests_reported: i64,
    pub(super) comments_reported: i64,
    pub(super) waiting: i64,
    pub(super) waiting_since: Option<Time>,
    pub(super) answered_share: Option<f64>,
    pub(super) median_hours: Option<f64>,
    pub(super) weeks: Json<Vec<BoardWeek>>,
}

/// Counts the feature requests on the board for each status, including zero counts. It reads an index of the board and
/// is the most expensive statement of the overview.
pub(super) async fn count_by_status(db: &Db) -> Result<Vec<BoardStatusCount>, Fault> {
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
pub(super) async fn get_counts(db: &Db) -> Result<Counts, Fault> {
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
pub(super) async fn list_most_wanted(db: &Db) -> Result<Vec<BoardWanted>, Fault> {
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
