//! Where those stand that wait.

use std::collections::HashMap;

use ::dataloader::BatchFn;
use ::dataloader::cached::Loader;
use uuid::Uuid;

use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::time::Time;
use crate::marketplace::submissions::rules::{Decided, expected_at};

/// Where a submission that is not decided stands.
#[derive(Clone, Copy, Debug)]
pub(in crate::marketplace) struct Standing {
    /// 1 is next; `None` once a reviewer has it.
    pub(in crate::marketplace) place: Option<i64>,
    /// How many wait in all; `None` once a reviewer has it.
    pub(in crate::marketplace) length: Option<i64>,
    /// When to expect the decision, to the full hour; `None` when too few were decided lately to tell.
    pub(in crate::marketplace) expected_at: Option<Time>,
}

/// Where these submissions stand, as far as they are not decided. The date to expect comes from how long the last fifty
/// decisions of ninety days took.
pub(in crate::marketplace) async fn standings(
    db: &Db,
    submissions: &[Uuid],
    now: Time,
) -> Result<HashMap<Uuid, Standing>, Fault> {
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
        (submission_uuid, Standing { place, length, expected_at })
    };
    Ok(rows.into_iter().map(|row| standing(row.submission_uuid, row.place, row.length, row.submitted_at)).collect())
}

/// Names a standing to its loader: of which submission, at which time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct StandingKey(Uuid, Time);

/// The statement behind the loader of standings.
struct StandingBatch(Db);

impl BatchFn<StandingKey, Result<Option<Standing>, Fault>> for StandingBatch {
    async fn load(&mut self, keys: &[StandingKey]) -> HashMap<StandingKey, Result<Option<Standing>, Fault>> {
        let mut found = HashMap::new();
        // Requests that share a loader differ in their time.
        for alike in keys.chunk_by(|one, next| one.1 == next.1) {
            let Some(StandingKey(_, now)) = alike.first() else { continue };
            let submissions: Vec<Uuid> = alike.iter().map(|key| key.0).collect();
            let rows = standings(&self.0, &submissions, *now).await;
            let of = |key: &StandingKey| rows.as_ref().map(|rows| rows.get(&key.0).copied()).map_err(Clone::clone);
            found.extend(alike.iter().map(|key| (*key, of(key))));
        }
        found
    }
}

/// The same for edges, which are followed once a query has done what it does: those asked for side by side are read
/// together, and each once.
pub(in crate::marketplace) async fn load_standings(
    cx: &RequestContext,
    submissions: &[Uuid],
) -> Result<HashMap<Uuid, Standing>, Fault> {
    let keys = submissions.iter().map(|uuid| StandingKey(*uuid, cx.now)).collect();
    let found = cx.loader(|db| Loader::new(StandingBatch(db))).load_many(keys).await;
    let known =
        found.into_iter().map(|(StandingKey(uuid, _), standing)| Ok(standing?.map(|standing| (uuid, standing))));
    known.filter_map(Result::transpose).collect()
}

/// The last fifty decisions of ninety days.
async fn recent_page(db: &Db) -> Result<Vec<Decided>, Fault> {
    Ok(sqlx::query_as!(
        Decided,
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
