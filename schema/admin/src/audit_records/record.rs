//! The representation of an audit record in the list and in the lines of the export. The fields follow the order of the
//! contract, because the export serializes this type directly.

use labs_core::describe::{Json, OutputType};
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::list::AuditRecordRow;

/// Action of one operation call, with its actor and its outcome.
#[derive(OutputType, Serialize)]
pub struct AuditRecord {
    /// UUID of the audit record.
    uuid: Uuid,
    /// Start time of the transaction that wrote the record.
    recorded_at: Time,
    /// Operation id, or the name of a command or job.
    operation: String,
    /// Channel through which the call arrived.
    channel: AuditChannel,
    /// Outcome of the call.
    outcome: AuditOutcome,
    /// Code of the problem document; null if the call succeeded.
    code: Option<String>,
    /// Actor of the call.
    actor: AuditActor,
    /// Scope that the operation requires.
    scope: Option<String>,
    /// Target of the call; null if the call has no particular target.
    target: Option<AuditTarget>,
    /// UUID of the partner that the call concerns.
    pub(crate) partner_uuid: Option<Uuid>,
    /// Reason that the actor gave.
    reason: Option<String>,
    /// Request id, as in the header `X-Request-Id` of the response.
    request_id: Option<String>,
    /// Network address from which the call came.
    address: Option<String>,
    /// Differences that a write made, row by row, in order.
    changes: Vec<AuditChange>,
    /// Position in the hash chain; null until the record is sealed.
    sealed: Option<AuditSeal>,
}

words! {
    /// Channel through which a call arrived.
    pub enum AuditChannel {
        /// The REST API.
        Rest = "REST",
        /// A query of a staff member in the playground.
        Playground = "PLAYGROUND",
        /// An operator on the command line of the server.
        CommandLine = "COMMAND_LINE",
        /// A job of the service.
        Job = "JOB",
    }
}

words! {
    /// Outcome of a call.
    pub enum AuditOutcome {
        /// The call succeeded.
        Succeeded = "SUCCEEDED",
        /// A rule or a missing permission rejected the call; nothing was changed.
        Refused = "REFUSED",
        /// An internal error occurred; nothing was changed.
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
        /// The service itself, or an operator who ran a command on the server.
        System = "SYSTEM",
        /// An unauthenticated caller.
        Anonymous = "ANONYMOUS",
    }
}

/// Actor of an operation, as known at the time of the call.
#[derive(OutputType, Serialize)]
pub struct AuditActor {
    /// Kind of actor.
    pub(super) kind: AuditActorKind,
    /// UUID of the user or machine client.
    pub(crate) uuid: Option<Uuid>,
    /// Name at the time of the call.
    pub(super) label: Option<String>,
}

/// Target of an operation, as known at the time of the call.
#[derive(OutputType, Serialize)]
pub struct AuditTarget {
    /// Kind of the target.
    pub(crate) kind: String,
    /// UUID of the target.
    pub(crate) uuid: Option<Uuid>,
    /// Name at the time of the call.
    label: Option<String>,
}

/// Change of one row.
#[derive(OutputType, Serialize, Deserialize)]
pub(super) struct AuditChange {
    /// Kind of the changed row, as the name of its table.
    thing: String,
    /// Kind of change.
    action: AuditChangeAction,
    /// UUID of the changed object.
    uuid: Option<Uuid>,
    /// Changed fields before the change; null for a created row.
    before: Option<Json<Value>>,
    /// Changed fields after the change; null for a deleted row.
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

/// Position in the hash chain.
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
