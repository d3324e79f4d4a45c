//! Events of a subscription, for its partner and for staff.

use labs_core::describe::OutputType;
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

/// An event in the history of a subscription.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub struct SubscriptionEvent {
    /// UUID of the event.
    pub(super) uuid: Uuid,
    /// Time of the event.
    pub(super) occurred_at: Time,
    /// Kind of the event, for example `CHANGED` or `CANCELLED`.
    kind: String,
    /// Code of the tier at that time. Null for the start.
    from_tier_code: Option<String>,
    /// Code of the tier that the event concerns, effective or pending. Null if it concerns none.
    to_tier_code: Option<String>,
    /// Actor of the event.
    #[sqlx(flatten)]
    actor: SubscriptionActor,
    /// Reason that staff gave.
    reason: Option<String>,
    /// Time when the change takes effect, or the new end of a period. Null if immediate.
    effective_at: Option<Time>,
    /// Code of the feature with the override. Null for other kinds.
    feature_code: Option<String>,
}

/// Actor of an event, or author of a tier change request.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub struct SubscriptionActor {
    /// Kind of the actor.
    #[sqlx(rename = "actor_kind")]
    kind: SubscriptionActorKind,
    /// UUID of the user or machine client. Null for `SYSTEM`, and for staff if a partner reads.
    #[sqlx(rename = "actor_uuid")]
    uuid: Option<Uuid>,
    /// Current name of the actor. Null without a uuid, and if the actor no longer exists.
    #[sqlx(rename = "actor_name")]
    name: Option<String>,
}

words! {
    /// Kind of actor of a subscription event.
    pub enum SubscriptionActorKind {
        /// A user of the partner's team.
        PartnerUser = "PARTNER_USER",
        /// A machine client.
        MachineClient = "MACHINE_CLIENT",
        /// A staff member.
        StaffUser = "STAFF_USER",
        /// The service itself, at a scheduled time.
        System = "SYSTEM",
    }
}
