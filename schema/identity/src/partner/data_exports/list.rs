//! The list of a partner's data exports, for its team and for staff.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::principal::PrincipalType;
use labs_core::time::Time;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::DataExportState;

/// A data export in its output form.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct ExportRow {
    /// UUID of the export.
    pub export_uuid: Uuid,
    pub(crate) state: DataExportState,
    pub(crate) requested_by_kind: PrincipalType,
    /// UUID of the user who requested it.
    pub requested_by: Uuid,
    pub(crate) reason: Option<String>,
    pub(crate) created_at: Time,
    pub(crate) started_at: Option<Time>,
    pub(crate) ended_at: Option<Time>,
    /// Number of attempts.
    pub attempts: i32,
    pub(crate) steps_done: i32,
    pub(crate) steps_total: i32,
    pub(crate) size_bytes: Option<i64>,
    pub(crate) expires_at: Option<Time>,
    /// Whether its object exists.
    pub(crate) is_kept: bool,
    /// Error of the last attempt.
    pub error: Option<String>,
}

/// Columns of data exports. An export is kept while its object exists.
static EXPORT: Select<ExportRow> = Select::new(
    "export_uuid, state, requested_by_kind, requested_by, reason, created_at, started_at, ended_at, attempts, steps_done,
     steps_total, size_bytes, expires_at, error,
     state = 'SUCCEEDED' and removed_at is null and expires_at > labs_now() as is_kept",
    "data_export",
);

/// Lookup of one data export of any partner.
pub(super) static ANY: Lookup<ExportRow> = Lookup::new(&EXPORT, &["export_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub struct DataExportFilter {
    state: Option<Vec<DataExportState>>,
}

/// Data exports of one partner.
#[derive(Debug, Serialize)]
pub struct ExportsOf {
    /// UUID of the partner.
    pub partner_uuid: Uuid,
    /// Filter of the data exports.
    pub filter: DataExportFilter,
}

/// A list query of data exports.
pub(super) type ExportList = ListQuery<ExportsOf, ExportRow, FixedOrder>;

/// List query of a partner's data exports for its team.
pub(super) static EXPORTS: ExportList = list_for("partner_data_exports_list");

/// List query of a partner's data exports for staff.
pub static EXPORTS_FOR_STAFF: ExportList = list_for("admin_data_exports_list");

/// Builds the list query, newest first.
const fn list_for(operation: &'static str) -> ExportList {
    ListQuery {
        operation,
        select: &EXPORT,
        within: &[Condition { sql: "partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
        conditions: &[Condition { sql: "state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) }],
        order: |_| const { &[CREATED.descending(), ID.descending()] },
    }
}

const ID: Key<ExportRow> = Key::id("export_uuid", |row| json!(row.export_uuid));
const CREATED: Key<ExportRow> = Key::moment("created_at", |row| json!(row.created_at));

/// Run-time SQL statements of data exports, which the compiler does not check.
pub(in crate::partner) static STATEMENTS: [&dyn Statements; 3] = [&EXPORTS, &EXPORTS_FOR_STAFF, &ANY];
