//! SQL statements that set the current texts of a customer review, and that erase one.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::{LockedReview, word};
use crate::reviews::rules::{ReviewRejectionReason, ReviewTexts};

/// Sets the current texts of a locked customer review, and updates the rating of its listing. `moderator` is the
/// deciding staff member; `None` if the customer caused the change.
pub(in crate::reviews) async fn set_faces(
    db: &Db,
    locked: &LockedReview,
    texts: ReviewTexts,
    moderator: Option<Uuid>,
    is_decided: bool,
) -> Result<(), Fault> {
    let after = sqlx::query_scalar!(
        "update customer_review as r
            set state = $2, shown_text_uuid = $3, waiting_text_uuid = $4, rejected_text_uuid = $5,
                (rating, locale, version_number, written_at, has_text) = (
                    select t.rating, t.locale, t.version_number, t.created_at, coalesce(t.title, t.body) is not null
                      from customer_review_text as t where t.text_uuid = $3),
                waiting_since = (select t.created_at from customer_review_text as t where t.text_uuid = $4),
                moderated_at = case when $7 then labs_now() else r.moderated_at end,
                moderated_by = case when $7 then $6 else r.moderated_by end,
                updated_at = labs_now()
          where r.review_uuid = $1
      returning r.rating",
        locked.review_uuid,
        word(texts.state()),
        texts.shown,
        texts.waiting,
        texts.rejected,
        moderator,
        is_decided
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    count(db, locked, after).await
}

/// Updates the listing's rating for a locked customer review.
async fn count(db: &Db, locked: &LockedReview, after: Option<i32>) -> Result<(), Fault> {
    if locked.rating == after {
        return Ok(());
    }
    let number = i32::from(after.is_some()) - i32::from(locked.rating.is_some());
    let stars = i64::from(after.unwrap_or_default()) - i64::from(locked.rating.unwrap_or_default());
    sqlx::query!(
        "update listing set rating_count = rating_count + $2, rating_sum = rating_sum + $3 where app_uuid = $1",
        locked.app_uuid,
        number,
        stars
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Stores a moderator's decision with the text: the reason for the rejection, or `None` after an approval.
pub(in crate::reviews) async fn note_decision(
    db: &Db,
    text_uuid: Uuid,
    refused: Option<ReviewRejectionReason>,
    note: Option<&str>,
) -> Result<(), Fault> {
    sqlx::query!(
        "update customer_review_text
            set rejected_because = $2, decision_note = coalesce($3, decision_note), decided_at = labs_now()
          where text_uuid = $1",
        text_uuid,
        refused.map(ReviewRejectionReason::name),
        note
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Erases the customer's texts and identity. The row of the customer review remains.
pub(in crate::reviews) async fn erase(db: &Db, locked: &LockedReview, moderator: Option<Uuid>) -> Result<(), Fault> {
    let nothing = ReviewTexts::default();
    set_faces(db, locked, nothing, moderator, true).await?;
    sqlx::query!(
        "with flags as (
             update customer_review_flag set note = null where review_uuid = $1
         ), reports as (
             delete from customer_review_report where review_uuid = $1
         )
         update customer_review
            set customer_sha256 = null, reply_uuid = null, reports = 0, reported_at = null
          where review_uuid = $1",
        locked.review_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    sqlx::query!(
        "with replies as (delete from customer_review_reply where review_uuid = $1)
         delete from customer_review_text where review_uuid = $1",
        locked.review_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
