//! SQL statements of the partner's flags and the customers' reports.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use super::LockedReview;
use crate::reviews::rules::{ReviewConcern, ReviewMarkOutcome};

/// Returns the outcome of the most recent flag of a customer review, and the text that it concerns.
pub(in crate::reviews) async fn last_flag(
    db: &Db,
    review_uuid: Uuid,
) -> Result<Option<(ReviewMarkOutcome, Uuid)>, Fault> {
    let row = sqlx::query!(
        r#"select outcome as "outcome: ReviewMarkOutcome", text_uuid from customer_review_flag
            where review_uuid = $1 order by flagged_at desc, flag_uuid desc limit 1"#,
        review_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| (row.outcome, row.text_uuid)))
}

/// Values of a new flag.
pub(in crate::reviews) struct NewFlag<'a> {
    pub(in crate::reviews) flag_uuid: Uuid,
    pub(in crate::reviews) text_uuid: Uuid,
    pub(in crate::reviews) reason: ReviewConcern,
    pub(in crate::reviews) note: Option<&'a str>,
    pub(in crate::reviews) by: Actor,
}

/// Inserts a flag for a locked customer review and adds an entry to the history of its app.
pub(in crate::reviews) async fn insert_flag(db: &Db, locked: &LockedReview, flag: &NewFlag<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with flag as (
             insert into customer_review_flag (flag_uuid, review_uuid, text_uuid, reason, note, author_kind, author_uuid)
             values ($1, $2, $3, $4, $5, $6, $7)
         ), noted as (
             insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
             values (labs_uuid(), $8, 'REVIEW_FLAGGED', $6, $7, jsonb_build_object('review_uuid', $2::uuid))
         )
         update customer_review set flagged_at = labs_now(), updated_at = labs_now() where review_uuid = $2",
        flag.flag_uuid,
        locked.review_uuid,
        flag.text_uuid,
        flag.reason as ReviewConcern,
        flag.note,
        flag.by.kind,
        flag.by.uuid,
        locked.app_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Values of a new report.
pub(in crate::reviews) struct NewReport<'a> {
    pub(in crate::reviews) reporter_sha256: &'a [u8],
    pub(in crate::reviews) text_uuid: Uuid,
    pub(in crate::reviews) reason: ReviewConcern,
    pub(in crate::reviews) note: Option<&'a str>,
}

/// Current report.
pub(in crate::reviews) struct ReportRow {
    pub(in crate::reviews) reason: ReviewConcern,
    pub(in crate::reviews) note: Option<String>,
    pub(in crate::reviews) reported_at: Time,
}

/// Counts a customer's report of a locked customer review once. A decided report counts again if the text has changed
/// since. If the customer has already reported it, the result is the first report.
pub(in crate::reviews) async fn report(db: &Db, review_uuid: Uuid, new: &NewReport<'_>) -> Result<ReportRow, Fault> {
    sqlx::query!(
        "with counted as (
             insert into customer_review_report as c (review_uuid, reporter_sha256, text_uuid, reason, note)
             values ($1, $2, $3, $4, $5)
             on conflict (review_uuid, reporter_sha256) do update
                set text_uuid = excluded.text_uuid, reason = excluded.reason, note = excluded.note, outcome = 'OPEN',
                    reported_at = excluded.reported_at, decided_at = null
              where c.outcome <> 'OPEN' and c.text_uuid <> excluded.text_uuid
             returning review_uuid
         )
         update customer_review as r
            set reports = r.reports + 1, reported_at = coalesce(r.reported_at, labs_now())
           from counted where r.review_uuid = counted.review_uuid",
        review_uuid,
        new.reporter_sha256,
        new.text_uuid,
        new.reason as ReviewConcern,
        new.note
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(sqlx::query_as!(
        ReportRow,
        r#"select reason as "reason: ReviewConcern", note, reported_at from customer_review_report
            where review_uuid = $1 and reporter_sha256 = $2"#,
        review_uuid,
        new.reporter_sha256
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Decides all open flags and reports of a locked customer review. Returns whether a flag was open.
pub(in crate::reviews) async fn decide_marks(
    db: &Db,
    review_uuid: Uuid,
    outcome: ReviewMarkOutcome,
) -> Result<bool, Fault> {
    let decided = sqlx::query!(
        "with reports as (
             update customer_review_report set outcome = $2, decided_at = labs_now()
              where review_uuid = $1 and outcome = 'OPEN'
         ), marks as (
             update customer_review set flagged_at = null, reports = 0, reported_at = null, updated_at = labs_now()
              where review_uuid = $1 and (flagged_at is not null or reports > 0)
         )
         update customer_review_flag set outcome = $2, decided_at = labs_now()
          where review_uuid = $1 and outcome = 'OPEN'",
        review_uuid,
        outcome as ReviewMarkOutcome
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(decided.rows_affected() > 0)
}

/// Moves open flags and reports to the newly published text, so that moderators check it again.
pub(in crate::reviews) async fn move_marks(db: &Db, review_uuid: Uuid, text_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with reports as (
             update customer_review_report set text_uuid = $2 where review_uuid = $1 and outcome = 'OPEN'
         )
         update customer_review_flag set text_uuid = $2 where review_uuid = $1 and outcome = 'OPEN'",
        review_uuid,
        text_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
