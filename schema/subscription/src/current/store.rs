//! SQL statements that compare two tiers for a partner.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use serde_json::Value;
use uuid::Uuid;

use crate::values::FeatureKind;

/// A feature with its value now and under another tier.
pub(super) struct ComparedRow {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) kind: FeatureKind,
    pub(super) unit: Option<String>,
    pub(super) before: Value,
    pub(super) after: Value,
    pub(super) used: Option<i64>,
}

/// Returns every feature of a partner, with its value now and under a tier. An active override stays.
pub(super) async fn compare(db: &Db, owner: Owner, tier_uuid: Uuid) -> Result<Vec<ComparedRow>, Fault> {
    Ok(sqlx::query_as!(
        ComparedRow,
        r#"select present.feature_code as "code!", present.name as "name!", present.kind as "kind!: FeatureKind",
                  present.unit, present.value as "before!",
                  case when present.source = 'OVERRIDE' then present.value else coming.value end as "after!",
                  u.used as "used?"
             from partner_entitlement($1, labs_now()) as present
             join tier_entitlement as coming on coming.tier_uuid = $2 and coming.feature_code = present.feature_code
             left join partner_usage($1) as u on u.feature_code = present.feature_code
            order by present.feature_position, present.feature_code"#,
        owner.uuid(),
        tier_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// A partner's budgets now and under another tier. An active override stays.
pub(super) struct RatesRow {
    pub(super) tier_code: String,
    pub(super) burst_before: i32,
    pub(super) burst_after: i32,
    pub(super) daily_before: i64,
    pub(super) daily_after: i64,
}

/// Returns a partner's budgets now and under another tier.
pub(super) async fn rates(db: &Db, owner: Owner, tier_uuid: Uuid) -> Result<Option<RatesRow>, Fault> {
    Ok(sqlx::query_as!(
        RatesRow,
        r#"select l.tier_code as "tier_code!", l.burst_per_second as "burst_before!",
                  case l.burst_source when 'OVERRIDE' then l.burst_per_second else t.burst_per_second end as "burst_after!",
                  l.daily_requests as "daily_before!",
                  case l.daily_source when 'OVERRIDE' then l.daily_requests else t.daily_requests end as "daily_after!"
             from partner_rate_limit as l
             join tier as t on t.tier_uuid = $2
            where l.partner_uuid = $1"#,
        owner.uuid(),
        tier_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
