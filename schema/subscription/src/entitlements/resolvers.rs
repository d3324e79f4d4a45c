//! Resolvers of a partner's entitlements.

use labs_core::context::RequestContext;
use labs_core::describe::{Json, OutputType};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use labs_core::words::words;
use serde_json::Value;
use uuid::Uuid;

use super::rules;
use super::store::{self, EntitlementRow};
use crate::values::{FeatureKind, FeatureValue};

/// Entitlements of a partner, each with its source.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Entitlements {
    /// Id of the partner.
    partner_uuid: Uuid,
    /// Requested time; null for now.
    at: Option<Time>,
    /// Code of the partner's tier at that time.
    tier_code: String,
    /// Display name of that tier.
    tier_name: String,
    /// Every feature, in the order of the pricing page.
    features: Vec<Entitlement>,
}

/// A feature resolved for a partner.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Entitlement {
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
    /// Unit that a LIMIT counts.
    unit: Option<String>,
    /// Scope that the feature grants to users and machine clients.
    scope: Option<String>,
    /// Source of the value.
    source: EntitlementSource,
    /// Time when the override expires; null for an override without an end, and for another source.
    expires_at: Option<Time>,
}

words! {
    /// Source of an entitlement.
    pub enum EntitlementSource {
        /// The value of the tier.
        Tier = "TIER",
        /// An override for this partner.
        Override = "OVERRIDE",
        /// The default of the feature, because the tier sets no value.
        Default = "DEFAULT",
    }
}

/// Operations of this file.
pub const OPERATIONS: &[Operation] = operations![subscription_entitlements_get];

/// Get the current subscription's entitlements.
#[operation(query, access = "subscription")]
async fn subscription_entitlements_get(cx: &RequestContext, at: Option<Time>) -> Result<Entitlements, Fault> {
    let owner = cx.owner()?;
    rules::moment(at, cx.now)?;
    let rows = store::list_all(&cx.db, owner, at).await?;
    let tier = rows.first().map(|row| (row.tier_code.clone(), row.tier_name.clone()));
    let (tier_code, tier_name) = tier.ok_or_else(|| Fault::internal("a partner without entitlements"))?;
    let features = rows.into_iter().map(Into::into).collect();
    Ok(Entitlements { partner_uuid: owner.uuid(), at, tier_code, tier_name, features })
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
