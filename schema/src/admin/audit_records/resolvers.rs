//! Operations on audit records and the scopes that they require.

use async_graphql::{Context, Object};
use labs_core::access::{access, answers_file, audit_partner, audit_target, batched};
use labs_core::audit_chain;
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{Download, RequestContextExt};
use labs_core::fault::Fault;
use labs_core::list::{FixedOrder, PageRequest};
use labs_core::page::CountedList;
use labs_core::words::Word as _;
use uuid::Uuid;

use super::list::{AUDIT_RECORDS, AuditRecordFilter, AuditRecordSort, BY_ID};
use super::record::AuditRecord;
use super::summary::list::SUMMARY;
use super::summary::{AuditCount, AuditDimension, GroupBy, Summed};
use super::verification::{self, AuditVerification, AuditVerificationInput};
use super::{export, store};

/// Queries of the audit log.
#[derive(Default)]
pub(crate) struct AuditRecordsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl AuditRecordsQuery {
    /// List audit records.
    #[graphql(
        directive = access::apply("labs.admin.audit".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_audit_records_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<AuditRecordFilter>,
        sort: Option<AuditRecordSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<AuditRecord>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = AUDIT_RECORDS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let total = AUDIT_RECORDS.total(&cx.db, &filter, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(row.into()))?.counted_list(total))
    }

    /// Get an audit record.
    #[graphql(
        directive = access::apply("labs.admin.audit".into()),
        directive = audit_target::apply(AuditTargetKind::AuditRecord, "record_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_audit_records_get(
        &self,
        ctx: &Context<'_>,
        record_uuid: Uuid,
    ) -> Result<Option<AuditRecord>, Fault> {
        let row = BY_ID.fetch_one(&ctx.cx().db, [record_uuid.into()]).await?;
        ctx.cx().answer(row.ok_or_else(|| Fault::not_found("audit record"))?.into())
    }

    /// Get a summary of audit records.
    #[graphql(
        directive = access::apply("labs.admin.audit".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_audit_records_summarise(
        &self,
        ctx: &Context<'_>,
        by: Option<Vec<AuditDimension>>,
        filter: Option<AuditRecordFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<AuditCount>>, Fault> {
        let cx = ctx.cx();
        let summed = Summed::bound_time(filter.unwrap_or_default(), GroupBy::read(by.as_deref()), cx.now)?;
        let rows = SUMMARY.page(cx, &summed, &PageRequest { sort: FixedOrder, limit, cursor }).await?;
        let total = SUMMARY.total(&cx.db, &summed, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(row.into()))?.counted_list(total))
    }

    /// Verify the hash chain of audit records.
    #[graphql(directive = access::apply("labs.admin.audit".into()))]
    async fn admin_audit_records_verify(
        &self,
        ctx: &Context<'_>,
        body: Option<AuditVerificationInput>,
    ) -> Result<Option<AuditVerification>, Fault> {
        let cx = ctx.cx();
        // The verification of archived records may be slow, so no transaction stays open for it. The data that it reads
        // never changes.
        cx.answer(
            verification::verify(&cx.db.outside_transaction(), &cx.services.media, &body.unwrap_or_default()).await?,
        )
    }

    /// Export audit records.
    #[graphql(
        directive = access::apply("labs.admin.audit".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = answers_file::apply(),
        visible = false
    )]
    async fn admin_audit_records_export(
        &self,
        ctx: &Context<'_>,
        filter: Option<AuditRecordFilter>,
        sort: Option<AuditRecordSort>,
    ) -> Result<Option<bool>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
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
        cx.answer(true)
    }
}
