//! Public resolvers of tiers.

use labs_core::context::RequestContext;
use labs_core::describe::{Json, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, SqlValue};
use labs_core::money::Money;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::words::words;
use serde_json::Value;

use super::list::{BY_CODE, OfferedFeatureRow, OfferedTierRow, TIERS};
use crate::values::{FeatureKind, FeatureValue};

/// An offered tier.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Tier {
    /// Stable code of the tier.
    code: String,
    /// Display name of the tier.
    name: String,
    /// Description of the target group.
    description: String,
    /// Price of one billing period, without tax.
    price: Money,
    /// Billing period of the price.
    billing_period: BillingPeriod,
    /// Whether a partner may choose the tier without approval.
    self_service: bool,
    /// Whether a pricing page should highlight the tier.
    highlighted: bool,
    /// Limits of one partner.
    limits: TierLimits,
    /// Features of the tier, in the order of the pricing page.
    features: Vec<TierFeature>,
}

words! {
    /// Billing period of a price.
    pub enum BillingPeriod {
        /// No billing periods.
        None = "NONE",
        /// One month.
        Month = "MONTH",
        /// One year.
        Year = "YEAR",
    }
}

/// Limits of one partner, shared by all its users and machine clients.
#[derive(serde::Serialize, OutputType)]
pub(super) struct TierLimits {
    /// Requests per second.
    burst_per_second: i32,
    /// Requests per day.
    daily_requests: i64,
    /// Apps that are not archived; null if unlimited.
    apps: Option<i64>,
    /// Team members; null if unlimited.
    team_members: Option<i64>,
}

/// A feature with its value in a tier.
#[derive(serde::Serialize, OutputType)]
pub(super) struct TierFeature {
    /// Stable code of the feature.
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
}

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![subscription_public_tiers_list, subscription_public_tiers_get];

/// List public tiers.
#[operation(query, access = "public", may_lag, reusable("tiers", 600))]
async fn subscription_public_tiers_list(
    cx: &RequestContext,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<Tier>, Fault> {
    let rows = TIERS.page(cx, &(), &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.map(|row| Ok(row.into()))?.list())
}

/// Get a public tier.
#[operation(query, access = "public", may_lag, reusable("tiers", 600))]
async fn subscription_public_tiers_get(cx: &RequestContext, tier_code: String) -> Result<Tier, Fault> {
    let row = BY_CODE.fetch_one(&cx.db, [SqlValue::Nothing, tier_code.as_str().into()]).await?;
    row.map(Into::into).ok_or_else(|| Fault::not_found("offered tier"))
}

impl From<OfferedTierRow> for Tier {
    fn from(row: OfferedTierRow) -> Self {
        let limit = |code: &str| {
            let feature = row.features.0.iter().find(|feature| feature.code == code);
            feature.and_then(|feature| feature.value.as_i64())
        };
        let limits = TierLimits {
            burst_per_second: row.burst_per_second,
            daily_requests: row.daily_requests,
            apps: limit("apps"),
            team_members: limit("team_members"),
        };
        Self {
            code: row.code,
            name: row.name,
            description: row.description,
            price: Money { amount_minor: row.price_amount_minor, currency: row.currency },
            billing_period: row.billing_period,
            self_service: row.self_service,
            highlighted: row.highlighted,
            limits,
            features: row.features.0.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<OfferedFeatureRow> for TierFeature {
    fn from(row: OfferedFeatureRow) -> Self {
        let FeatureValue { value, limit, enabled, unlimited } = FeatureValue::of(row.kind, row.value);
        Self { code: row.code, name: row.name, kind: row.kind, value, limit, enabled, unlimited }
    }
}
