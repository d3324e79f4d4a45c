//! Operations of staff on tier change requests.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use uuid::Uuid;

use super::list::{REQUESTS, TierChangeRequestFilter};
use crate::reason::{Reason, Remark};
use labs_subscription::change_requests::{self, TierChangeRequest, TierChangeRequestAction};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    admin_tier_change_requests_list,
    admin_tier_change_requests_approve,
    admin_tier_change_requests_reject,
];

/// List tier change requests across partners.
#[operation(query, access = "labs.admin.subscriptions", audit_partner = "partner_uuid")]
async fn admin_tier_change_requests_list(
    cx: &RequestContext,
    filter: Option<TierChangeRequestFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<TierChangeRequest>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = REQUESTS.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?;
    let rows = rows.map(|request| Ok(request.for_caller(cx, true)))?;
    Ok(rows.counted_list(REQUESTS.total(&cx.db, &filter, include_total).await?))
}

/// Approve a partner's tier change request.
#[operation(
    mutation,
    access = "labs.admin.subscriptions:write",
    audit_target(TierChangeRequest, "request_uuid"),
    partner_reads = "reason"
)]
async fn admin_tier_change_requests_approve(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: Option<Remark>,
) -> Result<TierChangeRequest, Fault> {
    let said = body.and_then(Remark::into_text);
    decide(cx, request_uuid, TierChangeRequestAction::Approve, said.as_deref()).await
}

/// Reject a partner's tier change request.
#[operation(
    mutation,
    access = "labs.admin.subscriptions:write",
    audit_target(TierChangeRequest, "request_uuid"),
    partner_reads = "reason"
)]
async fn admin_tier_change_requests_reject(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: Reason,
) -> Result<TierChangeRequest, Fault> {
    decide(cx, request_uuid, TierChangeRequestAction::Reject, Some(&body.into_text())).await
}

/// Decides a request and names it in the audit record.
async fn decide(
    cx: &RequestContext,
    request_uuid: Uuid,
    action: TierChangeRequestAction,
    reason: Option<&str>,
) -> Result<TierChangeRequest, Fault> {
    let request = change_requests::settle_request(cx, request_uuid, action, reason, None).await?;
    let (partner_uuid, company_name) = request.partner();
    cx.note_target(Target {
        kind: Some(AuditTargetKind::TierChangeRequest),
        uuid: Some(request_uuid),
        label: Some(company_name.to_owned()),
        partner_uuid: Some(partner_uuid),
    });
    Ok(request)
}
