//! Operations of staff on data exports.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use uuid::Uuid;

use crate::reason::Reason;
use labs_identity::partner::data_exports::{
    self, DataExport, DataExportFilter, EXPORTS_FOR_STAFF, ExportRow, ExportsOf,
};
use labs_identity::partner::team::Team;

/// A data export, as staff see it.
#[derive(serde::Serialize, OutputType)]
pub(super) struct StaffDataExport {
    /// Representation that the partner sees.
    #[serde(flatten)]
    export: DataExport,
    /// UUID of the requester, who may be a staff member.
    asked_by_uuid: Uuid,
    /// Number of runs that started this export.
    attempts: i32,
    /// Error of the last failed run.
    error: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![admin_data_exports_list, admin_data_exports_create];

/// List a partner's data exports.
#[operation(query, access = "labs.admin.partners", audit_partner = "partner_uuid")]
async fn admin_data_exports_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<DataExportFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<StaffDataExport>, Fault> {
    note(cx, None, partner_uuid);
    let exports = ExportsOf { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = EXPORTS_FOR_STAFF.page(cx, &exports, &PageRequest::new(None, limit, cursor)).await?;
    Team::named(cx, partner_uuid).await?;
    let total = EXPORTS_FOR_STAFF.total(&cx.db, &exports, include_total).await?;
    Ok(rows.map(|row| Ok(row.into()))?.counted_list(total))
}

/// Create a data export for a partner.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid", partner_reads = "reason")]
async fn admin_data_exports_create(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: Reason,
) -> Result<StaffDataExport, Fault> {
    note(cx, None, partner_uuid);
    let reason = body.note(cx);
    let row = data_exports::request(cx, partner_uuid, Some(&reason)).await?;
    note(cx, Some(row.export_uuid), partner_uuid);
    Ok(row.into())
}

fn note(cx: &RequestContext, export_uuid: Option<Uuid>, partner_uuid: Uuid) {
    let kind = if export_uuid.is_some() { AuditTargetKind::DataExport } else { AuditTargetKind::Partner };
    let uuid = export_uuid.or(Some(partner_uuid));
    cx.note_target(Target { kind: Some(kind), uuid, label: None, partner_uuid: Some(partner_uuid) });
}

impl From<ExportRow> for StaffDataExport {
    fn from(row: ExportRow) -> Self {
        let (asked_by_uuid, attempts, error) = (row.requested_by, row.attempts, row.error.clone());
        Self { export: row.into(), asked_by_uuid, attempts, error }
    }
}
