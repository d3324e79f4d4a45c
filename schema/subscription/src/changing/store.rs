//! SQL statements about subscriptions and their changes.

pub(super) mod events;

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::list::{Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::SubscriptionState;
use crate::tiers::rules::TierState;

/// A subscription locked for a change.
pub(super) struct LockedSubscriptionRow {
    pub(super) partner_uuid: Uuid,
    pub(super) company_name: String,
    pub(super) partner_state: String,
    pub(super) tier_uuid: Uuid,
    pub(super) tier_code: String,
    /// Whether it is on the fallback tier of cancelled subscriptions, or on another free tier without an end.
    pub(super) is_fallback: bool,
    pub(super) state: SubscriptionState,
    pub(super) period_end: Option<Time>,
    pub(super) pending_tier_uuid: Option<Uuid>,
    pub(super) pending_at: Option<Time>,
    /// Time of the read, by the database clock.
    pub(super) read_at: Time,
}

/// Inserts a new partner's subscription, with its first event.
pub async fn begin(db: &Db, partner_uuid: Uuid, tier_uuid: Uuid, actor: Actor) -> Result<(), Fault> {
    sqlx::query!(
        "with begun as (
             insert into subscription (partner_uuid, tier_uuid, period_end)
             select $1, t.tier_uuid, case t.billing_period when 'MONTH' then labs_now() + interval '1 month'
                                                           when 'YEAR' then labs_now() + interval '1 year' end
             from tier as t
             where t.tier_uuid = $2
         )
         insert into subscription_event (event_uuid, partner_uuid, kind, to_tier_uuid, actor_kind, actor_uuid)
         values (labs_uuid(), $1, 'STARTED', $2, $3, $4)",
        partner_uuid,
        tier_uuid,
        actor.kind,
        actor.uuid,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Restarts a new partner's first period now instead of at the registration. If the subscription was changed since, it
/// stays unchanged.
pub async fn restart_period(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    wait_for_lock(db, partner_uuid).await?;
    sqlx::query!(
        "update subscription as s
            set started_at = labs_now(), period_start = labs_now(), updated_at = labs_now(),
                period_end = case t.billing_period when 'MONTH' then labs_now() + interval '1 month'
                                                   when 'YEAR' then labs_now() + interval '1 year' end
           from tier as t
          where s.partner_uuid = $1 and t.tier_uuid = s.tier_uuid and not exists (
                select from subscription_event as e where e.partner_uuid = $1 and e.kind <> 'STARTED')",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Locks a subscription against changes until the transaction ends.
async fn wait_for_lock(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("select from subscription where partner_uuid = $1 for no key update", partner_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Locks a subscription until the transaction ends. A transaction that adds an object counted by a limit takes the same
/// lock.
pub(super) async fn lock(db: &Db, partner_uuid: Uuid) -> Result<Option<LockedSubscriptionRow>, Fault> {
    // The joined tables are read after the lock, so that a waiting transaction sees the changes of the previous one.
    wait_for_lock(db, partner_uuid).await?;
    Ok(sqlx::query_as!(
        LockedSubscriptionRow,
        r#"select s.partner_uuid, p.company_name, p.state as partner_state, s.tier_uuid, t.code as tier_code,
                  s.tier_uuid = fallback_tier() or (t.price_amount_minor = 0 and s.period_end is null) as "is_fallback!",
                  s.state as "state: SubscriptionState", s.period_end, s.pending_tier_uuid, s.pending_at,
                  labs_now() as "read_at!: Time"
             from subscription as s
             join partner as p on p.partner_uuid = s.partner_uuid
             join tier as t on t.tier_uuid = s.tier_uuid
            where s.partner_uuid = $1"#,
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Returns the partners whose subscription has a due change. It is never due while a partner is closed or after it was
/// erased.
pub(super) async fn due_page(db: &Db) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select due.partner_uuid as "partner_uuid!"
             from (
                 (select s.partner_uuid from subscription as s
                   cross join lateral (
                       select from partner as p
                        where p.partner_uuid = s.partner_uuid and p.state not in ('CLOSED', 'ERASED') limit 1
                   ) as is_open
                   where s.pending_at <= labs_now() order by s.pending_at limit 100)
                 union
                 (select s.partner_uuid from subscription as s
                   cross join lateral (
                       select from partner as p
                        where p.partner_uuid = s.partner_uuid and p.state not in ('CLOSED', 'ERASED') limit 1
                   ) as is_open
                   where s.period_end <= labs_now() order by s.period_end limit 100)
             ) as due"#
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Locks a subscription with a due change, unless another replica has locked it.
pub(super) async fn lock_due(db: &Db, partner_uuid: Uuid) -> Result<Option<LockedSubscriptionRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedSubscriptionRow,
        r#"select s.partner_uuid, p.company_name, p.state as partner_state, s.tier_uuid, t.code as tier_code,
                  false as "is_fallback!", s.state as "state: SubscriptionState", s.period_end, s.pending_tier_uuid,
                  s.pending_at, labs_now() as "read_at!: Time"
             from subscription as s
             join partner as p on p.partner_uuid = s.partner_uuid
             join tier as t on t.tier_uuid = s.tier_uuid
            where s.partner_uuid = $1 and (s.pending_at <= labs_now() or s.period_end <= labs_now())
              for no key update of s skip locked"#,
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A tier with the data needed to change to it.
#[derive(sqlx::FromRow)]
pub struct TierRow {
    pub tier_uuid: Uuid,
    pub(crate) code: String,
    pub(crate) name: String,
    pub state: TierState,
    pub(crate) self_service: bool,
}

static TIERS: Select<TierRow> = Select::new("tier_uuid, code, name, state, self_service", "tier");

static BY_CODE: Lookup<TierRow> = Lookup::new(&TIERS, &["code = {}"]);
static BY_UUID: Lookup<TierRow> = Lookup::new(&TIERS, &["tier_uuid = {}"]);
static FALLBACK: Lookup<TierRow> = Lookup::new(&TIERS, &["tier_uuid = fallback_tier()"]);

/// SQL for tiers that this module assembles at run time, so the compiler does not check it.
pub(super) static STATEMENTS: [&dyn Statements; 3] = [&BY_CODE, &BY_UUID, &FALLBACK];

/// Returns the tier with this code.
pub async fn get_tier(db: &Db, code: &str) -> Result<Option<TierRow>, Fault> {
    BY_CODE.fetch_one(db, [code.into()]).await
}

/// Returns a tier by id.
pub(super) async fn tier_by_uuid(db: &Db, tier_uuid: Uuid) -> Result<Option<TierRow>, Fault> {
    BY_UUID.fetch_one(db, [tier_uuid.into()]).await
}

/// Returns the fallback tier of cancelled subscriptions.
pub async fn get_fallback(db: &Db) -> Result<Option<TierRow>, Fault> {
    FALLBACK.fetch_one(db, [SqlValue::Nothing]).await
}

/// Sets the tier of a subscription, now or as of the given time. Clears the pending change and starts a period.
pub(super) async fn set_tier(
    db: &Db,
    partner_uuid: Uuid,
    tier_uuid: Uuid,
    state: &str,
    since: Option<Time>,
) -> Result<(), Fault> {
    sqlx::query!(
        "update subscription as s
            set tier_uuid = t.tier_uuid, state = $3, started_at = coalesce($4, labs_now()),
                period_start = coalesce($4, labs_now()), period_anchor = coalesce($4, labs_now()),
                period_end = period_end_after(coalesce($4, labs_now()), t.billing_period, coalesce($4, labs_now())),
                pending_tier_uuid = null, pending_at = null, updated_at = labs_now()
           from tier as t
          where s.partner_uuid = $1 and t.tier_uuid = $2",
        partner_uuid,
        tier_uuid,
        state,
        since as Option<Time>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Schedules a change and replaces the pending one.
pub(super) async fn set_pending(
    db: &Db,
    partner_uuid: Uuid,
    tier_uuid: Uuid,
    state: &str,
    at: Time,
) -> Result<(), Fault> {
    sqlx::query!(
        "update subscription set state = $3, pending_tier_uuid = $2, pending_at = $4, updated_at = labs_now()
          where partner_uuid = $1",
        partner_uuid,
        tier_uuid,
        state,
        at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the state of a subscription and clears a scheduled tier change.
pub(super) async fn set_state(db: &Db, partner_uuid: Uuid, state: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update subscription set state = $2, pending_tier_uuid = null, pending_at = null, updated_at = labs_now()
          where partner_uuid = $1",
        partner_uuid,
        state
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Withdraws the pending tier change request. Returns the request and its tier, if one was pending.
pub(super) async fn request_withdraw(
    db: &Db,
    partner_uuid: Uuid,
    reason: Option<&str>,
) -> Result<Option<(Uuid, Uuid)>, Fault> {
    let row = sqlx::query!(
        "update tier_change_request set state = 'WITHDRAWN', decided_at = labs_now(), decision_reason = $2
          where partner_uuid = $1 and state = 'PENDING'
         returning request_uuid, to_tier_uuid",
        partner_uuid,
        reason
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| (row.request_uuid, row.to_tier_uuid)))
}

/// Sets the end of the current period; later periods are counted from it.
pub(super) async fn set_period_end(db: &Db, partner_uuid: Uuid, period_end: Time) -> Result<(), Fault> {
    sqlx::query!(
        "update subscription set period_end = $2, period_anchor = $2, updated_at = labs_now() where partner_uuid = $1",
        partner_uuid,
        period_end as Time
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Starts the period after the ended one.
pub(super) async fn set_renewed(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update subscription as s
            set period_start = s.period_end, period_anchor = coalesce(s.period_anchor, s.period_start),
                period_end = period_end_after(coalesce(s.period_anchor, s.period_start), t.billing_period, s.period_end),
                updated_at = labs_now()
           from tier as t
          where s.partner_uuid = $1 and t.tier_uuid = s.tier_uuid",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
