//! Statements for the actions of staff on signing keys. None of them reads a private key.

use labs_core::authority::FreshKey;
use labs_core::db::Db;
use labs_core::fault::Fault;

use super::list::KeyRow;

/// Advisory lock that allows one rotation at a time across all replicas.
const LOCK: i64 = 0x6b65_7973; // "keys"

/// Waits until no other rotation is in progress.
pub(super) async fn lock(db: &Db) -> Result<(), Fault> {
    sqlx::query!("select pg_advisory_xact_lock($1)", LOCK).execute(&mut *db.conn().await?).await?;
    Ok(())
}

/// Counts the keys that verify now. Each of them is published, and each rotation adds one.
pub(super) async fn count_verifying(db: &Db) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from signing_key where state <> 'RETIRED' or expires_at > labs_now()"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Retires the current key. It verifies for the given number of seconds and can no longer sign.
pub(super) async fn set_retired(db: &Db, verifies_seconds: i32) -> Result<Option<KeyRow>, Fault> {
    Ok(sqlx::query_as!(
        KeyRow,
        r#"update signing_key
            set state = 'RETIRED', retired_at = labs_now(), private_key_sealed = null,
                expires_at = labs_now() + make_interval(secs => $1)
          where state = 'CURRENT'
         returning key_id, algorithm, state as "state: _", public_key, created_at, activated_at, retired_at, expires_at"#,
        f64::from(verifies_seconds)
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Makes the next key the current key.
pub(super) async fn set_current(db: &Db) -> Result<Option<KeyRow>, Fault> {
    Ok(sqlx::query_as!(
        KeyRow,
        r#"update signing_key set state = 'CURRENT', activated_at = labs_now() where state = 'NEXT'
         returning key_id, algorithm, state as "state: _", public_key, created_at, activated_at, retired_at, expires_at"#
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Inserts a newly generated key as the next key.
pub(super) async fn insert(db: &Db, fresh: &FreshKey) -> Result<KeyRow, Fault> {
    Ok(sqlx::query_as!(
        KeyRow,
        r#"insert into signing_key (key_id, algorithm, state, public_key, private_key_sealed)
         values ($1, 'EdDSA', 'NEXT', $2, $3)
         returning key_id, algorithm, state as "state: _", public_key, created_at, activated_at, retired_at, expires_at"#,
        fresh.key_id,
        fresh.public_key.as_slice(),
        fresh.private_key_sealed,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
