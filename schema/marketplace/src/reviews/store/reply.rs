//! SQL statements of the partner's reply. The current reply has no end time; former replies are kept for staff.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::LockedReview;

/// Returns the current reply and the text that it answers.
pub(in crate::reviews) async fn present_reply(db: &Db, reply_uuid: Uuid) -> Result<Option<(String, Uuid)>, Fault> {
    let row = sqlx::query!("select body, text_uuid from customer_review_reply where reply_uuid = $1", reply_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?;
    Ok(row.map(|row| (row.body, row.text_uuid)))
}

/// Values of a new reply.
pub(in crate::reviews) struct NewReply<'a> {
    pub(in crate::reviews) reply_uuid: Uuid,
    pub(in crate::reviews) text_uuid: Uuid,
    pub(in crate::reviews) body: &'a str,
    pub(in crate::reviews) by: Actor,
}

/// Replaces the current reply and adds an entry to the history of the app. The customer review is locked.
pub(in crate::reviews) async fn insert_reply(
    db: &Db,
    locked: &LockedReview,
    reply: &NewReply<'_>,
) -> Result<(), Fault> {
    sqlx::query!(
        "with former as (
             update customer_review_reply set ended_at = labs_now() where review_uuid = $2 and ended_at is null
         ), written as (
             insert into customer_review_reply (reply_uuid, review_uuid, text_uuid, body, author_kind, author_uuid)
             values ($1, $2, $3, $4, $5, $6)
         ), noted as (
             insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
             values (labs_uuid(), $7, 'REVIEW_REPLIED', $5, $6, jsonb_build_object('review_uuid', $2::uuid))
         )
         update customer_review set reply_uuid = $1, updated_at = labs_now() where review_uuid = $2",
        reply.reply_uuid,
        locked.review_uuid,
        reply.text_uuid,
        reply.body,
        reply.by.kind,
        reply.by.uuid,
        locked.app_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Ends the current reply. The customer review is locked.
pub(in crate::reviews) async fn end_reply(db: &Db, locked: &LockedReview, by: Actor) -> Result<(), Fault> {
    sqlx::query!(
        "with former as (
             update customer_review_reply set ended_at = labs_now() where review_uuid = $1 and ended_at is null
         ), noted as (
             insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
             values (labs_uuid(), $2, 'REVIEW_REPLY_DELETED', $3, $4, jsonb_build_object('review_uuid', $1::uuid))
         )
         update customer_review set reply_uuid = null, updated_at = labs_now() where review_uuid = $1",
        locked.review_uuid,
        locked.app_uuid,
        by.kind,
        by.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
