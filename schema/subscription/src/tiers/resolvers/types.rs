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
    /// UUID of the tier, for use in paths.
    uuid: Uuid,
    /// Code of the tier, for use by programs and partners. It never changes.
    code: String,
    /// Display name of the tier.
    name: String,
    /// Target group of the tier. Empty if not set.
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
    /// Value of every feature in the tier, in the order for a pricing page.
    features: Vec<TierRecordFeature>,
    /// Number of partners on the tier.
    subscribers_count: i64,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
    /// Actions that the caller can perform now.
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
    /// Value of `limit` or `enabled`, depending on the kind. Null for a `LIMIT` without a cap. Its type depends on the
    /// kind; typed clients read the other two fields.
    value: Option<Json<Value>>,
    /// Number of a `LIMIT`. Null for a limit without a cap, where `unlimited` is true, and for the other kinds.
    limit: Option<i64>,
    /// Whether a `FLAG` or a `SCOPE` is granted. Null for a `LIMIT`.
    enabled: Option<bool>,
    /// Whether a `LIMIT` has no cap.
    unlimited: bool,
    /// Unit that a `LIMIT` counts.
    unit: Option<String>,
    /// Scope that a `SCOPE` grants.
    scope: Option<String>,
    /// `TIER` if the tier sets the value, `DEFAULT` if it sets none.
    source: EntitlementSource,
}

/// A partner on a tier.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct Subscriber {
    /// UUID of the partner.
    pub(in crate::tiers) partner_uuid: Uuid,
    /// Company name of the partner.
    company_name: String,
    /// State of the subscription.
    state: SubscriptionState,
    /// Time since which the partner is on the tier.
    pub(in crate::tiers) started_at: Time,
    /// End of the partner's period. Null without periods.
    period_end: Option<Time>,
    /// Number of the partner's features with an effective override.
    overrides_count: i64,
    /// Whether the tier is free.
    #[serde(skip)]
    is_free: bool,
    /// Actions that the caller can perform now.
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

/// A new tier, created as a draft.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct TierCreate {
    /// Code of the tier, for use by programs and partners. It never changes.
    pub(super) code: String,
    /// Display name of the tier. 1 to 80 characters.
    pub(super) name: String,
    /// Target group of the tier, in one or two sentences.
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
    /// Position on the pricing page, in ascending order. By default a new tier comes after all others.
    pub(super) position: Option<i32>,
    /// Whether the pricing page should highlight the tier.
    pub(super) highlighted: Option<bool>,
    /// Values of features in the tier, each feature at most once. An omitted feature has its default.
    pub(super) features: Option<Vec<FeatureValueInput>>,
}

/// A price, without tax.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct PriceInput {
    /// Amount in the smallest unit of the currency. 0 for a free tier.
    pub(super) amount_minor: i64,
    /// ISO 4217 code of the currency.
    pub(super) currency: String,
}

/// A merge patch of a tier (RFC 7396). Omitted fields stay unchanged.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct TierUpdate {
    /// Display name of the tier. 1 to 80 characters.
    pub(super) name: Option<String>,
    /// Target group of the tier, in one or two sentences.
    #[serde(default)]
    pub(super) description: MaybeUndefined<String>,
    /// Price of one billing period.
    pub(super) price: Option<PriceInput>,
    /// Billing period. It can be changed only while the tier is a draft.
    pub(super) billing_period: Option<BillingPeriod>,
    /// Requests per second.
    pub(super) burst_per_second: Option<i32>,
    /// Requests per day.
    pub(super) daily_requests: Option<i64>,
    /// Whether a partner may choose the tier without approval.
    pub(super) self_service: Option<bool>,
    /// Position on the pricing page, in ascending order. By default a new tier comes after all others.
    pub(super) position: Option<i32>,
    /// Whether the pricing page should highlight the tier.
    pub(super) highlighted: Option<bool>,
}

/// Complete set of feature values of a tier.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct TierFeaturesPut {
    /// Values of features in the tier, each feature at most once. An omitted feature has its default.
    pub(super) features: Vec<FeatureValueInput>,
}

/// Possible changes to a tier. Omitted fields stay unchanged.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct TierSimulate {
    /// Requests per second.
    pub(super) burst_per_second: Option<i32>,
    /// Requests per day.
    pub(super) daily_requests: Option<i64>,
    /// Complete set of feature values, as for `PUT`. A feature that the set omits has its default. If the field is
    /// omitted, the features stay unchanged.
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
    /// Requests per second. Null if unchanged.
    pub(in crate::tiers) burst_per_second: Option<SimulatedRate>,
    /// Requests per day. Null if unchanged.
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
    /// Number of partners that the change would reach.
    pub(in crate::tiers) partners_affected: i64,
    /// Number of partners that would keep the value of an effective override.
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
    /// Number of partners that the change would reach.
    pub(in crate::tiers) partners_affected: i64,
    /// Number of partners that would keep the value of an effective override.
    pub(in crate::tiers) partners_overridden: i64,
}

/// A partner whose features would change.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct SimulatedPartner {
    /// UUID of the partner.
    pub(in crate::tiers) partner_uuid: Uuid,
    /// Company name of the partner.
    pub(in crate::tiers) company_name: String,
    /// Codes of the features with a higher value for the partner.
    pub(in crate::tiers) gained: Vec<String>,
    /// Codes of the features with a lower value for the partner.
    pub(in crate::tiers) lost: Vec<String>,
    /// Limits that the partner would exceed. Existing items remain, and the partner could not add more.
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
