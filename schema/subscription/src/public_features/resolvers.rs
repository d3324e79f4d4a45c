//! Public resolvers of features.

use labs_core::context::RequestContext;
use labs_core::describe::{Json, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use serde_json::Value;

use super::list::{FEATURES, PublicFeatureRow, ValueRow};
use crate::values::{FeatureKind, FeatureValue};

/// A feature with its value in each tier on offer.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PublicFeature {
    /// Stable code of the feature.
    code: String,
    /// Display name of the feature.
    name: String,
    /// Description of the feature.
    description: String,
    /// Kind of the feature.
    kind: FeatureKind,
    /// Unit that a `LIMIT` counts.
    unit: Option<String>,
    /// Scope that a `SCOPE` grants.
    scope: Option<String>,
    /// Value in each tier, in the order for a pricing page.
    tiers: Vec<PublicFeatureValue>,
}

/// Value of a feature in a tier.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PublicFeatureValue {
    /// Code of the tier.
    tier_code: String,
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
pub(crate) const OPERATIONS: &[Operation] = operations![subscription_public_features_list];

/// List public features by tier.
#[operation(query, access = "public", may_lag, reusable("tiers", 600))]
async fn subscription_public_features_list(
    cx: &RequestContext,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<PublicFeature>, Fault> {
    let rows = FEATURES.page(cx, &(), &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.map(|row| Ok(row.into()))?.list())
}

impl From<PublicFeatureRow> for PublicFeature {
    fn from(row: PublicFeatureRow) -> Self {
        let worth = |ValueRow { tier_code, value }| {
            let FeatureValue { value, limit, enabled, unlimited } = FeatureValue::of(row.kind, value);
            PublicFeatureValue { tier_code, value, limit, enabled, unlimited }
        };
        Self {
            code: row.code,
            name: row.name,
            description: row.description,
            kind: row.kind,
            unit: row.unit,
            scope: row.scope,
            tiers: row.tiers.0.into_iter().map(worth).collect(),
        }
    }
}
