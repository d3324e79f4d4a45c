//! Operations on budgets and the scopes that they require.

mod types;

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::principal::PrincipalType;
use uuid::Uuid;

use super::list::{
    CONSUMERS, REFUSALS, RateLimitConsumerFilter, RateLimitConsumerSort, RateLimitRefusalFilter, RateLimitRefusalSort,
};
use super::rules;
use super::store::{self, NewOverride};

pub use types::RateLimitRefusal;
use types::{PartnerRateLimit, RateLimitConsumer, RateLimitOverridePut, RateLimitReset};

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    admin_rate_limits_get,
    admin_rate_limits_list_consumers,
    admin_rate_limits_list_refusals,
    admin_rate_limits_put_override,
    admin_rate_limits_delete_override,
    admin_rate_limits_reset,
];

/// Get a partner's rate limits.
#[operation(query, access = "labs.admin.limits", audit_partner = "partner_uuid", batched)]
async fn admin_rate_limits_get(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerRateLimit, Fault> {
    load_rate_limit(cx, partner_uuid).await
}

/// List rate limit consumers.
#[operation(query, access = "labs.admin.limits")]
async fn admin_rate_limits_list_consumers(
    cx: &RequestContext,
    filter: Option<RateLimitConsumerFilter>,
    sort: Option<RateLimitConsumerSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<RateLimitConsumer>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = CONSUMERS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = CONSUMERS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(RateLimitConsumer::try_from)?.counted_list(total))
}

/// List refused requests.
#[operation(query, access = "labs.admin.limits", audit_target(BudgetAccount, "account_uuid"))]
async fn admin_rate_limits_list_refusals(
    cx: &RequestContext,
    filter: Option<RateLimitRefusalFilter>,
    sort: Option<RateLimitRefusalSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<RateLimitRefusal>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = REFUSALS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = REFUSALS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(RateLimitRefusal::try_from)?.counted_list(total))
}

/// Set a partner's rate limit override.
#[operation(mutation, access = "labs.admin.limits:write", audit_partner = "partner_uuid")]
async fn admin_rate_limits_put_override(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: RateLimitOverridePut,
) -> Result<PartnerRateLimit, Fault> {
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
    load_rate_limit(cx, partner_uuid).await
}

/// Delete a partner's rate limit override.
#[operation(mutation, access = "labs.admin.limits:write", audit_partner = "partner_uuid")]
async fn admin_rate_limits_delete_override(cx: &RequestContext, partner_uuid: Uuid) -> Result<bool, Fault> {
    note_partner(cx, partner_uuid).await?;
    if store::delete(&cx.db, partner_uuid).await? {
        Ok(true)
    } else {
        Err(Fault::not_found("override of this partner's limits"))
    }
}

/// Reset a partner's daily budget.
#[operation(mutation, access = "labs.admin.limits:write", audit_partner = "partner_uuid")]
async fn admin_rate_limits_reset(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: Option<RateLimitReset>,
) -> Result<PartnerRateLimit, Fault> {
    note_partner(cx, partner_uuid).await?;
    if let Some(reason) = body.and_then(|body| body.reason) {
        cx.note_reason(reason);
    }
    store::reset(&cx.db, partner_uuid).await?;
    load_rate_limit(cx, partner_uuid).await
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
