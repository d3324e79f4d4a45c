//! The history of a partner's account: written by whoever changes it, in the transaction of the change.

use serde_json::{Value, json};
use sqlx::types::Json;
use uuid::Uuid;

use crate::core::actor::Actor;
use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::Fault;

/// What happened to an account.
#[derive(Clone, Debug)]
pub(crate) struct PartnerEvent<'a> {
    partner_uuid: Uuid,
    kind: &'static str,
    actor: Actor,
    subject_uuid: Option<Uuid>,
    reason: Option<&'a str>,
    detail: Value,
}

impl<'a> PartnerEvent<'a> {
    /// Something that somebody did to an account, `MEMBER_ROLE_CHANGED` for example.
    pub(crate) fn new(partner_uuid: Uuid, kind: &'static str, actor: Actor) -> Self {
        Self { partner_uuid, kind, actor, subject_uuid: None, reason: None, detail: json!({}) }
    }

    /// The same of whoever asks.
    ///
    /// # Errors
    /// [`crate::Code::Unauthenticated`] when nobody is known to ask.
    pub(crate) fn by_caller(cx: &RequestContext, partner_uuid: Uuid, kind: &'static str) -> Result<Self, Fault> {
        Ok(Self::new(partner_uuid, kind, Actor::of(cx.principal()?)))
    }

    /// What it was done to, where that is not the account itself.
    pub(crate) fn about(self, subject_uuid: impl Into<Option<Uuid>>) -> Self {
        Self { subject_uuid: subject_uuid.into(), ..self }
    }

    /// What staff gave as their reason; the partner reads it.
    pub(crate) fn because(self, reason: Option<&'a str>) -> Self {
        Self { reason, ..self }
    }

    /// What a reader needs besides: an object without personal data, because the history outlives an erasure.
    pub(crate) fn telling(self, detail: Value) -> Self {
        Self { detail, ..self }
    }
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
