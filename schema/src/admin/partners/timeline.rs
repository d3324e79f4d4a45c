//! All that happened to a partner, as staff read it.

pub(super) mod list;

use async_graphql::SimpleObject;
use serde_json::Value;
use uuid::Uuid;

use crate::core::time::Time;
use crate::core::words::words;
use list::PartnerTimelineRow;

words! {
    /// Which ledger something stands in.
    pub(crate) enum PartnerTimelineGroup {
        /// The account's own history: company data, state, team, contacts, profile.
        Account = "ACCOUNT",
        /// The history of the subscription.
        Subscription = "SUBSCRIPTION",
        /// The histories of the partner's apps.
        Marketplace = "MARKETPLACE",
        /// The security ledger: sign-ins, factors, passwords, tokens.
        Security = "SECURITY",
        /// The audit log: what staff did and looked at.
        Audit = "AUDIT",
    }
}

/// Actor of a timeline entry.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerTimelineActor {
    /// Kind of actor: `PARTNER_USER`, `MACHINE_CLIENT`, `STAFF_USER`, `SYSTEM` or `ANONYMOUS`.
    kind: String,
    /// Who.
    uuid: Option<Uuid>,
    /// Their name.
    name: Option<String>,
}

/// Target of a timeline entry.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerTimelineSubject {
    /// `APP`, `PERSON` and so on; null where the ledger does not say.
    kind: Option<String>,
    /// Which.
    uuid: Uuid,
}

/// An entry in a partner's timeline.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerTimelineEntry {
    /// The entry.
    uuid: Uuid,
    /// Time of the entry.
    occurred_at: Time,
    /// Which ledger it stands in.
    group: PartnerTimelineGroup,
    /// What: `SUSPENDED`, `VERSION_PUBLISHED`, `SIGN_IN`, or the operation's name in the audit log.
    kind: String,
    /// Outcome: `SUCCEEDED`, `REFUSED` or `FAILED`.
    outcome: String,
    /// Who did it; null where the ledger tells only whom it concerns.
    actor: Option<PartnerTimelineActor>,
    /// Target of the action. Null if the target is the partner itself.
    subject: Option<PartnerTimelineSubject>,
    /// Reason, if one was given.
    reason: Option<String>,
    /// What there is to know besides.
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
