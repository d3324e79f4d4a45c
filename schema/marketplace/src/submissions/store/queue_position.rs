//! Queue positions of undecided submissions.

use std::collections::HashMap;

use ::dataloader::BatchFn;
use ::dataloader::cached::Loader;
use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use crate::submissions::rules::{DecidedSubmission, expected_at};

/// Queue position of an undecided submission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueuePosition {
    /// Position, where 1 is next; `None` once a reviewer has claimed it.
    pub(crate) place: Option<i64>,
    /// Number of waiting submissions; `None` once a reviewer has claimed it.
    pub(crate) length: Option<i64>,
    /// Expected decision time, rounded to the full hour; `None` if there are too few recent decisions.
    pub(crate) expected_at: Option<Time>,
}

/// Returns the queue positions of the undecided ones among these submissions. The estimate uses the last fifty
/// decisions of ninety days.
pub(crate) async fn list_queue_positions(
    db: &Db,
    submissions: &[Uuid],
    now: Time,
) -> Result<HashMap<Uuid, QueuePosition>, Fault> {
    let recent = recent_page(db).await?;
    let rows = sqlx::query!(
        r#"with waiting as materialized (
             select submission_uuid, count(*) over () as length,
                 row_number() over (order by queued_at, submission_uuid) as place
             from submission
             where state = 'SUBMITTED'
         )
         select s.submission_uuid, s.submitted_at as "submitted_at: Time", w.place as "place?", w.length as "length?"
         from submission as s
         left join waiting as w on w.submission_uuid = s.submission_uuid
         where s.submission_uuid = any($1) and s.state in ('SUBMITTED', 'IN_REVIEW')"#,
        submissions
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let standing = |submission_uuid, place, length, submitted_at| {
        let expected_at = expected_at(submitted_at, now, &recent);
        (submission_uuid, QueuePosition { place, length, expected_at })
    };
    Ok(rows.into_iter().map(|row| standing(row.submission_uuid, row.place, row.length, row.submitted_at)).collect())
}

/// Loader key: a submission and the current time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct StandingKey(Uuid, Time);

/// Batch function of the loader.
struct StandingBatch(Db);

impl BatchFn<StandingKey, Result<Option<QueuePosition>, Fault>> for StandingBatch {
    async fn load(&mut self, keys: &[StandingKey]) -> HashMap<StandingKey, Result<Option<QueuePosition>, Fault>> {
        let mut found = HashMap::new();
        // Requests that share a loader differ in their current time.
        for alike in keys.chunk_by(|one, next| one.1 == next.1) {
            let Some(StandingKey(_, now)) = alike.first() else { continue };
            let submissions: Vec<Uuid> = alike.iter().map(|key| key.0).collect();
            let rows = list_queue_positions(&self.0, &submissions, *now).await;
            let of = |key: &StandingKey| rows.as_ref().map(|rows| rows.get(&key.0).copied()).map_err(Clone::clone);
            found.extend(alike.iter().map(|key| (*key, of(key))));
        }
        found
    }
}

/// Loads queue positions for edges, which run after the operation's writes. Concurrent lookups are batched, and each
/// submission is read once.
pub(crate) async fn load_queue_positions(
    cx: &RequestContext,
    submissions: &[Uuid],
) -> Result<HashMap<Uuid, QueuePosition>, Fault> {
    let keys = submissions.iter().map(|uuid| StandingKey(*uuid, cx.now)).collect();
    let found = cx.loader(|db| Loader::new(StandingBatch(db))).load_many(keys).await;
    let known =
        found.into_iter().map(|(StandingKey(uuid, _), standing)| Ok(standing?.map(|standing| (uuid, standing))));
    known.filter_map(Result::transpose).collect()
}

/// Returns the last fifty decisions of ninety days.
async fn recent_page(db: &Db) -> Result<Vec<DecidedSubmission>, Fault> {
    Ok(sqlx::query_as!(
        DecidedSubmission,
        r#"select submitted_at as "submitted_at: Time", decided_at as "decided_at!: Time"
             from submission
            where decided_at > labs_now() - interval '90 days'
              and state in ('APPROVED', 'CHANGES_REQUESTED', 'REJECTED')
            order by decided_at desc
            limit 50"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
