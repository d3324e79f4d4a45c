//! Statements for budgets and their overrides.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::LimitSource;

/// A partner's budgets, their use, and the effective override.
pub(super) struct LimitRow {
    pub(super) company_name: String,
    pub(super) tier_code: String,
    pub(super) burst_per_second: i32,
    pub(super) burst_source: LimitSource,
    pub(super) tier_burst_per_second: i32,
    pub(super) daily_requests: i64,
    pub(super) daily_source: LimitSource,
    pub(super) tier_daily_requests: i64,
    pub(super) used: i64,
    pub(super) override_burst_per_second: Option<i32>,
    pub(super) override_daily_requests: Option<i64>,
    pub(super) reason: Option<String>,
    pub(super) set_by: Option<Uuid>,
    pub(super) set_by_name: Option<String>,
    pub(super) set_at: Option<Time>,
    pub(super) expires_at: Option<Time>,
    /// Database time, which decides the current day.
    pub(super) read_at: Time,
}

/// Loads a partner's budgets.
pub(super) async fn get(db: &Db, partner_uuid: Uuid) -> Result<Option<LimitRow>, Fault> {
    Ok(sqlx::query_as!(
        LimitRow,
        r#"select p.company_name, l.tier_code as "tier_code!", l.burst_per_second as "burst_per_second!",
                  l.burst_source as "burst_source!: _", l.tier_burst_per_second as "tier_burst_per_second!",
                  l.daily_requests as "daily_requests!", l.daily_source as "daily_source!: _",
                  l.tier_daily_requests as "tier_daily_requests!", l.granted_today as "used!",
                  o.burst_per_second as "override_burst_per_second?", o.daily_requests as "override_daily_requests?",
                  o.reason as "reason?", o.set_by as "set_by?", h.name as "set_by_name?", o.set_at as "set_at?",
                  o.expires_at as "expires_at?", labs_now() as "read_at!: Time"
             from partner as p
             join partner_rate_limit as l on l.partner_uuid = p.partner_uuid
             left join rate_limit_override as o on o.partner_uuid = p.partner_uuid
                  and (o.expires_at is null or o.expires_at > labs_now())
             left join person as h on h.person_uuid = o.set_by
            where p.partner_uuid = $1"#,
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Loads the name of a partner that is not erased, and prevents its erasure until the transaction ends.
pub(super) async fn get_name(db: &Db, partner_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!(
        "select company_name from partner where partner_uuid = $1 and state <> 'ERASED' for share",
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// An override to create. An omitted limit is the tier's.
pub(super) struct NewOverride<'a> {
    pub(super) partner_uuid: Uuid,
    pub(super) burst_per_second: Option<i32>,
    pub(super) daily_requests: Option<i64>,
    pub(super) reason: &'a str,
    /// Staff member who set it; `None` if a machine client did.
    pub(super) set_by: Option<Uuid>,
    pub(super) expires_at: Time,
}

/// Sets an override and replaces the previous one.
pub(super) async fn put_override(db: &Db, new: &NewOverride<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "insert into rate_limit_override (partner_uuid, burst_per_second, daily_requests, reason, set_by, set_at, expires_at)
         values ($1, $2, $3, $4, $5, labs_now(), $6)
         on conflict (partner_uuid) do update
            set burst_per_second = excluded.burst_per_second, daily_requests = excluded.daily_requests,
                reason = excluded.reason, set_by = excluded.set_by, set_at = excluded.set_at,
                expires_at = excluded.expires_at",
        new.partner_uuid,
        new.burst_per_second,
        new.daily_requests,
        new.reason,
        new.set_by,
        new.expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes the effective override. Returns whether there was one.
pub(super) async fn delete(db: &Db, partner_uuid: Uuid) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "delete from rate_limit_override
          where partner_uuid = $1 and (expires_at is null or expires_at > labs_now())",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Restores a partner's full budget of the current day. The reset counter increases, which voids the current leases.
pub(super) async fn reset(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "insert into daily_budget (account, day, granted, resets)
         values ('partner:' || $1::uuid::text, (labs_now() at time zone 'UTC')::date, 0, 1)
         on conflict (account, day) do update
            set granted = 0, resets = daily_budget.resets + 1, updated_at = labs_now()",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
