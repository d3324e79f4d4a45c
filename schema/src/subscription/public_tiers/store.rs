//! Every statement about the tiers on offer.

use serde::Deserialize;
use serde_json::Value;
use sqlx::types::Json;

use crate::db::Db;
use crate::fault::Fault;
use crate::page::Window;
use crate::paged;

/// A tier with the values that its features have there.
pub(super) struct TierRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) description: String,
    pub(super) price_amount_minor: i64,
    pub(super) currency: String,
    pub(super) billing_period: String,
    pub(super) self_service: bool,
    pub(super) highlighted: bool,
    pub(super) burst_per_second: i32,
    pub(super) daily_requests: i64,
    pub(super) position: i32,
    pub(super) features: Json<Vec<FeatureRow>>,
}

/// A feature and its value: true or false, a whole number, or `"unlimited"`.
#[derive(Deserialize)]
pub(super) struct FeatureRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) value: Value,
}

/// The offered tiers of a page, in the order of the pricing page.
pub(super) async fn page(db: &Db, window: &Window) -> Result<Vec<TierRow>, Fault> {
    let position: i32 = window.key(0)?.unwrap_or(i32::MIN);
    let code: String = window.key(1)?.unwrap_or_default();
    Ok(paged!(
        window,
        db,
        TierRow,
        r#"select code, name, description, price_amount_minor, currency, billing_period, self_service, highlighted,
                  burst_per_second, daily_requests, position,
                  coalesce((
                      select jsonb_agg(jsonb_build_object('code', feature_code, 'name', e.name, 'kind', kind,
                                 'value', value) order by e.position, feature_code)
                        from tier_entitlement as e
                       where e.tier_uuid = tier.tier_uuid
                  ), '[]') as "features!: Json<Vec<FeatureRow>>"
             from tier
            where state = 'OFFERED' and (position, code) > ($1, $2)
            order by position, code"#,
        position,
        code,
    )?)
}

/// A tier on offer.
pub(super) async fn get(db: &Db, code: &str) -> Result<Option<TierRow>, Fault> {
    Ok(sqlx::query_as!(
        TierRow,
        r#"select code, name, description, price_amount_minor, currency, billing_period, self_service, highlighted,
                  burst_per_second, daily_requests, position,
                  coalesce((
                      select jsonb_agg(jsonb_build_object('code', feature_code, 'name', e.name, 'kind', kind,
                                 'value', value) order by e.position, feature_code)
                        from tier_entitlement as e
                       where e.tier_uuid = tier.tier_uuid
                  ), '[]') as "features!: Json<Vec<FeatureRow>>"
             from tier
            where state = 'OFFERED' and code = $1"#,
        code
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
