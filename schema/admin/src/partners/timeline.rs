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
        /// Account history: company data, state, team, contacts, profile.
        Account = "ACCOUNT",
        /// Subscription history.
        Subscription = "SUBSCRIPTION",
        /// Histories of the partner's apps.
        Marketplace = "MARKETPLACE",
        /// Security events: sign-ins, second factors, passwords, tokens.
        Security = "SECURITY",
        /// Audit log: actions and reads of staff.
        Audit = "AUDIT",
    }
}

/// Actor of a timeline entry.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerTimelineActor {
    /// Kind of actor: `PARTNER_USER`, `MACHINE_CLIENT`, `STAFF_USER`, `SYSTEM` or `ANONYMOUS`.
    kind: String,
    /// UUID of the actor.
    uuid: Option<Uuid>,
    /// Name of the actor.
    name: Option<String>,
}

/// Target of a timeline entry.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerTimelineSubject {
    /// `APP`, `PERSON` and so on; null if the source does not record a kind.
    kind: Option<String>,
    /// UUID of the target.
    uuid: Uuid,
}

/// An entry in a partner's timeline.
#[derive(serde::Serialize, OutputType)]
pub struct PartnerTimelineEntry {
    /// UUID of the entry.
    uuid: Uuid,
    /// Time of the entry.
    occurred_at: Time,
    /// Source of the entry.
    group: PartnerTimelineGroup,
    /// Kind of entry: `SUSPENDED`, `VERSION_PUBLISHED`, `SIGN_IN`, or the operation's name for the audit log.
    kind: String,
    /// Outcome: `SUCCEEDED`, `REFUSED` or `FAILED`.
    outcome: String,
    /// Actor; null if the source records only the target.
    actor: Option<PartnerTimelineActor>,
    /// Target of the action. Null if the target is the partner itself.
    subject: Option<PartnerTimelineSubject>,
    /// Reason, if one was given.
    reason: Option<String>,
    /// Further data of the entry.
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
