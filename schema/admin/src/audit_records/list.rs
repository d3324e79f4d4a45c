//! The lookup of one audit record and the list of audit records, with its filters and orders.

use labs_core::describe::InputType;
use labs_core::list::{Condition, IndexedFilter, Key, LogQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::record::{AuditActorKind, AuditChange, AuditChannel, AuditOutcome};
use super::summary::list::SUMMARY;

/// An audit record with its differences and its seal.
#[derive(sqlx::FromRow)]
pub(super) struct AuditRecordRow {
    pub(super) record_uuid: Uuid,
    pub(super) recorded_at: Time,
    pub(super) operation: String,
    pub(super) channel: AuditChannel,
    pub(super) outcome: AuditOutcome,
    pub(super) code: Option<String>,
    pub(super) actor_kind: AuditActorKind,
    pub(super) actor_uuid: Option<Uuid>,
    pub(super) actor_label: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) target_kind: Option<String>,
    pub(super) target_uuid: Option<Uuid>,
    pub(super) target_label: Option<String>,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) reason: Option<String>,
    pub(super) request_id: Option<String>,
    pub(super) address: Option<String>,
    pub(super) changes: Json<Vec<AuditChange>>,
    pub(super) position: Option<i64>,
    pub(super) hash: Option<Vec<u8>>,
}

const COLUMNS: &str = "entry.record_uuid, entry.recorded_at, entry.operation, entry.channel, entry.outcome, entry.code,
     entry.actor_kind, entry.actor_uuid, entry.actor_label, entry.scope, entry.target_kind, entry.target_uuid,
     entry.target_label, entry.partner_uuid, entry.reason, entry.request_id, host(entry.address) as address, coalesce((
         select jsonb_agg(jsonb_build_object('thing', thing, 'action', action, 'uuid', thing_uuid, 'before', before,
                    'after', after) order by change.position)
           from (select * from audit_change where record_uuid = entry.record_uuid order by position limit 10000) as change
     ), '[]') as changes, seal.position, seal.hash";

/// Joins the seal of each record through its index, regardless of the estimated row count. Otherwise the planner would
/// read all seals at once.
macro_rules! sealed {
    () => {
        "left join lateral (select * from audit_seal where record_uuid = entry.record_uuid limit 1) as seal on true"
    };
}

static WHOLE: Select<AuditRecordRow> = Select::new(COLUMNS, concat!("audit_log as entry ", sealed!()));

/// Lookup of one audit record by its id.
pub(super) static BY_ID: Lookup<AuditRecordRow> = Lookup::new(&WHOLE, &["entry.record_uuid = {}"]);

/// Filter of the list, the summary and the export. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct AuditRecordFilter {
    pub(super) actor_uuid: Option<Vec<Uuid>>,
    pub(super) actor_kind: Option<Vec<AuditActorKind>>,
    pub(super) operation: Option<Vec<String>>,
    pub(super) outcome: Option<Vec<AuditOutcome>>,
    pub(super) code: Option<Vec<String>>,
    pub(super) target_uuid: Option<Vec<Uuid>>,
    pub(super) partner_uuid: Option<Vec<Uuid>>,
    pub(super) request_id: Option<Vec<String>>,
    pub(super) channel: Option<Vec<AuditChannel>>,
    pub(super) recorded_at_from: Option<Time>,
    pub(super) recorded_at_until: Option<Time>,
}

words! {
    /// Orders of the audit log.
    pub enum AuditRecordSort {
        /// Newest first.
        RecordedAtDesc = "RECORDED_AT_DESC",
        /// Oldest first.
        RecordedAt = "RECORDED_AT",
    }
}

/// List query of the audit log.
pub(super) static AUDIT_RECORDS: LogQuery<AuditRecordFilter, AuditRecordRow, AuditRecordSort> = LogQuery {
    operation: "admin_audit_records_list",
    table: "audit_log",
    columns: COLUMNS,
    joined: sealed!(),
    filters: &[
        IndexedFilter {
            column: "request_id",
            kind: "text",
            values: |filter| SqlValue::texts(filter.request_id.as_ref()),
        },
        IndexedFilter {
            column: "target_uuid",
            kind: "uuid",
            values: |filter| SqlValue::ids(filter.target_uuid.as_ref()),
        },
        IndexedFilter {
            column: "actor_uuid",
            kind: "uuid",
            values: |filter| SqlValue::ids(filter.actor_uuid.as_ref()),
        },
        IndexedFilter {
            column: "partner_uuid",
            kind: "uuid",
            values: |filter| SqlValue::ids(filter.partner_uuid.as_ref()),
        },
        IndexedFilter { column: "code", kind: "text", values: |filter| SqlValue::texts(filter.code.as_ref()) },
        IndexedFilter {
            column: "operation",
            kind: "text",
            values: |filter| SqlValue::texts(filter.operation.as_ref()),
        },
        IndexedFilter { column: "outcome", kind: "text", values: |filter| SqlValue::words(filter.outcome.as_ref()) },
        IndexedFilter { column: "channel", kind: "text", values: |filter| SqlValue::words(filter.channel.as_ref()) },
        IndexedFilter {
            column: "actor_kind",
            kind: "text",
            values: |filter| SqlValue::words(filter.actor_kind.as_ref()),
        },
    ],
    conditions: &[
        Condition { sql: "recorded_at >= {}", value: |filter| filter.recorded_at_from.map(SqlValue::from) },
        Condition { sql: "recorded_at < {}", value: |filter| filter.recorded_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        AuditRecordSort::RecordedAtDesc => const { &[RECORDED.descending(), ID.descending()] },
        AuditRecordSort::RecordedAt => const { &[RECORDED, ID] },
    },
};

const ID: Key<AuditRecordRow> = Key::id("record_uuid", |row| json!(row.record_uuid));
const RECORDED: Key<AuditRecordRow> = Key::moment("recorded_at", |row| json!(row.recorded_at));

/// Run-time SQL statements of the audit log, which the compiler does not check.
pub static STATEMENTS: [&dyn Statements; 3] = [&AUDIT_RECORDS, &SUMMARY, &BY_ID];
