//! SQL statement that inserts an event of an account.

use labs_core::db::Db;
use labs_core::fault::Fault;
use sqlx::types::Json;

use super::PartnerEvent;

/// Inserts the event.
pub async fn insert(db: &Db, event: &PartnerEvent<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into partner_event
             (event_uuid, partner_uuid, kind, actor_kind, actor_uuid, subject_uuid, reason, detail)
         values (labs_uuid(), $1, $2, $3, $4, $5, $6, $7)",
        event.partner_uuid,
        event.kind.name(),
        event.actor.kind,
        event.actor.uuid,
        event.subject_uuid,
        event.reason,
        Json(&event.detail) as _,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
