//! Operations on audit records and the scopes that they require.

use labs_core::audit_chain;
use labs_core::context::{Download, RequestContext};
use labs_core::fault::Fault;
use labs_core::list::{FixedOrder, PageRequest};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::words::Word as _;
use uuid::Uuid;

use super::list::{AUDIT_RECORDS, AuditRecordFilter, AuditRecordSort, BY_ID};
use super::record::AuditRecord;
use super::summary::list::SUMMARY;
use super::summary::{AuditCount, AuditDimension, GroupBy, Summed};
use super::verification::{self, AuditVerification, AuditVerificationInput};
use super::{export, store};

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![
    admin_audit_records_list,
    admin_audit_records_get,
    admin_audit_records_summarise,
    admin_audit_records_verify,
    admin_audit_records_export,
];

/// List audit records.
#[operation(query, access = "labs.admin.audit", audit_partner = "partner_uuid")]
async fn admin_audit_records_list(
    cx: &RequestContext,
    filter: Option<AuditRecordFilter>,
    sort: Option<AuditRecordSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<AuditRecord>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = AUDIT_RECORDS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = AUDIT_RECORDS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(row.into()))?.counted_list(total))
}

/// Get an audit record.
#[operation(query, access = "labs.admin.audit", audit_target(AuditRecord, "record_uuid"), batched)]
async fn admin_audit_records_get(cx: &RequestContext, record_uuid: Uuid) -> Result<AuditRecord, Fault> {
    let row = BY_ID.fetch_one(&cx.db, [record_uuid.into()]).await?;
    Ok(row.ok_or_else(|| Fault::not_found("audit record"))?.into())
}

/// Get a summary of audit records.
#[operation(query, access = "labs.admin.audit", audit_partner = "partner_uuid")]
async fn admin_audit_records_summarise(
    cx: &RequestContext,
    by: Option<Vec<AuditDimension>>,
    filter: Option<AuditRecordFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<AuditCount>, Fault> {
    let summed = Summed::bound_time(filter.unwrap_or_default(), GroupBy::read(by.as_deref()), cx.now)?;
    let rows = SUMMARY.page(cx, &summed, &PageRequest { sort: FixedOrder, limit, cursor }).await?;
    let total = SUMMARY.total(&cx.db, &summed, include_total).await?;
    Ok(rows.map(|row| Ok(row.into()))?.counted_list(total))
}

/// Verify the hash chain of audit records.
#[operation(query, access = "labs.admin.audit")]
async fn admin_audit_records_verify(
    cx: &RequestContext,
    body: Option<AuditVerificationInput>,
) -> Result<AuditVerification, Fault> {
    // The verification of archived records may be slow, so no transaction stays open for it. The data that it reads
    // never changes.
    verification::verify(&cx.db.outside_transaction(), &cx.services.media, &body.unwrap_or_default()).await
}

/// Export audit records.
#[operation(query, access = "labs.admin.audit", audit_partner = "partner_uuid", answers_file)]
async fn admin_audit_records_export(
    cx: &RequestContext,
    filter: Option<AuditRecordFilter>,
    sort: Option<AuditRecordSort>,
) -> Result<bool, Fault> {
    let filter = filter.unwrap_or_default();
    let present = store::now(&cx.db).await?;
    let wanted = filter.recorded_at_until.map_or(present, |until| until.min(present));
    let until = store::complete_until(&cx.db, wanted).await?;
    let filter = AuditRecordFilter { recorded_at_until: Some(until), ..filter };
    let chain_head = audit_chain::head(&cx.db).await?;
    cx.deliver(Download {
        media_type: "application/x-ndjson".to_owned(),
        length: None,
        etag: None,
        sha256: None,
        file_name: "audit-records.ndjson".to_owned(),
        chain_head,
        stream: export::lines(cx.db.outside_transaction(), filter, sort.unwrap_or(AuditRecordSort::FIRST)),
    });
    Ok(true)
}
