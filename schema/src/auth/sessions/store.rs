//! Every statement about sessions, sign-in failures and sign-in challenges.

use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::time::Time;

/// A person as sign-in needs to know them.
pub(super) struct Credentials {
    pub(super) person_uuid: Uuid,
    pub(super) state: String,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) partner_state: Option<String>,
    pub(super) session_hours: Option<i32>,
    pub(super) password_hash: Option<String>,
    pub(super) has_totp: bool,
}

/// A session as rotation needs it.
pub(crate) struct SessionRow {
    pub(crate) session_uuid: Uuid,
    pub(crate) person_uuid: Uuid,
    pub(crate) partner_uuid: Option<Uuid>,
    pub(crate) person_state: String,
    pub(crate) partner_state: Option<String>,
    pub(crate) counter: i64,
    pub(crate) counter_changed_at: Time,
    pub(crate) idle_expires_at: Time,
    pub(crate) expires_at: Time,
    pub(crate) ended: bool,
}

/// Finds a person by the normalised copy of their address.
pub(super) async fn credentials_get(db: &Db, email_normalised: &str) -> Result<Option<Credentials>, Fault> {
    Ok(sqlx::query_as!(
        Credentials,
        r#"select person_uuid, person.state, person.partner_uuid, partner.state as "partner_state?",
                  partner.session_hours as "session_hours?", password_hash,
                  exists (select 1 from totp_factor where totp_factor.person_uuid = person.person_uuid and confirmed_at is not null) as "has_totp!"
             from person left join partner using (partner_uuid)
            where email_normalised = $1 and person.state <> 'REMOVED'"#,
        email_normalised
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// The same by id.
pub(super) async fn credentials_of(db: &Db, person_uuid: Uuid) -> Result<Option<Credentials>, Fault> {
    Ok(sqlx::query_as!(
        Credentials,
        r#"select person_uuid, person.state, person.partner_uuid, partner.state as "partner_state?",
                  partner.session_hours as "session_hours?", password_hash,
                  exists (select 1 from totp_factor where totp_factor.person_uuid = person.person_uuid and confirmed_at is not null) as "has_totp!"
             from person left join partner using (partner_uuid)
            where person_uuid = $1 and person.state <> 'REMOVED'"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Until when the next try of any of these subjects is held back.
pub(super) async fn held_until_get(db: &Db, subjects: &[String]) -> Result<Option<Time>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select max(held_until) as "held_until: Time" from sign_in_failure where subject = any($1) and held_until > labs_now()"#,
        subjects
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Counts one more failure and answers how many there are in a row. A day without any starts anew.
pub(super) async fn failure_add(db: &Db, subject: &str) -> Result<i32, Fault> {
    Ok(sqlx::query_scalar!(
        "insert into sign_in_failure as known (subject, failures, last_failed_at)
         values ($1, 1, labs_now())
         on conflict (subject) do update
            set failures = case when known.last_failed_at < labs_now() - interval '1 day' then 1 else known.failures + 1 end,
                last_failed_at = labs_now()
         returning failures",
        subject
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Holds a subject's next try back.
pub(super) async fn failure_set_held(db: &Db, subject: &str, until: Time) -> Result<(), Fault> {
    sqlx::query!("update sign_in_failure set held_until = $2 where subject = $1", subject, until as Time)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// A success wipes the slate.
pub(super) async fn failures_delete(db: &Db, subjects: &[String]) -> Result<(), Fault> {
    sqlx::query!("delete from sign_in_failure where subject = any($1)", subjects)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// A better hash of the same password.
pub(super) async fn password_hash_set(db: &Db, person_uuid: Uuid, hash: &str) -> Result<(), Fault> {
    sqlx::query!("update person set password_hash = $2 where person_uuid = $1", person_uuid, hash)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// What a new session is made of.
pub(super) struct NewSession<'a> {
    pub(super) session_uuid: Uuid,
    pub(super) person_uuid: Uuid,
    pub(super) now: Time,
    pub(super) idle_expires_at: Time,
    pub(super) expires_at: Time,
    pub(super) address: ipnet::IpNet,
    pub(super) user_agent: Option<&'a str>,
    pub(super) second_factor: bool,
}

/// Opens a session and notes the sign-in on the person.
pub(super) async fn insert(db: &Db, session: &NewSession<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with signed_in as (update person set last_sign_in_at = $3 where person_uuid = $2)
         insert into session (session_uuid, person_uuid, created_at, last_used_at, idle_expires_at, expires_at, counter,
                              counter_changed_at, address, user_agent, second_factor, reauthenticated_at)
         values ($1, $2, $3, $3, $4, $5, 0, $3, $6, $7, $8, $3)",
        session.session_uuid,
        session.person_uuid,
        session.now as Time,
        session.idle_expires_at as Time,
        session.expires_at as Time,
        session.address as ipnet::IpNet,
        session.user_agent,
        session.second_factor,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Locks a session for rotation.
pub(super) async fn lock(db: &Db, session_uuid: Uuid) -> Result<Option<SessionRow>, Fault> {
    Ok(sqlx::query_as!(
        SessionRow,
        r#"select session_uuid, session.person_uuid, person.partner_uuid, person.state as person_state, partner.state as "partner_state?",
                  counter, counter_changed_at, idle_expires_at, session.expires_at, (ended_at is not null) as "ended!"
             from session join person using (person_uuid) left join partner using (partner_uuid)
            where session_uuid = $1
              for update of session"#,
        session_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Moves the counter on.
pub(super) async fn set_rotated(
    db: &Db,
    session_uuid: Uuid,
    counter: i64,
    now: Time,
    idle_expires_at: Time,
) -> Result<(), Fault> {
    sqlx::query!(
        "update session set counter = $2, counter_changed_at = $3, last_used_at = $3, idle_expires_at = $4 where session_uuid = $1",
        session_uuid,
        counter,
        now as Time,
        idle_expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Ends a session. Again changes nothing.
pub(crate) async fn set_ended(db: &Db, session_uuid: Uuid, reason: &str) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update session set ended_at = labs_now(), end_reason = $2 where session_uuid = $1 and ended_at is null",
        session_uuid,
        reason
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// A challenge that awaits its second factor.
pub(super) async fn challenge_insert(db: &Db, sha256: &[u8], person_uuid: Uuid, expires_at: Time) -> Result<(), Fault> {
    sqlx::query!(
        "insert into one_time_token (token_sha256, purpose, person_uuid, attempts, created_at, expires_at)
         values ($1, 'MFA_CHALLENGE', $2, 0, labs_now(), $3)",
        sha256,
        person_uuid,
        expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Spends one try of a challenge and answers whose it is; `None` when it is void.
pub(super) async fn challenge_try(db: &Db, sha256: &[u8], most: i32) -> Result<Option<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"update one_time_token set attempts = attempts + 1
            where token_sha256 = $1 and purpose = 'MFA_CHALLENGE' and used_at is null and expires_at > labs_now() and attempts < $2
            returning person_uuid as "person_uuid!""#,
        sha256,
        most
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Consumes a challenge. Of several at once, one succeeds.
pub(super) async fn challenge_set_used(db: &Db, sha256: &[u8]) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update one_time_token set used_at = labs_now() where token_sha256 = $1 and used_at is null",
        sha256
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}
