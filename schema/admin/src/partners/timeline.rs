//! The complete timeline of a partner, for staff.

pub(super) mod list;

use labs_core::describe::OutputType;
use labs_core::time::Time;
use labs_core::words::words;
use serde_json::Value;
use uuid::Uuid;

use list::PartnerTimelineRow;

words! {
    /// Source of a timeline entry.
    pub enum PartnerTimelineGroup {
        /// Events of the account.
        Account = "ACCOUNT",
        /// Events of the subscription.
        Subscription = "SUBSCRIPTION",
        /// Events of the partner's apps.
        Marketplace = "MARKETPLACE",
        /// Security events about sign-ins, factors and tokens.
        Security = "SECURITY",
        /// Audit records of changes and reads by staff.
        Audit = "AUDIT",
    }
}

/// Actor of a timeline entry.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerTimelineActor {
    /// Kind of actor: `PARTNER_USER`, `MACHINE_CLIENT`, `STAFF_USER`, `SYSTEM` or `ANONYMOUS`.
    kind: String,
    /// UUID of the user or machine client.
    uuid: Option<Uuid>,
    /// Name of the actor.
    name: Option<String>,
}

/// Target of a timeline entry.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerTimelineSubject {
    /// Kind of target, such as `APP`, `PERSON` or `MACHINE_CLIENT`. Null if the source does not state it.
    kind: Option<String>,
    /// UUID of the target.
    uuid: Uuid,
}

/// An entry in a partner's timeline.
#[derive(serde::Serialize, OutputType)]
pub struct PartnerTimelineEntry {
    /// UUID of the entry in its source.
    uuid: Uuid,
    /// Time of the entry.
    occurred_at: Time,
    /// Source of the entry.
    group: PartnerTimelineGroup,
    /// Kind of entry, such as `SUSPENDED`, `VERSION_PUBLISHED` or `SIGN_IN`. In `AUDIT`, the operation id.
    kind: String,
    /// Outcome: `SUCCEEDED`, `REFUSED` or `FAILED`.
    outcome: String,
    /// Actor. Null in `SECURITY`, where `subject` identifies the user or machine client concerned.
    actor: Option<PartnerTimelineActor>,
    /// Target of the action. Null if the target is the partner itself.
    subject: Option<PartnerTimelineSubject>,
    /// Reason, if one was given.
    reason: Option<String>,
    /// Additional data. Its members depend on the kind, and members may be added.
    detail: Value,
}

impl From<PartnerTimelineRow> for PartnerTimelineEntry {
    fn from(row: PartnerTimelineRow) -> Self {
        let (uuid, name) = (row.actor_uuid, row.actor_name);
        let kind = row.subject_kind;
        Self {
            uuid: row.event_uuid,
            occurred_at: row.occurred_at,
            group: row.event_group,
            kind: row.kind,
            outcome: row.outcome,
            actor: row.actor_kind.map(|kind| PartnerTimelineActor { kind, uuid, name }),
            subject: row.subject_uuid.map(|uuid| PartnerTimelineSubject { kind, uuid }),
            reason: row.reason,
            detail: row.detail,
        }
    }
}
