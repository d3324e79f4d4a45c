//! Events of a subscription, for its partner and for staff.

use labs_core::describe::OutputType;
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

/// An event in the history of a subscription.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub struct SubscriptionEvent {
    /// Id of the event.
    pub(super) uuid: Uuid,
    /// Time of the event.
    pub(super) occurred_at: Time,
    /// Kind of the event, for example `CHANGED` or `CANCELLED`.
    kind: String,
    /// Code of the previous tier, for a tier change.
    from_tier_code: Option<String>,
    /// Code of the new or future tier, for a tier change.
    to_tier_code: Option<String>,
    /// Actor of the event.
    #[sqlx(flatten)]
    actor: SubscriptionActor,
    /// Reason given by staff.
    reason: Option<String>,
    /// Time when the change takes effect, if later.
    effective_at: Option<Time>,
    /// Code of the feature whose value was overridden.
    feature_code: Option<String>,
}

/// Actor of an event of a subscription.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub struct SubscriptionActor {
    /// Kind of the actor.
    #[sqlx(rename = "actor_kind")]
    kind: SubscriptionActorKind,
    /// UUID of the user or machine client; null for the service, and for staff if a partner reads it.
    #[sqlx(rename = "actor_uuid")]
    uuid: Option<Uuid>,
    /// Current name of the actor; null without a UUID, or if the actor no longer exists.
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
        /// The service, at the due time.
        System = "SYSTEM",
    }
}
