//! Operations on budgets and the scopes that they require.

mod types;

use async_graphql::{Context, Object};
use labs_core::access::{access, audit_partner, audit_target, batched};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, RequestContextExt, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use labs_core::principal::PrincipalType;
use uuid::Uuid;

use super::list::{
    CONSUMERS, REFUSALS, RateLimitConsumerFilter, RateLimitConsumerSort, RateLimitRefusalFilter, RateLimitRefusalSort,
};
use super::rules;
use super::store::{self, NewOverride};

use types::{PartnerRateLimit, RateLimitConsumer, RateLimitOverridePut, RateLimitRefusal, RateLimitReset};

/// Queries for budgets.
#[derive(Default)]
pub(crate) struct RateLimitsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl RateLimitsQuery {
    /// Get a partner's rate limits.
    #[graphql(
        directive = access::apply("labs.admin.limits".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = batched::apply()
    )]
    async fn admin_rate_limits_get(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
    ) -> Result<Option<PartnerRateLimit>, Fault> {
        ctx.cx().answer(load_rate_limit(ctx.cx(), partner_uuid).await?)
    }

    /// List rate limit consumers.
    #[graphql(directive = access::apply("labs.admin.limits".into()))]
    async fn admin_rate_limits_list_consumers(
        &self,
        ctx: &Context<'_>,
        filter: Option<RateLimitConsumerFilter>,
        sort: Option<RateLimitConsumerSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<RateLimitConsumer>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = CONSUMERS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let total = CONSUMERS.total(&cx.db, &filter, include_total).await?;
        cx.answer_list(rows.map(RateLimitConsumer::try_from)?.counted_list(total))
    }

    /// List rate limit refusals.
    #[graphql(
        directive = access::apply("labs.admin.limits".into()),
        directive = audit_target::apply(AuditTargetKind::BudgetAccount, "account_uuid".into())
    )]
    async fn admin_rate_limits_list_refusals(
        &self,
        ctx: &Context<'_>,
        filter: Option<RateLimitRefusalFilter>,
        sort: Option<RateLimitRefusalSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<RateLimitRefusal>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = REFUSALS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let total = REFUSALS.total(&cx.db, &filter, include_total).await?;
        cx.answer_list(rows.map(RateLimitRefusal::try_from)?.counted_list(total))
    }
}

/// Mutations of budgets.
#[derive(Default)]
pub(crate) struct RateLimitsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl RateLimitsMutation {
    /// Set a partner's rate limit override.
    #[graphql(
        directive = access::apply("labs.admin.limits:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_rate_limits_put_override(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: RateLimitOverridePut,
    ) -> Result<Option<PartnerRateLimit>, Fault> {
        let cx = ctx.cx();
        note_partner(cx, partner_uuid).await?;
        rules::check_override(body.burst_per_second, body.daily_requests, body.expires_at, cx.now)?;
        let caller = cx.principal()?;
        let new = NewOverride {
            partner_uuid,
            burst_per_second: body.burst_per_second,
            daily_requests: body.daily_requests,
            reason: &body.reason,
            set_by: (caller.kind == PrincipalType::StaffUser).then_some(caller.uuid),
            expires_at: body.expires_at,
        };
        store::put_override(&cx.db, &new).await?;
        cx.answer(load_rate_limit(cx, partner_uuid).await?)
    }

    /// Delete a partner's rate limit override.
    #[graphql(
        directive = access::apply("labs.admin.limits:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_rate_limits_delete_override(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        note_partner(cx, partner_uuid).await?;
        if store::delete(&cx.db, partner_uuid).await? {
            cx.answer(true)
        } else {
            Err(Fault::not_found("override of this partner's limits"))
        }
    }

    /// Reset a partner's daily budget.
    #[graphql(
        directive = access::apply("labs.admin.limits:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_rate_limits_reset(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: Option<RateLimitReset>,
    ) -> Result<Option<PartnerRateLimit>, Fault> {
        let cx = ctx.cx();
        note_partner(cx, partner_uuid).await?;
        if let Some(reason) = body.and_then(|body| body.reason) {
            cx.note_reason(reason);
        }
        store::reset(&cx.db, partner_uuid).await?;
        cx.answer(load_rate_limit(cx, partner_uuid).await?)
    }
}

/// Loads the current budgets and names the partner in the audit record.
async fn load_rate_limit(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerRateLimit, Fault> {
    let row = store::get(&cx.db, partner_uuid).await?.ok_or_else(|| Fault::not_found("partner"))?;
    note_target(cx, partner_uuid, &row.company_name);
    Ok(PartnerRateLimit::of(partner_uuid, row))
}

/// Ensures that the partner exists and names it in the audit record.
async fn note_partner(cx: &RequestContext, partner_uuid: Uuid) -> Result<(), Fault> {
    let name = store::get_name(&cx.db, partner_uuid).await?.ok_or_else(|| Fault::not_found("partner"))?;
    note_target(cx, partner_uuid, &name);
    Ok(())
}

fn note_target(cx: &RequestContext, partner_uuid: Uuid, name: &str) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Partner),
        uuid: Some(partner_uuid),
        label: Some(name.to_owned()),
        partner_uuid: Some(partner_uuid),
    });
}
