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
    /// UUID of the partner.
    partner_uuid: Uuid,
    /// Requested time. Null for now.
    at: Option<Time>,
    /// Code of the partner's tier at that time.
    tier_code: String,
    /// Display name of that tier.
    tier_name: String,
    /// Every feature, in the order for a pricing page.
    features: Vec<Entitlement>,
}

/// A feature, resolved for a partner.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Entitlement {
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
    /// Unit that a `LIMIT` counts.
    unit: Option<String>,
    /// Scope that a `SCOPE` grants.
    scope: Option<String>,
    /// Source of the value.
    source: EntitlementSource,
    /// Time when an override expires. Every override that staff set has an expiry time. Null for an override that was
    /// stored without one, and for other sources.
    expires_at: Option<Time>,
}

words! {
    /// Source of the value.
    pub enum EntitlementSource {
        /// Set by the tier.
        Tier = "TIER",
        /// Set for this partner alone.
        Override = "OVERRIDE",
        /// The feature's default, because the tier sets no value.
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
