//! What anybody may ask about features.

use async_graphql::{Context, Json, Object, SimpleObject};
use serde_json::Value;

use super::list::{FEATURES, PublicFeatureRow, ValueRow};
use crate::core::access::{access, may_lag};
use crate::core::context::RequestContextExt;
use crate::core::fault::Fault;
use crate::core::list::PageRequest;
use crate::core::page::List;
use crate::subscription::values::{FeatureKind, FeatureValue};

/// A feature with its value in each tier on offer.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicFeature {
    /// By which programs know it.
    code: String,
    /// Its name for people.
    name: String,
    /// What it is.
    description: String,
    /// How to read its values.
    kind: FeatureKind,
    /// What a limit counts.
    unit: Option<String>,
    /// The scope that it lets people and programs hold.
    scope: Option<String>,
    /// What it is worth in each tier, in the order of the pricing page.
    tiers: Vec<PublicFeatureValue>,
}

/// Value of a feature in a tier.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublicFeatureValue {
    /// The tier.
    tier_code: String,
    /// True or false, or a number; null for a limit without a cap.
    value: Option<Json<Value>>,
    /// The number of a limit; null for one without a cap, and for what is no limit.
    limit: Option<i64>,
    /// Whether what is no limit is granted; null for a limit.
    enabled: Option<bool>,
    /// Whether a limit has no cap.
    unlimited: bool,
}

/// Public reads of features.
#[derive(Default)]
pub(crate) struct PublicFeaturesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl PublicFeaturesQuery {
    /// List public features by tier.
    #[graphql(directive = access::apply("public".into()), directive = may_lag::apply())]
    async fn subscription_public_features_list(
        &self,
        ctx: &Context<'_>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<PublicFeature>>, Fault> {
        let cx = ctx.cx();
        let rows = FEATURES.page(cx, &(), &PageRequest::new(None, limit, cursor)).await?;
        cx.answer_list(rows.map(|row| Ok(row.into()))?.list())
    }
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
