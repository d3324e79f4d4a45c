//! SQL statements that add events to a subscription.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

/// A new event of a subscription.
pub(in crate::changing) struct NewEvent<'a> {
    pub(in crate::changing) partner_uuid: Uuid,
    pub(in crate::changing) kind: &'static str,
    /// Time since which the event is effective, if not now.
    pub(in crate::changing) since: Option<Time>,
    pub(in crate::changing) from_tier_uuid: Option<Uuid>,
    pub(in crate::changing) to_tier_uuid: Option<Uuid>,
    pub(in crate::changing) actor: Actor,
    pub(in crate::changing) reason: Option<&'a str>,
    pub(in crate::changing) detail: Value,
}

/// Inserts an event.
pub(in crate::changing) async fn insert(db: &Db, new: &NewEvent<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into subscription_event
             (event_uuid, partner_uuid, occurred_at, kind, from_tier_uuid, to_tier_uuid, actor_kind, actor_uuid, reason,
              detail)
         values (labs_uuid(), $1, coalesce($2, labs_now()), $3, $4, $5, $6, $7, $8, $9)",
        new.partner_uuid,
        new.since as Option<Time>,
        new.kind,
        new.from_tier_uuid,
        new.to_tier_uuid,
        new.actor.kind,
        new.actor.uuid,
        new.reason,
        Json(&new.detail) as _,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
