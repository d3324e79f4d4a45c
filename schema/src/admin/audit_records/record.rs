//! An audit record as it is shown: in the list, and line by line in the export. The order of the fields is the
//! contract's, because a line of the export is written straight from here.

use async_graphql::{Json, SimpleObject};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::list::AuditRecordRow;
use crate::core::time::Time;
use crate::core::words::words;

/// What one call of one operation did, who called it, and how it ended.
#[derive(SimpleObject, Serialize)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct AuditRecord {
    /// UUID of the audit record.
    uuid: Uuid,
    /// Start time of the transaction that wrote the record.
    recorded_at: Time,
    /// The operation, or the name of a command or job.
    operation: String,
    /// The way that the call came.
    channel: AuditChannel,
    /// How it ended.
    outcome: AuditOutcome,
    /// The problem's code; null when it succeeded.
    code: Option<String>,
    /// Who acted.
    actor: AuditActor,
    /// The scope that the operation needs.
    scope: Option<String>,
    /// What it was done to; null for nothing in particular.
    target: Option<AuditTarget>,
    /// The partner whom it concerns.
    pub(crate) partner_uuid: Option<Uuid>,
    /// The reason that the actor gave.
    reason: Option<String>,
    /// The request, as in the header `X-Request-Id` of its answer.
    request_id: Option<String>,
    /// The network address that the call came from.
    address: Option<String>,
    /// The difference that a write made, row by row, in order.
    changes: Vec<AuditChange>,
    /// Its place in the hash chain; null until it is sealed.
    sealed: Option<AuditSeal>,
}

words! {
    /// The way that a call came.
    pub(crate) enum AuditChannel {
        /// The public interface.
        Rest = "REST",
        /// A query of staff.
        Playground = "PLAYGROUND",
        /// An operator on the server.
        CommandLine = "COMMAND_LINE",
        /// The service by itself.
        Job = "JOB",
    }
}

words! {
    /// How a call ended.
    pub(crate) enum AuditOutcome {
        /// It was done.
        Succeeded = "SUCCEEDED",
        /// A rule or a right stood against it; nothing was changed.
        Refused = "REFUSED",
        /// Something broke; nothing was changed.
        Failed = "FAILED",
    }
}

words! {
    /// The kinds of actor.
    pub(crate) enum AuditActorKind {
        /// A person in a partner's team.
        PartnerUser = "PARTNER_USER",
        /// A program.
        MachineClient = "MACHINE_CLIENT",
        /// An internal person.
        StaffUser = "STAFF_USER",
        /// The service by itself, or whoever ran a command on its server.
        System = "SYSTEM",
        /// Somebody who is not known.
        Anonymous = "ANONYMOUS",
    }
}

/// Actor of an operation, as known at the time of the call.
#[derive(SimpleObject, Serialize)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct AuditActor {
    /// What kind of actor.
    pub(super) kind: AuditActorKind,
    /// The person or program.
    pub(crate) uuid: Option<Uuid>,
    /// Name at the time of the call.
    pub(super) label: Option<String>,
}

/// Target of an operation, as known at the time of the call.
#[derive(SimpleObject, Serialize)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct AuditTarget {
    /// The kind of thing.
    pub(crate) kind: String,
    /// The thing's uuid.
    pub(crate) uuid: Option<Uuid>,
    /// Name at the time of the call.
    label: Option<String>,
}

/// What became of one row.
#[derive(SimpleObject, Serialize, Deserialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AuditChange {
    /// Kind of the changed row, as the name of its table.
    thing: String,
    /// Kind of change.
    action: AuditChangeAction,
    /// The thing's uuid.
    uuid: Option<Uuid>,
    /// The fields that changed, as they were; null for what was created.
    before: Option<Json<Value>>,
    /// The fields that changed, as they are since; null for what was deleted.
    after: Option<Json<Value>>,
}

words! {
    /// What was done with a row.
    pub(crate) enum AuditChangeAction {
        /// It was created.
        Insert = "INSERT",
        /// Fields of it were changed.
        Update = "UPDATE",
        /// It was deleted.
        Delete = "DELETE",
    }
}

/// A place in the hash chain.
#[derive(SimpleObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AuditSeal {
    /// Position in the chain. Positions start at 1 and have no gaps.
    position: i64,
    /// SHA-256 over the preceding hash and this record, as 64 hexadecimal digits.
    hash: String,
}

impl From<AuditRecordRow> for AuditRecord {
    fn from(row: AuditRecordRow) -> Self {
        Self {
            uuid: row.record_uuid,
            recorded_at: row.recorded_at,
            operation: row.operation,
            channel: row.channel,
            outcome: row.outcome,
            code: row.code,
            actor: AuditActor { kind: row.actor_kind, uuid: row.actor_uuid, label: row.actor_label },
            scope: row.scope,
            target: target(row.target_kind, row.target_uuid, row.target_label),
            partner_uuid: row.partner_uuid,
            reason: row.reason,
            request_id: row.request_id,
            address: row.address,
            changes: row.changes.0,
            sealed: row.position.zip(row.hash).map(|(position, hash)| AuditSeal { position, hash: hex::encode(hash) }),
        }
    }
}

/// Kinds stand in the log as the engine found them: named by whoever did it, or after a path's variable.
fn target(kind: Option<String>, uuid: Option<Uuid>, label: Option<String>) -> Option<AuditTarget> {
    if kind.is_none() && uuid.is_none() {
        return None;
    }
    let kind = kind.map_or_else(|| "THING".to_owned(), |kind| kind.to_uppercase());
    Some(AuditTarget { kind, uuid, label })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_about_nothing_in_particular_has_no_target() {
        assert!(target(None, None, None).is_none());
        assert_eq!(target(Some("client".to_owned()), None, None).unwrap().kind, "CLIENT");
        assert_eq!(target(None, Some(Uuid::nil()), None).unwrap().kind, "THING");
    }
}
