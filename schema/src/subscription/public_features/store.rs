//! The one statement about the feature matrix.

use serde::Deserialize;
use serde_json::Value;
use sqlx::types::Json;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::Window;
use crate::paged;

/// A feature with its value in each tier on offer.
pub(super) struct FeatureRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) kind: String,
    pub(super) unit: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) position: i32,
    pub(super) tiers: Json<Vec<ValueRow>>,
}

/// A value in a tier.
#[derive(Deserialize)]
pub(super) struct ValueRow {
    pub(super) tier_code: String,
    pub(super) value: Value,
}

/// A page of the matrix, in the order of the pricing page.
pub(super) async fn page(db: &Db, window: &Window) -> Result<Vec<FeatureRow>, Fault> {
    Ok(paged!(
        window,
        db,
        FeatureRow,
        r#"select feature_code as code, name, description, kind, unit, scope, position,
                  coalesce((
                      select jsonb_agg(jsonb_build_object('tier_code', t.code, 'value', e.value)
                                 order by t.position, t.code)
                        from tier as t
                        join tier_entitlement as e on e.tier_uuid = t.tier_uuid
                             and e.feature_code = feature.feature_code
                       where t.state = 'OFFERED'
                  ), '[]') as "tiers!: Json<Vec<ValueRow>>"
             from feature
            where (position, feature_code) > ($1, $2)
            order by position, feature_code"#,
        window.key::<i32>(0)?.unwrap_or(i32::MIN),
        window.key::<String>(1)?.unwrap_or_default(),
    )?)
}
