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

/// A tier on offer.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Tier {
    /// Stable code of the tier.
    code: String,
    /// Display name of the tier.
    name: String,
    /// Target group of the tier, in one or two sentences.
    description: String,
    /// Price of one billing period, without tax. Zero for a free tier.
    price: Money,
    /// Period that the price covers. `NONE` for a tier without periods, for example a free one.
    billing_period: BillingPeriod,
    /// Whether a partner may choose the tier at registration and change to it without approval. Any other tier is
    /// arranged with the operator.
    self_service: bool,
    /// Whether a pricing page should highlight the tier as recommended.
    highlighted: bool,
    /// Limits of one partner.
    limits: TierLimits,
    /// Features of the tier, in the order for a pricing page.
    features: Vec<TierFeature>,
}

words! {
    /// Period that a price covers.
    pub enum BillingPeriod {
        /// A tier without periods, for example a free one.
        None = "NONE",
        /// One month.
        Month = "MONTH",
        /// One year.
        Year = "YEAR",
    }
}

/// Limits of the tier for one partner, across all its users and machine clients.
#[derive(serde::Serialize, OutputType)]
pub(super) struct TierLimits {
    /// Requests per second.
    burst_per_second: i32,
    /// Requests per day.
    daily_requests: i64,
    /// Number of apps that are not archived. Null means no limit.
    apps: Option<i64>,
    /// Number of team members. Null means no limit.
    team_members: Option<i64>,
}

/// A feature with its value in this tier.
#[derive(serde::Serialize, OutputType)]
pub(super) struct TierFeature {
    /// Code of the feature, for use by programs.
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
    /// Whether a `LIMIT` has no cap. Always false for the other kinds.
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
