//! The list of counts. A dimension that is not counted is empty in every row.

use labs_core::list::{Condition, FixedOrder, Key, PlacedValue, SqlValue, WrittenQuery};
use serde_json::json;
use uuid::Uuid;

use super::super::record::{AuditActorKind, AuditOutcome};
use super::Summed;

/// Number of records with equal dimensions.
#[derive(sqlx::FromRow)]
pub(in super::super) struct AuditCountRow {
    pub(super) day: Option<String>,
    pub(super) operation: Option<String>,
    pub(super) outcome: Option<AuditOutcome>,
    pub(super) actor_kind: Option<AuditActorKind>,
    /// Nil for an actor without a UUID.
    pub(super) actor_uuid: Option<Uuid>,
    /// Label of the actor in their latest record, looked up only for the rows of the page.
    pub(super) actor_label: Option<String>,
    pub(super) records: i64,
}

/// List query of the counts.
pub(in super::super) static SUMMARY: WrittenQuery<Summed, AuditCountRow, FixedOrder> = WrittenQuery {
    operation: "admin_audit_records_summarise",
    rows: "select day, operation, outcome, actor_kind, actor_uuid, records,
                  (select l.actor_label from audit_log as l where l.actor_uuid = counted.actor_uuid
                    order by l.recorded_at desc, l.record_uuid desc limit 1) as actor_label
             from (
                 select case when {by_day} then to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD') end as day,
                        case when {by_operation} then operation end as operation,
                        case when {by_outcome} then outcome end as outcome,
                        case when {by_actor} then actor_kind end as actor_kind,
                        case when {by_actor} then coalesce(actor_uuid, '00000000-0000-0000-0000-000000000000') end
                            as actor_uuid,
                        count(*) as records
                   from audit_log
                  where recorded_at >= {from} and recorded_at < {until} and {narrowed}
                  group by 1, 2, 3, 4, 5
             ) as counted
            where {behind}",
    count: "select count(*) from (
                select from audit_log
                 where recorded_at >= {from} and recorded_at < {until} and {narrowed}
                 group by case when {by_day} then (recorded_at at time zone 'UTC')::date end,
                       case when {by_operation} then operation end, case when {by_outcome} then outcome end,
                       case when {by_actor} then actor_kind end, case when {by_actor} then actor_uuid end
            ) as counted",
    values: &[
        PlacedValue { name: "from", value: |summed| Some(summed.from.into()) },
        PlacedValue { name: "until", value: |summed| Some(summed.until.into()) },
        PlacedValue { name: "by_day", value: |summed| Some(summed.group_by.day.into()) },
        PlacedValue { name: "by_operation", value: |summed| Some(summed.group_by.operation.into()) },
        PlacedValue { name: "by_outcome", value: |summed| Some(summed.group_by.outcome.into()) },
        PlacedValue { name: "by_actor", value: |summed| Some(summed.group_by.actor.into()) },
    ],
    conditions: &[
        Condition { sql: "actor_uuid = any({})", value: |summed| SqlValue::ids(summed.filter.actor_uuid.as_ref()) },
        Condition { sql: "actor_kind = any({})", value: |summed| SqlValue::words(summed.filter.actor_kind.as_ref()) },
        Condition { sql: "operation = any({})", value: |summed| SqlValue::texts(summed.filter.operation.as_ref()) },
        Condition { sql: "outcome = any({})", value: |summed| SqlValue::words(summed.filter.outcome.as_ref()) },
        Condition { sql: "code = any({})", value: |summed| SqlValue::texts(summed.filter.code.as_ref()) },
        Condition { sql: "target_uuid = any({})", value: |summed| SqlValue::ids(summed.filter.target_uuid.as_ref()) },
        Condition { sql: "partner_uuid = any({})", value: |summed| SqlValue::ids(summed.filter.partner_uuid.as_ref()) },
        Condition { sql: "request_id = any({})", value: |summed| SqlValue::texts(summed.filter.request_id.as_ref()) },
        Condition { sql: "channel = any({})", value: |summed| SqlValue::words(summed.filter.channel.as_ref()) },
    ],
    order: |FixedOrder| const { &[DAY, OPERATION, OUTCOME, ACTOR_KIND, ACTOR] },
};

const DAY: Key<AuditCountRow> = Key::text("coalesce(day, '')", |row| json!(row.day.as_deref().unwrap_or_default()));
const OPERATION: Key<AuditCountRow> =
    Key::text("coalesce(operation, '')", |row| json!(row.operation.as_deref().unwrap_or_default()));
const OUTCOME: Key<AuditCountRow> =
    Key::text("coalesce(outcome, '')", |row| json!(row.outcome.map(AuditOutcome::name).unwrap_or_default()));
const ACTOR_KIND: Key<AuditCountRow> =
    Key::text("coalesce(actor_kind, '')", |row| json!(row.actor_kind.map(AuditActorKind::name).unwrap_or_default()));
const ACTOR: Key<AuditCountRow> = Key::id("coalesce(actor_uuid, '00000000-0000-0000-0000-000000000000')", |row| {
    json!(row.actor_uuid.unwrap_or_default())
});
