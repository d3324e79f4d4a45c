//! SQL statement of resolved entitlements.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use labs_core::time::Time;
use serde_json::Value;

use super::resolvers::EntitlementSource;
use crate::values::FeatureKind;

/// A feature resolved for a partner.
pub(super) struct EntitlementRow {
    pub(super) tier_code: String,
    pub(super) tier_name: String,
    pub(super) code: String,
    pub(super) name: String,
    pub(super) kind: FeatureKind,
    pub(super) unit: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) value: Value,
    pub(super) source: EntitlementSource,
    pub(super) expires_at: Option<Time>,
}

/// Returns every feature of a partner at a time; by default now.
pub(super) async fn list_all(db: &Db, owner: Owner, at: Option<Time>) -> Result<Vec<EntitlementRow>, Fault> {
    Ok(sqlx::query_as!(
        EntitlementRow,
        r#"select tier.code as "tier_code!", tier.name as "tier_name!", e.feature_code as "code!", e.name as "name!",
                  e.kind as "kind!: FeatureKind", e.unit, e.scope, e.value as "value!",
                  e.source as "source!: EntitlementSource", e.expires_at
             from tier
            cross join lateral partner_entitlement($1, coalesce($2, labs_now())) as e
            where tier.tier_uuid = partner_tier($1, coalesce($2, labs_now()))
            order by e.feature_position, e.feature_code"#,
        owner.uuid(),
        at as Option<Time>,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
