//! Every statement about what a partner uses.

use serde_json::Value;

use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::principal::Owner;
use crate::core::time::Time;
use crate::subscription::entitlements::EntitlementSource;

/// A limit beside what is used of it.
pub(super) struct LimitRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) unit: Option<String>,
    pub(super) value: Value,
    pub(super) source: EntitlementSource,
    pub(super) used: Option<i64>,
}

/// Every limit of a partner, in the order of the pricing page.
pub(super) async fn limits(db: &Db, owner: Owner) -> Result<Vec<LimitRow>, Fault> {
    Ok(sqlx::query_as!(
        LimitRow,
        r#"select e.feature_code as "code!", e.name as "name!", e.unit, e.value as "value!",
                  e.source as "source!: EntitlementSource", u.used as "used?"
             from partner_entitlement($1, labs_now()) as e
             left join partner_usage($1) as u on u.feature_code = e.feature_code
            where e.kind = 'LIMIT'
            order by e.feature_position, e.feature_code"#,
        owner.uuid()
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// A partner's budgets.
pub(super) struct RatesRow {
    pub(super) tier_code: String,
    pub(super) burst_per_second: i32,
    pub(super) burst_source: EntitlementSource,
    pub(super) daily_requests: i64,
    pub(super) daily_source: EntitlementSource,
    pub(super) used: i64,
    /// When the day is over, in UTC.
    pub(super) resets_at: Time,
}

/// A partner's budgets, and what is used of today's.
pub(super) async fn rates(db: &Db, owner: Owner) -> Result<Option<RatesRow>, Fault> {
    Ok(sqlx::query_as!(
        RatesRow,
        r#"select tier_code as "tier_code!", burst_per_second as "burst_per_second!",
                  burst_source as "burst_source!: EntitlementSource", daily_requests as "daily_requests!",
                  daily_source as "daily_source!: EntitlementSource", granted_today as "used!",
                  ((date '1970-01-02' + today) at time zone 'UTC') as "resets_at!: Time"
             from partner_rate_limit
            where partner_uuid = $1"#,
        owner.uuid()
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
