//! Operations of staff on tier change requests.

use async_graphql::{Context, Object};
use labs_core::access::{access, audit_partner, audit_target, partner_reads};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, RequestContextExt, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use uuid::Uuid;

use super::list::{REQUESTS, TierChangeRequestFilter};
use crate::admin::reason::{Reason, Remark};
use crate::subscription::change_requests::{self, TierChangeRequest, TierChangeRequestAction};

/// Queries for tier change requests.
#[derive(Default)]
pub(crate) struct TierChangeRequestsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TierChangeRequestsQuery {
    /// List tier change requests across partners.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_tier_change_requests_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<TierChangeRequestFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<TierChangeRequest>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = REQUESTS.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?;
        let rows = rows.map(|request| Ok(request.for_caller(cx, true)))?;
        cx.answer_list(rows.counted_list(REQUESTS.total(&cx.db, &filter, include_total).await?))
    }
}

/// Mutations of tier change requests.
#[derive(Default)]
pub(crate) struct TierChangeRequestsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TierChangeRequestsMutation {
    /// Approve a partner's tier change request.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_target::apply(AuditTargetKind::TierChangeRequest, "request_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_tier_change_requests_approve(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<TierChangeRequest>, Fault> {
        let said = body.and_then(Remark::into_text);
        ctx.cx().answer(decide(ctx.cx(), request_uuid, TierChangeRequestAction::Approve, said.as_deref()).await?)
    }

    /// Reject a partner's tier change request.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_target::apply(AuditTargetKind::TierChangeRequest, "request_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn admin_tier_change_requests_reject(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<TierChangeRequest>, Fault> {
        ctx.cx().answer(decide(ctx.cx(), request_uuid, TierChangeRequestAction::Reject, Some(&body.into_text())).await?)
    }
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
