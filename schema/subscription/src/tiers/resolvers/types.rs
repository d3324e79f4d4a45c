//! Input and output types of tiers for staff.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, Json, MaybeUndefined, OutputType};
use labs_core::money::Money;
use labs_core::time::Time;
use serde_json::Value;
use uuid::Uuid;

use crate::changing::{self, SubscriptionState};
use crate::entitlements::EntitlementSource;
use crate::public_tiers::BillingPeriod;
use crate::tiers::list::{TierRecordFeatureRow, TierRecordRow};
use crate::tiers::rules::{TierState, allowed_actions};
use crate::values::{Effect, FeatureKind, FeatureValue, FeatureValueInput};

/// A tier, as staff see it.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct TierRecord {
    /// UUID of the tier.
    uuid: Uuid,
    /// Stable code of the tier. It never changes.
    code: String,
    /// Display name of the tier.
    name: String,
    /// Description of the target group.
    description: String,
    /// State of the tier.
    state: TierState,
    /// Price of one billing period, without tax.
    price: Money,
    /// Billing period of the price.
    billing_period: BillingPeriod,
    /// Requests per second.
    burst_per_second: i32,
    /// Requests per day.
    daily_requests: i64,
    /// Whether a partner may choose the tier without approval.
    self_service: bool,
    /// Position on the pricing page, in ascending order.
    position: i32,
    /// Whether the pricing page should highlight the tier.
    highlighted: bool,
    /// Value of every feature.
    features: Vec<TierRecordFeature>,
    /// Number of partners on the tier.
    subscribers_count: i64,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
    /// Actions that the caller can perform on it now.
    allowed_actions: Vec<String>,
}

/// Value of a feature in a tier, with its source.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct TierRecordFeature {
    /// Code of the feature.
    code: String,
    /// Display name of the feature.
    name: String,
    /// Kind of the feature.
    kind: FeatureKind,
    /// True or false, or a number; null for an unlimited limit.
    value: Option<Json<Value>>,
    /// Number of a LIMIT; null if it is unlimited, and for other kinds.
    limit: Option<i64>,
    /// Whether a FLAG or SCOPE is granted; null for a LIMIT.
    enabled: Option<bool>,
    /// Whether a LIMIT is unlimited.
    unlimited: bool,
    /// Unit that a LIMIT counts.
    unit: Option<String>,
    /// Scope that the feature grants.
    scope: Option<String>,
    /// `TIER` if the tier sets the value, `DEFAULT` if it sets none.
    source: EntitlementSource,
}

/// A partner on a tier.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct Subscriber {
    /// UUID of the partner.
    pub(in crate::tiers) partner_uuid: Uuid,
    /// Name of the company.
    company_name: String,
    /// State of the subscription.
    state: SubscriptionState,
    /// Time since which the partner is on the tier.
    pub(in crate::tiers) started_at: Time,
    /// End of the current period; null without periods.
    period_end: Option<Time>,
    /// Number of the partner's features with an effective override.
    overrides_count: i64,
    /// Whether the tier is free.
    #[serde(skip)]
    is_free: bool,
    /// Actions that the caller can perform on the subscription now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

impl Subscriber {
    /// Returns the subscriber with the caller's allowed actions.
    pub(super) fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.subscriptions:write");
        let (state, has_end) = (self.state, self.period_end.is_some());
        let allowed = || changing::allowed_actions(state, has_end, self.is_free, true);
        let allowed_actions = if acts { allowed() } else { Vec::new() };
        Self { allowed_actions, ..self }
    }
}

/// A new tier.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct TierCreate {
    /// Stable code of the tier.
    pub(super) code: String,
    /// Display name of the tier.
    pub(super) name: String,
    /// Description of the target group.
    pub(super) description: Option<String>,
    /// Price of one billing period.
    pub(super) price: PriceInput,
    /// Billing period of the price.
    pub(super) billing_period: BillingPeriod,
    /// Requests per second.
    pub(super) burst_per_second: i32,
    /// Requests per day.
    pub(super) daily_requests: i64,
    /// Whether a partner may choose the tier without approval.
    pub(super) self_service: Option<bool>,
    /// Position on the pricing page; by default after all others.
    pub(super) position: Option<i32>,
    /// Whether the pricing page should highlight the tier.
    pub(super) highlighted: Option<bool>,
    /// Feature values of the tier. A feature without a value gets its default.
    pub(super) features: Option<Vec<FeatureValueInput>>,
}

/// A price.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct PriceInput {
    /// Amount in the smallest unit of the currency.
    pub(super) amount_minor: i64,
    /// ISO 4217 currency code.
    pub(super) currency: String,
}

/// Merge patch of a tier (RFC 7396).
#[derive(serde::Deserialize, InputType)]
pub(crate) struct TierUpdate {
    /// Display name of the tier.
    pub(super) name: Option<String>,
    /// Description of the target group; null clears it.
    #[serde(default)]
    pub(super) description: MaybeUndefined<String>,
    /// Price of one billing period.
    pub(super) price: Option<PriceInput>,
    /// Billing period of the price. Only the billing period of a draft can be changed.
    pub(super) billing_period: Option<BillingPeriod>,
    /// Requests per second.
    pub(super) burst_per_second: Option<i32>,
    /// Requests per day.
    pub(super) daily_requests: Option<i64>,
    /// Whether a partner may choose the tier without approval.
    pub(super) self_service: Option<bool>,
    /// Position on the pricing page.
    pub(super) position: Option<i32>,
    /// Whether the pricing page should highlight the tier.
    pub(super) highlighted: Option<bool>,
}

/// Complete set of feature values of a tier.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct TierFeaturesPut {
    /// Complete set. A feature without a value gets its default.
    pub(super) features: Vec<FeatureValueInput>,
}

/// Hypothetical change of a tier.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct TierSimulate {
    /// Requests per second.
    pub(super) burst_per_second: Option<i32>,
    /// Requests per day.
    pub(super) daily_requests: Option<i64>,
    /// Complete set of feature values.
    pub(super) features: Option<Vec<FeatureValueInput>>,
}

/// Partners and features that a change would affect.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct TierSimulation {
    /// UUID of the tier.
    pub(in crate::tiers) tier_uuid: Uuid,
    /// Code of the tier.
    pub(in crate::tiers) tier_code: String,
    /// Number of partners on the tier.
    pub(in crate::tiers) subscribers_count: i64,
    /// Features whose values would change.
    pub(in crate::tiers) features: Vec<SimulatedFeature>,
    /// Requests per second; null if unchanged.
    pub(in crate::tiers) burst_per_second: Option<SimulatedRate>,
    /// Requests per day; null if unchanged.
    pub(in crate::tiers) daily_requests: Option<SimulatedRate>,
    /// First hundred partners whose features would change, most recent subscribers first.
    pub(in crate::tiers) partners: Vec<SimulatedPartner>,
    /// Whether there are more affected partners.
    pub(in crate::tiers) has_more_partners: bool,
}

/// A feature whose value would change.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct SimulatedFeature {
    /// Code of the feature.
    pub(in crate::tiers) code: String,
    /// Display name of the feature.
    pub(in crate::tiers) name: String,
    /// Kind of the feature.
    pub(in crate::tiers) kind: FeatureKind,
    /// Current value.
    pub(in crate::tiers) before: FeatureValue,
    /// New value.
    pub(in crate::tiers) after: FeatureValue,
    /// Whether the value increases or decreases.
    pub(in crate::tiers) effect: Effect,
    /// Number of partners that the change would affect.
    pub(in crate::tiers) partners_affected: i64,
    /// Number of partners that keep their value because of an override.
    pub(in crate::tiers) partners_overridden: i64,
}

/// A budget that would change.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct SimulatedRate {
    /// Current number of requests.
    pub(in crate::tiers) before: i64,
    /// New number of requests.
    pub(in crate::tiers) after: i64,
    /// Whether the value increases or decreases.
    pub(in crate::tiers) effect: Effect,
    /// Number of partners that the change would affect.
    pub(in crate::tiers) partners_affected: i64,
    /// Number of partners that keep their value because of an override.
    pub(in crate::tiers) partners_overridden: i64,
}

/// A partner whose features would change.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct SimulatedPartner {
    /// UUID of the partner.
    pub(in crate::tiers) partner_uuid: Uuid,
    /// Name of the company.
    pub(in crate::tiers) company_name: String,
    /// Codes of the features with a higher value for the partner.
    pub(in crate::tiers) gained: Vec<String>,
    /// Codes of the features with a lower value for the partner.
    pub(in crate::tiers) lost: Vec<String>,
    /// Limits that the partner would exceed. It would keep everything and could add no more.
    pub(in crate::tiers) over_limit: Vec<SimulatedOverLimit>,
}

/// A limit that a partner would exceed.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct SimulatedOverLimit {
    /// Code of the feature.
    pub(in crate::tiers) code: String,
    /// Number that the tier would allow.
    pub(in crate::tiers) limit: i64,
    /// Number in use.
    pub(in crate::tiers) used: i64,
}

impl TierRecord {
    /// Converts a row for the caller.
    pub(super) fn of(row: TierRecordRow, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.tiers:write");
        Self {
            uuid: row.tier_uuid,
            code: row.code,
            name: row.name,
            description: row.description,
            state: row.state,
            price: Money { amount_minor: row.price_amount_minor, currency: row.currency },
            billing_period: row.billing_period,
            burst_per_second: row.burst_per_second,
            daily_requests: row.daily_requests,
            self_service: row.self_service,
            position: row.position,
            highlighted: row.highlighted,
            features: row.features.0.into_iter().map(Into::into).collect(),
            subscribers_count: row.subscribers_count,
            created_at: row.created_at,
            updated_at: row.updated_at,
            allowed_actions: if acts { allowed_actions(row.state) } else { Vec::new() },
        }
    }
}

impl From<TierRecordFeatureRow> for TierRecordFeature {
    fn from(row: TierRecordFeatureRow) -> Self {
        let FeatureValue { value, limit, enabled, unlimited } = FeatureValue::of(row.kind, row.value);
        Self {
            code: row.code,
            name: row.name,
            kind: row.kind,
            value,
            limit,
            enabled,
            unlimited,
            unit: row.unit,
            scope: row.scope,
            source: row.source,
        }
    }
}
