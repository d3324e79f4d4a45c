//! What operators may ask about requests for another tier.

use async_graphql::{Context, Object};
use uuid::Uuid;

use super::list::{REQUESTS, TierChangeRequestFilter};
use crate::access::{access, audit_partner, audit_target};
use crate::admin::reason::{Reason, Remark};
use crate::ask::{Ask, Asking, Target};
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::page::CountedList;
use crate::subscription::change_requests::{self, TierChangeRequest, TierChangeRequestAction};

/// Reads of requests.
#[derive(Default)]
pub(crate) struct TierChangeRequestsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TierChangeRequestsQuery {
    /// Everybody's requests, undecided ones first.
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
        let (ask, filter) = (ctx.ask(), filter.unwrap_or_default());
        let rows = REQUESTS.page(ask, &filter, &PageRequest::new(None, limit, cursor)).await?;
        ask.answer_list(rows.counted_list(REQUESTS.total(&ask.db, &filter, include_total).await?))
    }
}

/// Writes of requests.
#[derive(Default)]
pub(crate) struct TierChangeRequestsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TierChangeRequestsMutation {
    /// Applies the tier that a partner asked for.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_target::apply("request".into(), "request_uuid".into())
    )]
    async fn admin_tier_change_requests_approve(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: Option<Remark>,
    ) -> Result<Option<TierChangeRequest>, Fault> {
        let said = body.and_then(Remark::into_text);
        ctx.ask().answer(decided(ctx.ask(), request_uuid, TierChangeRequestAction::Approve, said.as_deref()).await?)
    }

    /// Refuses the tier that a partner asked for.
    #[graphql(
        directive = access::apply("labs.admin.subscriptions:write".into()),
        directive = audit_target::apply("request".into(), "request_uuid".into())
    )]
    async fn admin_tier_change_requests_reject(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: Reason,
    ) -> Result<Option<TierChangeRequest>, Fault> {
        ctx.ask().answer(decided(ctx.ask(), request_uuid, TierChangeRequestAction::Reject, Some(&body.said())).await?)
    }
}

/// Decides a request, and names it to the audit record.
async fn decided(
    ask: &Ask,
    request_uuid: Uuid,
    action: TierChangeRequestAction,
    reason: Option<&str>,
) -> Result<TierChangeRequest, Fault> {
    let request = change_requests::decided(ask, request_uuid, action, reason, None).await?;
    let (partner_uuid, company_name) = request.partner();
    ask.note_target(Target {
        kind: Some("TIER_CHANGE_REQUEST".to_owned()),
        uuid: Some(request_uuid),
        label: Some(company_name.to_owned()),
        partner_uuid: Some(partner_uuid),
    });
    Ok(request)
}
