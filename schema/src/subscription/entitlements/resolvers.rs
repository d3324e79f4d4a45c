//! What a partner may ask about its entitlements.

use async_graphql::{Context, Json, Object, SimpleObject};
use serde_json::Value;
use uuid::Uuid;

use super::rules;
use super::store::{self, EntitlementRow};
use crate::core::access::access;
use crate::core::context::RequestContextExt;
use crate::core::fault::Fault;
use crate::core::time::Time;
use crate::core::words::words;
use crate::subscription::values::{FeatureKind, FeatureValue};

/// Entitlements of a partner, each with its source.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Entitlements {
    /// Id of the partner.
    partner_uuid: Uuid,
    /// The moment that was asked about; null for now.
    at: Option<Time>,
    /// Code of the partner's tier at that time.
    tier_code: String,
    /// Display name of that tier.
    tier_name: String,
    /// Every feature, in the order of the pricing page.
    features: Vec<Entitlement>,
}

/// A feature, resolved for a partner.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Entitlement {
    /// By which programs know the feature.
    code: String,
    /// Display name of the feature.
    name: String,
    /// How to read its value.
    kind: FeatureKind,
    /// True or false, or a number; null for a limit without a cap.
    value: Option<Json<Value>>,
    /// The number of a limit; null for one without a cap, and for what is no limit.
    limit: Option<i64>,
    /// Whether what is no limit is granted; null for a limit.
    enabled: Option<bool>,
    /// Whether a limit has no cap.
    unlimited: bool,
    /// What a limit counts.
    unit: Option<String>,
    /// The scope that the feature lets people and programs hold.
    scope: Option<String>,
    /// Where the value comes from.
    source: EntitlementSource,
    /// When an override ends by itself; null for one without an end, and for what comes from elsewhere.
    expires_at: Option<Time>,
}

words! {
    /// Where an entitlement comes from.
    pub(crate) enum EntitlementSource {
        /// The tier says so.
        Tier = "TIER",
        /// It was set for this partner alone.
        Override = "OVERRIDE",
        /// The tier says nothing, so the feature's own default holds.
        Default = "DEFAULT",
    }
}

/// Reads of entitlements.
#[derive(Default)]
pub(crate) struct EntitlementsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl EntitlementsQuery {
    /// Get the current subscription's entitlements.
    #[graphql(directive = access::apply("subscription".into()))]
    async fn subscription_entitlements_get(
        &self,
        ctx: &Context<'_>,
        at: Option<Time>,
    ) -> Result<Option<Entitlements>, Fault> {
        let cx = ctx.cx();
        let owner = cx.owner()?;
        rules::moment(at, cx.now)?;
        let rows = store::all(&cx.db, owner, at).await?;
        let tier = rows.first().map(|row| (row.tier_code.clone(), row.tier_name.clone()));
        let (tier_code, tier_name) = tier.ok_or_else(|| Fault::internal("a partner without entitlements"))?;
        let features = rows.into_iter().map(Into::into).collect();
        cx.answer(Entitlements { partner_uuid: owner.uuid(), at, tier_code, tier_name, features })
    }
}

impl From<EntitlementRow> for Entitlement {
    fn from(row: EntitlementRow) -> Self {
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
            expires_at: row.expires_at,
        }
    }
}
