//! The history of a subscription, for its partner and for staff.

use async_graphql::SimpleObject;
use uuid::Uuid;

use crate::core::time::Time;
use crate::core::words::words;

/// An event in the history of a subscription.
#[derive(serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionEvent {
    /// Id of the event.
    pub(super) uuid: Uuid,
    /// Time of the event.
    pub(super) occurred_at: Time,
    /// What: `CHANGED`, `CANCELLED` and so on.
    kind: String,
    /// The tier before, where it is about one.
    from_tier_code: Option<String>,
    /// The tier after or to come, where it is about one.
    to_tier_code: Option<String>,
    /// Who did it.
    #[sqlx(flatten)]
    actor: SubscriptionActor,
    /// What staff gave as their reason.
    reason: Option<String>,
    /// When what was settled takes effect, where that is later.
    effective_at: Option<Time>,
    /// The feature whose value was overridden.
    feature_code: Option<String>,
}

/// Who did something to a subscription.
#[derive(serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SubscriptionActor {
    /// Which kind.
    #[sqlx(rename = "actor_kind")]
    kind: SubscriptionActorKind,
    /// The person or program; null for time, and for staff where a partner reads.
    #[sqlx(rename = "actor_uuid")]
    uuid: Option<Uuid>,
    /// The name that they have now; null where there is no uuid, or they are gone.
    #[sqlx(rename = "actor_name")]
    name: Option<String>,
}

words! {
    /// The kinds of those who do something to a subscription.
    pub(crate) enum SubscriptionActorKind {
        /// A person of the partner's team.
        PartnerUser = "PARTNER_USER",
        /// A program.
        MachineClient = "MACHINE_CLIENT",
        /// An internal person.
        StaffUser = "STAFF_USER",
        /// The service itself, because the time had come.
        System = "SYSTEM",
    }
}
