//! Resolvers of a partner's own subscription.

use std::future::ready;

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::event_positions::EventSort;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::words::words;

use super::list::{EVENTS, FOLLOWED};
use super::rules::ComparedFeature;
use super::store::{self, ComparedRow, RatesRow};
use crate::changing::{
    self, PartnerSubscription, SubscriptionChange, SubscriptionEnd, SubscriptionEvent, SubscriptionEventFilter,
    SubscriptionHistory,
};
use crate::tiers::rules::TierState;
use crate::values::{Effect, FeatureKind, FeatureValue};

/// Tier to preview.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SubscriptionPreviewChange {
    /// Code of a tier on offer.
    tier_code: String,
}

/// Effect of a change to another tier.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SubscriptionPreview {
    /// Code of the current tier.
    from_tier_code: String,
    /// Code of the previewed tier.
    to_tier_code: String,
    /// Time when a change requested now takes effect.
    takes_effect: TakesEffect,
    /// Features with a higher value for the partner.
    gained: Vec<FeatureDifference>,
    /// Features with a lower value for the partner.
    lost: Vec<FeatureDifference>,
    /// Requests per second.
    burst_per_second: RateDifference,
    /// Requests per day.
    daily_requests: RateDifference,
    /// Limits that the partner would exceed under the other tier. They do not prevent the change, and existing items
    /// remain. Until less is used, they prevent additions with 409 `ENTITLEMENT_EXCEEDED`.
    over_limit: Vec<OverLimit>,
}

words! {
    /// When a change takes effect.
    pub enum TakesEffect {
        /// For a self-service tier.
        AtOnce = "AT_ONCE",
        /// For a tier that staff decide about.
        AfterApproval = "AFTER_APPROVAL",
    }
}

/// A feature whose value would change.
#[derive(serde::Serialize, OutputType)]
pub(super) struct FeatureDifference {
    /// Code of the feature.
    code: String,
    /// Display name of the feature.
    name: String,
    /// Kind of the feature.
    kind: FeatureKind,
    /// Unit that a `LIMIT` counts.
    unit: Option<String>,
    /// Current value.
    before: FeatureValue,
    /// New value.
    after: FeatureValue,
}

/// Current and new value of a budget.
#[derive(serde::Serialize, OutputType)]
pub(super) struct RateDifference {
    /// Current number of requests.
    before: i64,
    /// New number of requests.
    after: i64,
}

/// A limit that the partner exceeds under another tier.
#[derive(serde::Serialize, OutputType)]
pub(super) struct OverLimit {
    /// Code of the feature.
    code: String,
    /// Display name of the feature.
    name: String,
    /// Unit that a `LIMIT` counts.
    unit: Option<String>,
    /// Number that the tier would allow.
    limit: i64,
    /// Number in use.
    used: i64,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    subscription_current_get,
    subscription_current_list_events,
    subscription_current_preview_change,
    subscription_current_cancel,
    subscription_current_resume,
];

/// Get the current subscription.
#[operation(query, access = "subscription")]
async fn subscription_current_get(cx: &RequestContext) -> Result<PartnerSubscription, Fault> {
    load_subscription(cx).await
}

/// List the current subscription's events.
#[operation(query, access = "subscription")]
async fn subscription_current_list_events(
    cx: &RequestContext,
    filter: Option<SubscriptionEventFilter>,
    sort: Option<EventSort>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<SubscriptionEvent>, Fault> {
    let own = SubscriptionHistory { partner_uuid: cx.owner()?.uuid(), filter: filter.unwrap_or_default() };
    if sort == Some(EventSort::Position) {
        return Ok(FOLLOWED.page(cx, &own, &PageRequest::new(sort, limit, cursor), ready(Ok(()))).await?.list());
    }
    Ok(EVENTS.page(cx, &own, &PageRequest::new(None, limit, cursor)).await?.list())
}

/// Preview a change to another tier.
#[operation(query, access = "subscription")]
async fn subscription_current_preview_change(
    cx: &RequestContext,
    body: SubscriptionPreviewChange,
) -> Result<SubscriptionPreview, Fault> {
    let owner = cx.owner()?;
    let tier = changing::get_tier(&cx.db, &body.tier_code).await?;
    let tier = changing::ensure_on_offer(tier, |tier| tier.state == TierState::Offered)?;
    let rates = store::rates(&cx.db, owner, tier.tier_uuid).await?;
    let rates = rates.ok_or_else(|| Fault::internal("a partner without subscription"))?;
    let rows = store::compare(&cx.db, owner, tier.tier_uuid).await?;
    let takes_effect = if tier.self_service { TakesEffect::AtOnce } else { TakesEffect::AfterApproval };
    Ok(preview(tier.code, takes_effect, &rates, rows))
}

/// Cancel the current subscription.
#[operation(mutation, access = "subscription:write")]
async fn subscription_current_cancel(cx: &RequestContext) -> Result<PartnerSubscription, Fault> {
    let partner_uuid = cx.owner()?.uuid();
    SubscriptionChange::by_caller(cx, None)?.cancel(partner_uuid, SubscriptionEnd::PeriodEnd).await?;
    load_subscription(cx).await
}

/// Resume the current subscription.
#[operation(mutation, access = "subscription:write")]
async fn subscription_current_resume(cx: &RequestContext) -> Result<PartnerSubscription, Fault> {
    let partner_uuid = cx.owner()?.uuid();
    SubscriptionChange::by_caller(cx, None)?.resume(partner_uuid).await?;
    load_subscription(cx).await
}

/// Loads the current subscription of the caller's partner.
async fn load_subscription(cx: &RequestContext) -> Result<PartnerSubscription, Fault> {
    let row = changing::get_subscription(&cx.db, cx.owner()?.uuid()).await?;
    row.map(|row| PartnerSubscription::for_partner(row, cx))
        .ok_or_else(|| Fault::internal("a partner without subscription"))
}

fn preview(
    to_tier_code: String,
    takes_effect: TakesEffect,
    rates: &RatesRow,
    rows: Vec<ComparedRow>,
) -> SubscriptionPreview {
    let (mut gained, mut lost, mut over_limit) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let compared = ComparedFeature { before: &row.before, after: &row.after, used: row.used };
        if let Some((limit, used)) = compared.exceeded_limit() {
            let (code, name, unit) = (row.code.clone(), row.name.clone(), row.unit.clone());
            over_limit.push(OverLimit { code, name, unit, limit, used });
        }
        match compared.effect() {
            Some(Effect::Gain) => gained.push(row.into()),
            Some(Effect::Loss) => lost.push(row.into()),
            None => {}
        }
    }
    SubscriptionPreview {
        from_tier_code: rates.tier_code.clone(),
        to_tier_code,
        takes_effect,
        gained,
        lost,
        burst_per_second: RateDifference { before: rates.burst_before.into(), after: rates.burst_after.into() },
        daily_requests: RateDifference { before: rates.daily_before, after: rates.daily_after },
        over_limit,
    }
}

impl From<ComparedRow> for FeatureDifference {
    fn from(row: ComparedRow) -> Self {
        Self {
            code: row.code,
            name: row.name,
            kind: row.kind,
            unit: row.unit,
            before: FeatureValue::of(row.kind, row.before),
            after: FeatureValue::of(row.kind, row.after),
        }
    }
}
