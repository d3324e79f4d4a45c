//! SQL statements about second factors.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

/// A time-based factor, enrolled or active.
pub(super) struct FactorRow {
    pub(super) secret_sealed: Vec<u8>,
    pub(super) confirmed_at: Option<Time>,
    pub(super) last_step: Option<i64>,
}

pub(super) async fn get(db: &Db, person_uuid: Uuid) -> Result<Option<FactorRow>, Fault> {
    Ok(sqlx::query_as!(
        FactorRow,
        "select secret_sealed, confirmed_at, last_step from totp_factor where person_uuid = $1",
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Enrols a seed and replaces an unconfirmed one; false if a factor is already active.
pub(super) async fn enrol(db: &Db, person_uuid: Uuid, secret_sealed: &[u8]) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "insert into totp_factor as known (person_uuid, secret_sealed) values ($1, $2)
         on conflict (person_uuid) do update
            set secret_sealed = excluded.secret_sealed, created_at = labs_now(), last_step = null
          where known.confirmed_at is null",
        person_uuid,
        secret_sealed
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Activates an enrolled seed and consumes the time step of its first code. `None` if no seed was enrolled in the last
/// `seconds`. Of several concurrent calls, one succeeds. Locks the user, so that no sign-in with only a password
/// proceeds at the same time.
pub(super) async fn set_confirmed(
    db: &Db,
    person_uuid: Uuid,
    step: Option<i64>,
    seconds: i64,
) -> Result<Option<Time>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"with held as (
             select person_uuid from person where person_uuid = $1 for no key update
           )
           update totp_factor as f set confirmed_at = labs_now(), last_step = $2
             from held
            where f.person_uuid = held.person_uuid and f.confirmed_at is null
              and f.created_at > labs_now() - $3::bigint * interval '1 second'
           returning f.confirmed_at as "confirmed_at!""#,
        person_uuid,
        step,
        seconds
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Returns the unconfirmed seed that was enrolled in the last `seconds`.
pub(super) async fn get_pending(db: &Db, person_uuid: Uuid, seconds: i64) -> Result<Option<Vec<u8>>, Fault> {
    Ok(sqlx::query_scalar!(
        "select secret_sealed from totp_factor
          where person_uuid = $1 and confirmed_at is null
            and created_at > labs_now() - $2::bigint * interval '1 second'
            for update",
        person_uuid,
        seconds
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// An active factor.
pub(super) struct InForceRow {
    /// Whether the user's team requires one.
    pub(super) is_demanded: bool,
}

/// Returns and locks a user's active factor until the transaction ends.
pub(super) async fn lock_active(db: &Db, person_uuid: Uuid) -> Result<Option<InForceRow>, Fault> {
    Ok(sqlx::query_as!(
        InForceRow,
        r#"select coalesce(partner.mfa_required, false) as "is_demanded!"
             from totp_factor join person using (person_uuid) left join partner using (partner_uuid)
            where person_uuid = $1 and confirmed_at is not null
              for update of totp_factor"#,
        person_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Deletes a user's factor and its recovery codes; no session counts as having proved one.
pub(super) async fn delete(db: &Db, person_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with codes as (delete from recovery_code where person_uuid = $1),
              sessions as (update session set second_factor = false
                            where person_uuid = $1 and second_factor and ended_at is null)
         delete from totp_factor where person_uuid = $1",
        person_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Consumes a time step. Of several concurrent calls, one succeeds: a step is used once.
pub(super) async fn set_last_step(db: &Db, person_uuid: Uuid, step: i64) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update totp_factor set last_step = $2 where person_uuid = $1 and (last_step is null or last_step < $2)",
        person_uuid,
        step
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Marks the session as having proved the second factor. This is not a reauthentication: an attacker with a stolen
/// token may have enrolled a factor.
pub(super) async fn session_set_second_factor(db: &Db, session_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("update session set second_factor = true where session_uuid = $1", session_uuid)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Clears the session's requirement to present a second factor that was set when it began.
pub(super) async fn session_release(db: &Db, session_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("update session set mfa_required = false where session_uuid = $1 and mfa_required", session_uuid)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Replaces a user's recovery codes with these digests.
pub(super) async fn put_recovery_codes(db: &Db, person_uuid: Uuid, digests: &[Vec<u8>]) -> Result<(), Fault> {
    sqlx::query!(
        "with gone as (delete from recovery_code where person_uuid = $1)
         insert into recovery_code (person_uuid, code_sha256) select $1, unnest($2::bytea[])",
        person_uuid,
        digests
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Consumes a recovery code. Of several concurrent calls, one succeeds.
pub(super) async fn set_recovery_code_used(db: &Db, person_uuid: Uuid, sha256: &[u8]) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update recovery_code set used_at = labs_now() where person_uuid = $1 and code_sha256 = $2 and used_at is null",
        person_uuid,
        sha256
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}
