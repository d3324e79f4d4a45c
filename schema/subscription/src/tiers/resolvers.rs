//! Resolvers of tiers for staff.

pub(super) mod types;

use labs_core::describe::Created;
use labs_core::operation::{Operation, operation, operations};
use std::collections::HashMap;

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::fault::{Fault, FieldError};
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use serde_json::Value;
use uuid::Uuid;

use super::ensure_way_out;
use super::list::{BY_UUID, SUBSCRIBERS, TIERS, TierFilter};
use super::rules::{self, TierAction, TierState};
use super::simulation;
use super::store::{self, NewTier, TierChange};
use crate::features;
use crate::public_tiers::BillingPeriod;
use crate::values::{FeatureKind, FeatureValueInput};

pub(super) use types::TierSimulation;
use types::{Subscriber, TierCreate, TierFeaturesPut, TierRecord, TierSimulate, TierUpdate};

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![
    subscription_tiers_list,
    subscription_tiers_get,
    subscription_tiers_list_subscribers,
    subscription_tiers_simulate,
    subscription_tiers_create,
    subscription_tiers_update,
    subscription_tiers_put_features,
    subscription_tiers_offer,
    subscription_tiers_retire,
];

/// List tiers.
#[operation(query, access = "labs.admin.tiers")]
async fn subscription_tiers_list(
    cx: &RequestContext,
    filter: Option<TierFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<TierRecord>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = TIERS.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?;
    let total = TIERS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(TierRecord::of(row, cx)))?.counted_list(total))
}

/// Get a tier.
#[operation(query, access = "labs.admin.tiers", audit_target(Tier, "tier_uuid"), batched)]
async fn subscription_tiers_get(cx: &RequestContext, tier_uuid: Uuid) -> Result<TierRecord, Fault> {
    load_tier(cx, tier_uuid).await
}

/// List a tier's subscribers.
#[operation(query, access = "labs.admin.tiers", audit_target(Tier, "tier_uuid"))]
async fn subscription_tiers_list_subscribers(
    cx: &RequestContext,
    tier_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<Subscriber>, Fault> {
    note(cx, tier_uuid).await?;
    let rows = SUBSCRIBERS.page(cx, &tier_uuid, &PageRequest::new(None, limit, cursor)).await?;
    let rows = rows.map(|row| Ok(row.for_caller(cx)))?;
    Ok(rows.counted_list(SUBSCRIBERS.total(&cx.db, &tier_uuid, include_total).await?))
}

/// Simulate a tier change.
#[operation(query, access = "labs.admin.tiers", audit_target(Tier, "tier_uuid"))]
async fn subscription_tiers_simulate(
    cx: &RequestContext,
    tier_uuid: Uuid,
    body: TierSimulate,
) -> Result<TierSimulation, Fault> {
    note(cx, tier_uuid).await?;
    let values = match body.features {
        Some(input) => Some(read_features(cx, &input).await?),
        None => None,
    };
    let tier = BY_UUID.fetch_one(&cx.db, [tier_uuid.into()]).await?.ok_or_else(err_not_found)?;
    simulation::run(&cx.db, tier, values, body.burst_per_second, body.daily_requests).await
}

/// Create a tier.
#[operation(mutation, access = "labs.admin.tiers:write")]
async fn subscription_tiers_create(cx: &RequestContext, body: TierCreate) -> Result<Created<TierRecord>, Fault> {
    let mut errors = Vec::new();
    let name = rules::name(&body.name, &mut errors);
    let definitions = features::definitions(&cx.db).await?;
    let input = body.features.unwrap_or_default();
    let values = rules::features(&input, &kinds(&definitions), &mut errors);
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let new = NewTier {
        tier_uuid: cx.new_uuid(),
        code: &body.code,
        name: &name,
        description: body.description.as_deref().unwrap_or_default().trim(),
        price_amount_minor: body.price.amount_minor,
        currency: &body.price.currency,
        billing_period: body.billing_period.name(),
        burst_per_second: body.burst_per_second,
        daily_requests: body.daily_requests,
        self_service: body.self_service.unwrap_or(false),
        position: body.position,
        highlighted: body.highlighted.unwrap_or(false),
    };
    store::insert(&cx.db, &new).await?;
    store::set_features(&cx.db, new.tier_uuid, &values).await?;
    Ok(Created::new(new.tier_uuid, load_tier(cx, new.tier_uuid).await?))
}

/// Update a tier.
#[operation(mutation, access = "labs.admin.tiers:write", audit_target(Tier, "tier_uuid"))]
async fn subscription_tiers_update(
    cx: &RequestContext,
    tier_uuid: Uuid,
    body: TierUpdate,
) -> Result<TierRecord, Fault> {
    let mut errors = Vec::new();
    let locked = lock_tier(cx, tier_uuid).await?;
    let name = body.name.as_deref().map(|name| rules::name(name, &mut errors));
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let is_changed = body.billing_period.is_some_and(|period| period != locked.billing_period);
    rules::ensure_period_changeable(locked.state, is_changed)?;
    let change = TierChange {
        name: name.as_deref(),
        description: body.description.as_opt_deref().map(|text| text.unwrap_or_default().trim()),
        price_amount_minor: body.price.as_ref().map(|price| price.amount_minor),
        currency: body.price.as_ref().map(|price| price.currency.as_str()),
        billing_period: body.billing_period.map(BillingPeriod::name),
        burst_per_second: body.burst_per_second,
        daily_requests: body.daily_requests,
        self_service: body.self_service,
        position: body.position,
        highlighted: body.highlighted,
    };
    store::update(&cx.db, tier_uuid, &change).await?;
    rules::ensure_fallback(store::fallback_is_left(&cx.db).await?)?;
    load_tier(cx, tier_uuid).await
}

/// Replace a tier's features.
#[operation(mutation, access = "labs.admin.tiers:write", audit_target(Tier, "tier_uuid"))]
async fn subscription_tiers_put_features(
    cx: &RequestContext,
    tier_uuid: Uuid,
    body: TierFeaturesPut,
) -> Result<TierRecord, Fault> {
    let locked = lock_tier(cx, tier_uuid).await?;
    let values = read_features(cx, &body.features).await?;
    store::set_features(&cx.db, tier_uuid, &values).await?;
    if locked.state != TierState::Draft {
        ensure_way_out(&cx.db, Some(tier_uuid)).await?;
    }
    load_tier(cx, tier_uuid).await
}

/// Offer a tier.
#[operation(mutation, access = "labs.admin.tiers:write", audit_target(Tier, "tier_uuid"))]
async fn subscription_tiers_offer(cx: &RequestContext, tier_uuid: Uuid) -> Result<TierRecord, Fault> {
    move_tier(cx, tier_uuid, TierAction::Offer).await
}

/// Retire a tier.
#[operation(mutation, access = "labs.admin.tiers:write", audit_target(Tier, "tier_uuid"))]
async fn subscription_tiers_retire(cx: &RequestContext, tier_uuid: Uuid) -> Result<TierRecord, Fault> {
    move_tier(cx, tier_uuid, TierAction::Retire).await
}

/// Changes the state of a tier. Such changes are serialised; otherwise, two concurrent ones could retire the last two
/// free tiers.
async fn move_tier(cx: &RequestContext, tier_uuid: Uuid, action: TierAction) -> Result<TierRecord, Fault> {
    let locked = lock_tier(cx, tier_uuid).await?;
    let state = rules::next_state(locked.state, action)?;
    store::set_state(&cx.db, tier_uuid, state.name()).await?;
    if action == TierAction::Offer {
        ensure_way_out(&cx.db, Some(tier_uuid)).await?;
    }
    rules::ensure_fallback(store::fallback_is_left(&cx.db).await?)?;
    load_tier(cx, tier_uuid).await
}

/// Validates the feature values of a body.
async fn read_features(cx: &RequestContext, input: &[FeatureValueInput]) -> Result<HashMap<String, Value>, Fault> {
    let mut errors: Vec<FieldError> = Vec::new();
    let definitions = features::definitions(&cx.db).await?;
    let values = rules::features(input, &kinds(&definitions), &mut errors);
    if errors.is_empty() { Ok(values) } else { Err(Fault::invalid(errors)) }
}

fn kinds(definitions: &[features::DefinitionRow]) -> HashMap<&str, FeatureKind> {
    definitions.iter().map(|row| (row.feature_code.as_str(), row.kind)).collect()
}

/// Locks the tier until the transaction ends and names it in the audit record.
async fn lock_tier(cx: &RequestContext, tier_uuid: Uuid) -> Result<store::LockedTierRow, Fault> {
    store::lock_catalogue(&cx.db).await?;
    let locked = store::lock(&cx.db, tier_uuid).await?.ok_or_else(err_not_found)?;
    note_target(cx, tier_uuid, &locked.code);
    Ok(locked)
}

/// Checks that the tier exists and names it in the audit record.
async fn note(cx: &RequestContext, tier_uuid: Uuid) -> Result<(), Fault> {
    let code = store::get_code(&cx.db, tier_uuid).await?.ok_or_else(err_not_found)?;
    note_target(cx, tier_uuid, &code);
    Ok(())
}

/// Loads the current tier.
async fn load_tier(cx: &RequestContext, tier_uuid: Uuid) -> Result<TierRecord, Fault> {
    let row = BY_UUID.fetch_one(&cx.db, [tier_uuid.into()]).await?.ok_or_else(err_not_found)?;
    note_target(cx, tier_uuid, &row.code);
    Ok(TierRecord::of(row, cx))
}

fn note_target(cx: &RequestContext, tier_uuid: Uuid, code: &str) {
    cx.note_target(Target {
        kind: Some(AuditTargetKind::Tier),
        uuid: Some(tier_uuid),
        label: Some(code.to_owned()),
        partner_uuid: None,
    });
}

fn err_not_found() -> Fault {
    Fault::not_found("tier")
}
