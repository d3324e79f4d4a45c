//! Statements for the state of a partner.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

/// A partner locked for a transition.
pub(super) struct LockedPartnerRow {
    pub(super) company_name: String,
    pub(super) state: String,
    pub(super) former_state: Option<String>,
    pub(super) closes_at: Option<Time>,
}

/// Locks a partner until the transaction ends.
pub(super) async fn lock(db: &Db, partner_uuid: Uuid) -> Result<Option<LockedPartnerRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedPartnerRow,
        "select company_name, state, former_state, closes_at from partner
          where partner_uuid = $1
            for no key update",
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Locks a partner that is due to be closed; `None` if another transaction has locked it or the closure is not due any
/// more.
pub(super) async fn lock_due(db: &Db, partner_uuid: Uuid) -> Result<Option<LockedPartnerRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedPartnerRow,
        "select company_name, state, former_state, closes_at from partner
          where partner_uuid = $1 and state = 'CLOSING' and closes_at <= labs_now()
            for no key update skip locked",
        partner_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Loads partners that are due to be closed, earliest first.
pub async fn due_page(db: &Db) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select partner_uuid from partner
          where state = 'CLOSING' and closes_at <= labs_now()
          order by closes_at
          limit 100"
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Loads the number of days in an operator's setting, or the default if the setting is missing or invalid.
pub(super) async fn get_days(db: &Db, key: &str, otherwise: i32) -> Result<i32, Fault> {
    let days = sqlx::query_scalar!(
        r#"select value::text::integer as "days!" from service_setting
            where key = $1 and value::text ~ '^[0-9]{1,4}$'"#,
        key
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(days.unwrap_or(otherwise))
}

/// State change of a partner.
pub(super) struct Change<'a> {
    pub(super) state: &'a str,
    pub(super) former: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    /// Days until the period ends that starts with this state.
    pub(super) days: Option<i32>,
}

/// Sets the state of a partner and returns the end of its period. A suspension stops the remaining time of a closure,
/// and the end of the suspension resumes it.
pub(super) async fn set_state(db: &Db, partner_uuid: Uuid, change: &Change<'_>) -> Result<Option<Time>, Fault> {
    Ok(sqlx::query_scalar!(
        "update partner
            set state = $2, former_state = $3, state_reason = $4, state_changed_at = labs_now(),
                updated_at = labs_now(),
                closes_at = case
                    when $5::integer is not null then labs_now() + make_interval(days => $5)
                    when $2 = 'SUSPENDED' and $3 = 'CLOSING' then closes_at
                    when $2 = 'CLOSING' then closes_at + (labs_now() - state_changed_at)
                end
          where partner_uuid = $1
         returning closes_at",
        partner_uuid,
        change.state,
        change.former,
        change.reason,
        change.days,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Shows or hides the listings of a partner according to its state, and invalidates the caches.
pub(super) async fn listings_follow(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with moved as (
             update listing as l
             set visible = not l.visible, updated_at = labs_now()
             from app as a, partner as p
             where l.partner_uuid = $1 and a.app_uuid = l.app_uuid and p.partner_uuid = l.partner_uuid
                 and l.visible <> (a.state = 'LISTED' and p.state in ('ACTIVE', 'CLOSING'))
             returning l.app_uuid, l.slug, l.visible
         )
         insert into listing_change (app_uuid, slug, change)
         select app_uuid, slug, case when visible then 'PUBLISHED' else 'GONE' end from moved",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Ends every session of a team, and revokes every token of its machine clients.
pub(super) async fn end_sessions(db: &Db, partner_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with people as (select person_uuid from person where partner_uuid = $1),
         void as (
             update one_time_token as t set used_at = labs_now()
             from people
             where t.person_uuid = people.person_uuid and t.purpose = 'MFA_CHALLENGE' and t.used_at is null
         ), programs as (
             update machine_client set tokens_void_before = labs_now() where partner_uuid = $1
         )
         update session as s set ended_at = labs_now(), end_reason = 'PARTNER_CLOSED'
         from people
         where s.person_uuid = people.person_uuid and s.ended_at is null",
        partner_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
