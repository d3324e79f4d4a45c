//! Every statement about signing keys that staff cause. None of them reads a private half.

use super::list::KeyRow;
use crate::core::authority::FreshKey;
use crate::core::db::Db;
use crate::core::fault::Fault;

/// One rotation at a time, over all replicas.
const LOCK: i64 = 0x6b65_7973; // "keys"

/// Waits until no other rotation is under way.
pub(super) async fn lock(db: &Db) -> Result<(), Fault> {
    sqlx::query!("select pg_advisory_xact_lock($1)", LOCK).execute(&mut *db.conn().await?).await?;
    Ok(())
}

/// How many keys verify now: each is published, and more come from rotating.
pub(super) async fn count_verifying(db: &Db) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from signing_key where state <> 'RETIRED' or expires_at > labs_now()"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Retires the current key, which goes on verifying for so many seconds and can sign no more.
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

/// Makes the next key the current one.
pub(super) async fn set_current(db: &Db) -> Result<Option<KeyRow>, Fault> {
    Ok(sqlx::query_as!(
        KeyRow,
        r#"update signing_key set state = 'CURRENT', activated_at = labs_now() where state = 'NEXT'
         returning key_id, algorithm, state as "state: _", public_key, created_at, activated_at, retired_at, expires_at"#
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Keeps a key just made as the next one.
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
