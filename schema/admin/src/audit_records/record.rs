//! The representation of an audit record in the list and in the lines of the export. The fields follow the order of the
//! contract, because the export serializes this type directly.

use labs_core::describe::{Json, OutputType};
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::list::AuditRecordRow;

/// Actor, effect and outcome of one operation call. The service writes the record in the same transaction as the
/// response and never changes it.
#[derive(OutputType, Serialize)]
pub struct AuditRecord {
    /// UUID of the audit record.
    uuid: Uuid,
    /// Start time of the transaction that wrote the record.
    recorded_at: Time,
    /// Operation id in this contract, or the id of a command or job.
    operation: String,
    /// Channel through which the call arrived.
    channel: AuditChannel,
    /// Outcome of the call.
    outcome: AuditOutcome,
    /// Code of the problem document, such as `SCOPE_MISSING`. Null if the operation succeeded.
    code: Option<String>,
    /// Actor of the call.
    actor: AuditActor,
    /// Scope that the operation requires. Null for a command or job.
    scope: Option<String>,
    /// Target of the operation. Null if the operation has no specific target, such as a list.
    target: Option<AuditTarget>,
    /// Partner that the operation concerns, if any.
    pub(crate) partner_uuid: Option<Uuid>,
    /// Reason that the actor gave, if the operation asks for a reason.
    reason: Option<String>,
    /// Id of the request, as in the header `X-Request-Id` of its response. Null for a command or job.
    request_id: Option<String>,
    /// Network address of the caller. Null for a command or job.
    address: Option<String>,
    /// Difference that a write made, row by row, in order. It never contains secrets, hashes or second-factor data.
    /// Empty for a read, and for a refused or failed operation.
    changes: Vec<AuditChange>,
    /// Seal of the record in the hash chain. Null until the service seals the record, within a second after writing it.
    sealed: Option<AuditSeal>,
}

words! {
    /// Channel of the call.
    pub enum AuditChannel {
        /// This API.
        Rest = "REST",
        /// A staff member's query in the playground.
        Playground = "PLAYGROUND",
        /// A command that an operator ran on the server.
        CommandLine = "COMMAND_LINE",
        /// The service itself.
        Job = "JOB",
    }
}

words! {
    /// Outcome of the operation. A refused or failed operation changed nothing.
    pub enum AuditOutcome {
        /// The operation was completed.
        Succeeded = "SUCCEEDED",
        /// A rule or a missing permission prevented the operation.
        Refused = "REFUSED",
        /// An error occurred.
        Failed = "FAILED",
    }
}

words! {
    /// Kind of actor.
    pub enum AuditActorKind {
        /// A user of a partner's team.
        PartnerUser = "PARTNER_USER",
        /// A machine client.
        MachineClient = "MACHINE_CLIENT",
        /// A staff member.
        StaffUser = "STAFF_USER",
        /// The service itself, or an operator who ran a command on its server.
        System = "SYSTEM",
        /// An unidentified caller.
        Anonymous = "ANONYMOUS",
    }
}

/// Actor of an operation, as known at the time of the call.
#[derive(OutputType, Serialize)]
pub struct AuditActor {
    /// Kind of actor.
    pub(super) kind: AuditActorKind,
    /// UUID of the user or machine client. Null for `SYSTEM` and `ANONYMOUS`.
    pub(crate) uuid: Option<Uuid>,
    /// Name at the time of the call.
    pub(super) label: Option<String>,
}

/// Target of an operation, as known at the time of the call.
#[derive(OutputType, Serialize)]
pub struct AuditTarget {
    /// Kind of the target. Kinds may be added.
    pub(crate) kind: String,
    /// UUID of the object, if it has one.
    pub(crate) uuid: Option<Uuid>,
    /// Name at the time of the call.
    label: Option<String>,
}

/// Change to one row.
#[derive(OutputType, Serialize, Deserialize)]
pub(super) struct AuditChange {
    /// Kind of the changed row, as the name of its table.
    thing: String,
    /// Kind of change.
    action: AuditChangeAction,
    /// UUID of the object, if it has one.
    uuid: Option<Uuid>,
    /// Changed fields with their former values. Null for a created row.
    before: Option<Json<Value>>,
    /// Changed fields with their new values. Null for a deleted row.
    after: Option<Json<Value>>,
}

words! {
    /// Kind of change of a row.
    pub enum AuditChangeAction {
        /// The row was created.
        Insert = "INSERT",
        /// Fields of the row were changed.
        Update = "UPDATE",
        /// The row was deleted.
        Delete = "DELETE",
    }
}

/// Position in the hash chain. The hash of each record covers the hash of the preceding record.
#[derive(OutputType, Serialize)]
pub(super) struct AuditSeal {
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
            target: read_target(row.target_kind, row.target_uuid, row.target_label),
            partner_uuid: row.partner_uuid,
            reason: row.reason,
            request_id: row.request_id,
            address: row.address,
            changes: row.changes.0,
            sealed: row.position.zip(row.hash).map(|(position, hash)| AuditSeal { position, hash: hex::encode(hash) }),
        }
    }
}

/// Converts the target columns. The log stores kinds as the engine found them: named by the operation's code or taken
/// from the name of a path variable.
fn read_target(kind: Option<String>, uuid: Option<Uuid>, label: Option<String>) -> Option<AuditTarget> {
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
    fn audit_record_without_target_has_none() {
        assert!(read_target(None, None, None).is_none());
        assert_eq!(read_target(Some("client".to_owned()), None, None).unwrap().kind, "CLIENT");
        assert_eq!(read_target(None, Some(Uuid::nil()), None).unwrap().kind, "THING");
    }
}
