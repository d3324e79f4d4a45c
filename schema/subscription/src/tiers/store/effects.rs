//! SQL statements that compute the effects of a tier change on its subscribers.

use labs_core::db::Db;
use labs_core::fault::Fault;
use serde::Deserialize;
use sqlx::types::Json;
use uuid::Uuid;

/// Number of subscribers that a change of a feature would affect.
pub(in crate::tiers) struct ReachRow {
    pub(in crate::tiers) code: String,
    pub(in crate::tiers) affected: i64,
    /// Number of subscribers with an active override.
    pub(in crate::tiers) overridden: i64,
}

/// Counts the subscribers of a tier that a change of these features would affect.
pub(in crate::tiers) async fn reach(db: &Db, tier_uuid: Uuid, codes: &[String]) -> Result<Vec<ReachRow>, Fault> {
    Ok(sqlx::query_as!(
        ReachRow,
        r#"select changed.code as "code!", count(s.partner_uuid) filter (where o.feature_code is null) as "affected!",
                  count(o.feature_code) as "overridden!"
             from unnest($2::text[]) as changed (code)
             left join subscription as s on s.tier_uuid = $1
             left join lateral (
                 select feature_code from entitlement_override
                  where partner_uuid = s.partner_uuid and feature_code = changed.code
                    and (expires_at is null or expires_at > labs_now())
                  limit 1
             ) as o on true
            group by changed.code"#,
        tier_uuid,
        codes
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Number of subscribers that a change of a budget would affect.
pub(in crate::tiers) struct RateReachRow {
    pub(in crate::tiers) subscribers: i64,
    pub(in crate::tiers) burst_overridden: i64,
    pub(in crate::tiers) daily_overridden: i64,
}

/// Counts the subscribers of a tier with overridden budgets.
pub(in crate::tiers) async fn rate_reach(db: &Db, tier_uuid: Uuid) -> Result<RateReachRow, Fault> {
    Ok(sqlx::query_as!(
        RateReachRow,
        r#"select count(*) as "subscribers!", count(o.burst_per_second) as "burst_overridden!",
                  count(o.daily_requests) as "daily_overridden!"
             from subscription as s
             left join rate_limit_override as o on o.partner_uuid = s.partner_uuid
                  and (o.expires_at is null or o.expires_at > labs_now())
            where s.tier_uuid = $1"#,
        tier_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// A subscriber whose features would change.
pub(in crate::tiers) struct ReachedRow {
    pub(in crate::tiers) partner_uuid: Uuid,
    pub(in crate::tiers) company_name: String,
    /// Codes of the changed features without an override.
    pub(in crate::tiers) codes: Vec<String>,
    /// Usage of the limits among them.
    pub(in crate::tiers) used: Json<Vec<UsedRow>>,
}

/// Usage of a limit.
#[derive(Deserialize)]
pub(in crate::tiers) struct UsedRow {
    pub(in crate::tiers) code: String,
    pub(in crate::tiers) used: i64,
}

/// Returns the first subscribers that a change of these features would affect, most recent on the tier first, and one
/// more than the response lists.
pub(in crate::tiers) async fn list_reached(
    db: &Db,
    tier_uuid: Uuid,
    codes: &[String],
) -> Result<Vec<ReachedRow>, Fault> {
    Ok(sqlx::query_as!(
        ReachedRow,
        r#"select s.partner_uuid, p.company_name, own.codes as "codes!",
                  coalesce((
                      select jsonb_agg(jsonb_build_object('code', u.feature_code, 'used', u.used))
                        from partner_usage(s.partner_uuid) as u
                       where u.feature_code = any(own.codes)
                  ), '[]') as "used!: Json<Vec<UsedRow>>"
             from subscription as s
             join partner as p on p.partner_uuid = s.partner_uuid
            cross join lateral (
                select array_agg(changed.code order by changed.code) as codes
                  from unnest($2::text[]) as changed (code)
                 where not exists (
                     select from entitlement_override as o
                      where o.partner_uuid = s.partner_uuid and o.feature_code = changed.code
                        and (o.expires_at is null or o.expires_at > labs_now()))
            ) as own
            where s.tier_uuid = $1 and own.codes is not null
            order by s.started_at desc, s.partner_uuid desc
            limit 101"#,
        tier_uuid,
        codes
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
