//! SQL statements about sessions and sign-in challenges.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

/// A user with the data needed for sign-in.
pub struct Credentials {
    pub(crate) person_uuid: Uuid,
    pub(crate) email: String,
    pub(crate) email_normalised: String,
    pub(crate) name: String,
    pub(crate) state: String,
    pub(crate) partner_uuid: Option<Uuid>,
    pub(crate) partner_state: Option<String>,
    pub(crate) session_hours: Option<i32>,
    pub(crate) password_hash: Option<String>,
    pub(crate) password_changed_at: Option<Time>,
    pub(crate) has_totp: bool,
}

/// A session with the data needed for rotation.
pub struct SessionRow {
    pub(crate) session_uuid: Uuid,
    pub(crate) person_uuid: Uuid,
    pub(crate) partner_uuid: Option<Uuid>,
    pub(crate) person_state: String,
    pub(crate) partner_state: Option<String>,
    pub(crate) counter: i64,
    pub(crate) counter_changed_at: Time,
    /// Time of the read, by the clock that wrote `counter_changed_at`.
    pub(crate) read_at: Time,
    pub(crate) idle_expires_at: Time,
    pub(crate) expires_at: Time,
    pub(crate) ended: bool,
}

/// Finds a user by the normalised address: the user who verified it, otherwise the latest who registered it.
pub(super) async fn get_credentials(db: &Db, email_normalised: &str) -> Result<Option<Credentials>, Fault> {
    Ok(sqlx::query_as!(
        Credentials,
        r#"select person_uuid, email, email_normalised, name, person.state, person.partner_uuid, partner.state as "partner_state?",
                  partner.session_hours as "session_hours?", password_hash, password_changed_at,
                  exists (select 1 from totp_factor where totp_factor.person_uuid = person.person_uuid and confirmed_at is not null) as "has_totp!"
             from person left join partner using (partner_uuid)
            where email_normalised = $1 and person.state <> 'REMOVED'
            order by person.state = 'UNVERIFIED', person.created_at desc
            limit 1"#,
        email_normalised
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Finds a user by id.
pub(super) async fn credentials_of(db: &Db, person_uuid: Uuid) -> Result<Option<Credentials>, Fault> {
    Ok(sqlx::query_as!(
        Credentials,
        r#"select person_uuid, email, email_normalised, name, person.state, person.partner_uuid, partner.state as "partner_state?",
                  partner.session_hours as "session_hours?", password_hash, password_changed_at,
                  exists (select 1 from totp_factor where totp_factor.person_uuid = person.person_uuid and confirmed_at is not null) as "has_totp!"
             from person left join partner using (partner_uuid)
            where person_uuid = $1 and person.state <> 'REMOVED'"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Stores a stronger hash of the same password, unless the password was replaced since.
pub(super) async fn set_password_hash(db: &Db, person: &Credentials, hash: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update person set password_hash = $2 where person_uuid = $1 and password_changed_at is not distinct from $3",
        person.person_uuid,
        hash,
        person.password_changed_at as Option<Time>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Columns of a new session.
pub(super) struct NewSession<'a> {
    pub(super) session_uuid: Uuid,
    pub(super) person: &'a Credentials,
    pub(super) now: Time,
    pub(super) idle_expires_at: Time,
    pub(super) expires_at: Time,
    pub(super) address: ipnet::IpNet,
    pub(super) user_agent: Option<&'a str>,
    pub(super) second_factor: bool,
}

/// Locks a user until the transaction ends. Sign-ins, code attempts and changes of sign-in data are serialised by this
/// lock, and each re-reads the data that the previous one wrote.
pub(in crate::auth) async fn lock_person(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("select from person where person_uuid = $1 for no key update", person_uuid)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Opens a session and stores the sign-in time of the user. False if the user may no longer sign in, has another
/// password than the checked one, or now has a second factor that this session did not prove. The caller has locked the
/// user.
pub(super) async fn insert(db: &Db, session: &NewSession<'_>) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "with signed_in as (
           update person set last_sign_in_at = $3
            where person_uuid = $2 and state = 'ACTIVE' and password_changed_at is not distinct from $9
              and ($8 or not exists (select from totp_factor as f
                                      where f.person_uuid = person.person_uuid and f.confirmed_at is not null))
           returning person_uuid
         )
         insert into session (session_uuid, person_uuid, created_at, last_used_at, idle_expires_at, expires_at, counter,
                              counter_changed_at, address, user_agent, second_factor, reauthenticated_at)
         select $1, person_uuid, $3, $3, $4, $5, 0, $3, $6, $7, $8, $3 from signed_in",
        session.session_uuid,
        session.person.person_uuid,
        session.now as Time,
        session.idle_expires_at as Time,
        session.expires_at as Time,
        session.address as ipnet::IpNet,
        session.user_agent,
        session.second_factor,
        session.person.password_changed_at as Option<Time>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Locks a session for rotation.
pub(super) async fn lock(db: &Db, session_uuid: Uuid) -> Result<Option<SessionRow>, Fault> {
    Ok(sqlx::query_as!(
        SessionRow,
        r#"select session_uuid, session.person_uuid, person.partner_uuid, person.state as person_state, partner.state as "partner_state?",
                  counter, counter_changed_at, labs_now() as "read_at!: Time", idle_expires_at, session.expires_at,
                  (ended_at is not null) as "ended!"
             from session join person using (person_uuid) left join partner using (partner_uuid)
            where session_uuid = $1
              for update of session"#,
        session_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Increments the counter, by the database clock. The time of last use is rounded to the hour, so that it cannot be
/// correlated with actions on the board (docs/decisions/board.md#last-use-of-a-session).
pub(super) async fn set_rotated(db: &Db, session_uuid: Uuid, counter: i64, idle_expires_at: Time) -> Result<(), Fault> {
    sqlx::query!(
        "update session
            set counter = $2, counter_changed_at = labs_now(), idle_expires_at = $3,
                last_used_at = greatest(created_at, date_trunc('hour', labs_now(), 'UTC'))
          where session_uuid = $1",
        session_uuid,
        counter,
        idle_expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Ends a session. Idempotent.
pub async fn set_ended(db: &Db, session_uuid: Uuid, reason: &str) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update session set ended_at = labs_now(), end_reason = $2 where session_uuid = $1 and ended_at is null",
        session_uuid,
        reason
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Ends a session of this user, and voids a pending change of address that the session requested; false if no open
/// session matches.
pub async fn end_own(db: &Db, person_uuid: Uuid, session_uuid: Uuid, reason: &str) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "with done as (
           update session set ended_at = labs_now(), end_reason = $3
            where session_uuid = $2 and person_uuid = $1 and ended_at is null
              and idle_expires_at > labs_now() and expires_at > labs_now()
           returning session_uuid
         ), void as (
           update one_time_token as t set used_at = labs_now()
             from done join email_change as c on c.session_uuid = done.session_uuid
            where c.person_uuid = $1 and t.person_uuid = $1 and t.purpose = 'CHANGE_EMAIL' and t.used_at is null
              and t.subject_uuid = c.change_uuid
         )
         select from done",
        person_uuid,
        session_uuid,
        reason
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Ends every session of a user, or all but one. Voids pending second-factor challenges, and pending address changes
/// that one of these sessions requested. Returns the number of sessions that were open.
pub async fn end_all(db: &Db, person_uuid: Uuid, except: Option<Uuid>, reason: &str) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"with done as (
             update session set ended_at = labs_now(), end_reason = $3
              where person_uuid = $1 and ended_at is null and session_uuid is distinct from $2
             returning session_uuid, idle_expires_at > labs_now() and expires_at > labs_now() as was_open
           ), void as (
             update one_time_token as t set used_at = labs_now()
              where t.person_uuid = $1 and t.used_at is null
                and (t.purpose = 'MFA_CHALLENGE' or t.purpose = 'CHANGE_EMAIL' and t.subject_uuid in (
                      select c.change_uuid from email_change as c join done on done.session_uuid = c.session_uuid
                       where c.person_uuid = $1))
           )
           select count(*) filter (where was_open) as "ended!" from done"#,
        person_uuid,
        except,
        reason
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Whether an open session was opened or reauthenticated in the last `seconds`.
pub(super) async fn is_fresh(db: &Db, session_uuid: Uuid, seconds: i64) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select exists (select from session
                           where session_uuid = $1 and ended_at is null
                             and reauthenticated_at > labs_now() - $2::bigint * interval '1 second') as "is_fresh!""#,
        session_uuid,
        seconds
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Stores the time of a reauthentication and returns it; `None` if the session has ended. A code proves the second
/// factor for the whole session.
pub(super) async fn set_reauthenticated(db: &Db, session_uuid: Uuid, by_code: bool) -> Result<Option<Time>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"update session set reauthenticated_at = labs_now(), second_factor = second_factor or $2
            where session_uuid = $1 and ended_at is null
           returning reauthenticated_at as "reauthenticated_at!""#,
        session_uuid,
        by_code
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Inserts a challenge that awaits its second factor; false if the user may no longer sign in, or has another password
/// than the checked one.
pub(super) async fn insert_challenge(
    db: &Db,
    sha256: &[u8],
    person: &Credentials,
    expires_at: Time,
) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "with held as (
           select person_uuid from person
            where person_uuid = $2 and state = 'ACTIVE' and password_changed_at is not distinct from $4
              for no key update
         )
         insert into one_time_token (token_sha256, purpose, person_uuid, attempts, created_at, expires_at)
         select $1, 'MFA_CHALLENGE', person_uuid, 0, labs_now(), $3 from held",
        sha256,
        person.person_uuid,
        expires_at as Time,
        person.password_changed_at as Option<Time>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Uses up one attempt of a challenge and returns its user; `None` if the challenge is void.
pub(super) async fn try_challenge(db: &Db, sha256: &[u8], most: i32) -> Result<Option<Uuid>, Fault> {
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

/// Consumes a challenge. Of several concurrent uses, one succeeds.
pub(super) async fn set_challenge_used(db: &Db, sha256: &[u8]) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update one_time_token set used_at = labs_now() where token_sha256 = $1 and used_at is null",
        sha256
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}
