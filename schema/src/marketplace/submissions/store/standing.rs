//! Where those stand that wait.

use std::collections::HashMap;

use uuid::Uuid;

use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::time::Time;

/// Where a submission that is not decided stands.
#[derive(Clone, Copy, Debug)]
pub(in crate::marketplace) struct Standing {
    pub(in crate::marketplace) submission_uuid: Uuid,
    /// 1 is next; `None` once a reviewer has it.
    pub(in crate::marketplace) place: Option<i64>,
    /// How many wait in all; `None` once a reviewer has it.
    pub(in crate::marketplace) length: Option<i64>,
    /// When to expect the decision, to the full hour; `None` when too few were decided lately to tell.
    pub(in crate::marketplace) expected_at: Option<Time>,
}

/// Where these submissions stand, as far as they are not decided.
///
/// The date to expect comes from how long the last fifty decisions of ninety days took: the middle one of those that
/// took longer than this one has waited already, so that it never lies in the past. It takes three of them to tell.
pub(in crate::marketplace) async fn standings(db: &Db, submissions: &[Uuid]) -> Result<HashMap<Uuid, Standing>, Fault> {
    let rows = sqlx::query_as!(
        Standing,
        r#"with recent as materialized (
             select decided_at - submitted_at as took
             from submission
             where decided_at > labs_now() - interval '90 days'
                 and state in ('APPROVED', 'CHANGES_REQUESTED', 'REJECTED')
             order by decided_at desc
             limit 50
         ), waiting as materialized (
             select submission_uuid, count(*) over () as length,
                 row_number() over (order by queued_at, submission_uuid) as place
             from submission
             where state = 'SUBMITTED'
         )
         select s.submission_uuid, w.place as "place?", w.length as "length?", pace.expected_at as "expected_at?"
         from submission as s
         left join waiting as w on w.submission_uuid = s.submission_uuid
         left join lateral (
             select date_trunc('hour', s.submitted_at + interval '1 hour'
                 + percentile_cont(0.5) within group (order by took), 'UTC') as expected_at
             from recent
             where took > labs_now() - s.submitted_at
             having (select count(*) from recent) >= 3
         ) as pace on true
         where s.submission_uuid = any($1) and s.state in ('SUBMITTED', 'IN_REVIEW')"#,
        submissions
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(rows.into_iter().map(|row| (row.submission_uuid, row)).collect())
}
