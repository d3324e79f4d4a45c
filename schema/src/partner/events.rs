//! The history of a partner's account: written by whoever changes it, in the transaction of the change.

use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use crate::actor::Actor;
use crate::db::Db;
use crate::fault::Fault;

/// What happened to an account.
#[derive(Clone, Debug)]
pub(crate) struct PartnerEvent<'a> {
    /// The partner.
    pub(crate) partner_uuid: Uuid,
    /// `MEMBER_ROLE_CHANGED` for example.
    pub(crate) kind: &'static str,
    /// Who did it.
    pub(crate) actor: Actor,
    /// What it was done to, where that is not the account itself.
    pub(crate) subject_uuid: Option<Uuid>,
    /// What staff gave as their reason; the partner reads it.
    pub(crate) reason: Option<&'a str>,
    /// What a reader needs besides: an object without personal data, because the history outlives an erasure.
    pub(crate) detail: Value,
}

/// Writes down what happened.
pub(crate) async fn insert(db: &Db, event: &PartnerEvent<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into partner_event
             (event_uuid, partner_uuid, kind, actor_kind, actor_uuid, subject_uuid, reason, detail)
         values (labs_uuid(), $1, $2, $3, $4, $5, $6, $7)",
        event.partner_uuid,
        event.kind,
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
