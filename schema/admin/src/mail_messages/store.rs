//! Statements for the actions of staff on mail messages.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::rules::MailMessageState;

/// A mail message locked for a change.
pub(super) struct LockedMailRow {
    pub(super) state: MailMessageState,
    pub(super) subject: String,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) content_sealed: Option<Vec<u8>>,
    /// Whether a replica is handing it over.
    pub(super) is_claimed: bool,
}

/// Locks a mail message until the transaction ends, so that no replica claims it.
pub(super) async fn lock(db: &Db, message_uuid: Uuid) -> Result<Option<LockedMailRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedMailRow,
        r#"select state as "state: MailMessageState", subject, partner_uuid, content_sealed,
                  coalesce(claimed_until > labs_now(), false) as "is_claimed!"
             from mail_message where message_uuid = $1 for update"#,
        message_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Makes a mail message due now, with the full number of attempts.
pub(super) async fn set_queued(db: &Db, message_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update mail_message set state = 'QUEUED', attempts = 0, next_attempt_at = labs_now(), claimed_until = null
          where message_uuid = $1",
        message_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
