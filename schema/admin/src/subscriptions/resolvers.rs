//! Operations of staff on subscriptions.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::InputType;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::time::Time;
use uuid::Uuid;

use super::list::{EVENTS, SUBSCRIPTIONS, SubscriptionFilter, SubscriptionSort};
use super::rules;
use labs_subscription::changing::{
    self, PartnerSubscription, SubscriptionChange, SubscriptionEnd, SubscriptionEvent, SubscriptionEventFilter,
    SubscriptionHistory,
};
use labs_subscription::tiers::rules::TierState;

/// A tier change for a partner.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SubscriptionChangeTier {
    /// Code of the new tier. Any tier except a draft is allowed, including a retired tier.
    tier_code: String,
    /// Time when the change takes effect, in the future. If omitted, the change takes effect at once.
    at: Option<Time>,
    /// Reason for the change. Kept in the audit record, and visible to the partner in its events. If the operation
    /// notifies the partner by e-mail, the e-mail contains the reason.
    reason: String,
}

/// An extension of a partner's current period.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SubscriptionExtend {
    /// New end of the period, later than the current end. The service counts the next periods from the new end.
    period_end: Time,
    /// Reason for the change. Kept in the audit record, and visible to the partner in its events. If the operation
    /// notifies the partner by e-mail, the e-mail contains the reason.
    reason: String,
}

/// Cancellation of a partner's subscription.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SubscriptionCancel {
    /// Time of the change to the free tier.
    when: Option<SubscriptionEnd>,
    /// Reason for the change. Kept in the audit record, and visible to the partner in its events. If the operation
    /// notifies the partner by e-mail, the e-mail contains the reason.
    reason: String,
}

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![
    admin_subscriptions_list,
    admin_subscriptions_get,
    admin_subscriptions_list_events,
    admin_subscriptions_change_tier,
    admin_subscriptions_extend,
    admin_subscriptions_cancel,
];

/// List subscriptions across partners.
#[operation(query, access = "labs.admin.subscriptions")]
async fn admin_subscriptions_list(
    cx: &RequestContext,
    filter: Option<SubscriptionFilter>,
    sort: Option<SubscriptionSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<PartnerSubscription>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = SUBSCRIPTIONS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = SUBSCRIPTIONS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(PartnerSubscription::for_staff(row, cx)))?.counted_list(total))
}

/// Get a partner's subscription.
#[operation(query, access = "labs.admin.subscriptions", audit_partner = "partner_uuid", batched)]
async fn admin_subscriptions_get(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerSubscription, Fault> {
    load_subscription(cx, partner_uuid).await
}

/// List a partner's subscription events.
#[operation(query, access = "labs.admin.subscriptions", audit_partner = "partner_uuid")]
async fn admin_subscriptions_list_events(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<SubscriptionEventFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<SubscriptionEvent>, Fault> {
    load_subscription(cx, partner_uuid).await?;
    let history = SubscriptionHistory { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = EVENTS.page(cx, &history, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.counted_list(EVENTS.total(&cx.db, &history, include_total).await?))
}

/// Change a partner's subscription tier.
#[operation(
    mutation,
    access = "labs.admin.subscriptions:write",
    audit_partner = "partner_uuid",
    partner_reads = "reason"
)]
async fn admin_subscriptions_change_tier(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: SubscriptionChangeTier,
) -> Result<PartnerSubscription, Fault> {
    load_subscription(cx, partner_uuid).await?;
    let tier = changing::get_tier(&cx.db, &body.tier_code).await?;
    let tier = rules::ensure_offered_once(tier, |tier| tier.state == TierState::Draft)?;
    let change = SubscriptionChange::by_caller(cx, Some(&body.reason))?;
    match body.at {
        Some(at) => change.to_tier_at(partner_uuid, &tier, at).await?,
        None => change.to_tier(partner_uuid, &tier).await?,
    }
    load_subscription(cx, partner_uuid).await
}

/// Extend a partner's subscription period.
#[operation(
    mutation,
    access = "labs.admin.subscriptions:write",
    audit_partner = "partner_uuid",
    partner_reads = "reason"
)]
async fn admin_subscriptions_extend(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: SubscriptionExtend,
) -> Result<PartnerSubscription, Fault> {
    load_subscription(cx, partner_uuid).await?;
    SubscriptionChange::by_caller(cx, Some(&body.reason))?.extend(partner_uuid, body.period_end).await?;
    load_subscription(cx, partner_uuid).await
}

/// Cancel a partner's subscription.
#[operation(
    mutation,
    access = "labs.admin.subscriptions:write",
    audit_partner = "partner_uuid",
    partner_reads = "reason"
)]
async fn admin_subscriptions_cancel(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: SubscriptionCancel,
) -> Result<PartnerSubscription, Fault> {
    load_subscription(cx, partner_uuid).await?;
    let end = body.when.unwrap_or(SubscriptionEnd::PeriodEnd);
    SubscriptionChange::by_caller(cx, Some(&body.reason))?.cancel(partner_uuid, end).await?;
    load_subscription(cx, partner_uuid).await
}

/// Loads the current subscription and names its partner in the audit record.
async fn load_subscription(cx: &RequestContext, partner_uuid: Uuid) -> Result<PartnerSubscription, Fault> {
    let row = changing::get_subscription(&cx.db, partner_uuid).await?.ok_or_else(|| Fault::not_found("partner"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Partner),
        uuid: Some(partner_uuid),
        label: Some(row.company_name.clone()),
        partner_uuid: Some(partner_uuid),
    });
    Ok(PartnerSubscription::for_staff(row, cx))
}
