//! Every statement about signing keys that staff cause. None of them reads a private half.

use serde_json::json;

use crate::authority::FreshKey;
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// One rotation at a time, over all replicas.
const LOCK: i64 = 0x6b65_7973; // "keys"

/// A key without its private half.
pub(super) struct KeyRow {
    pub(super) key_id: String,
    pub(super) algorithm: String,
    pub(super) state: String,
    pub(super) public_key: Vec<u8>,
    pub(super) created_at: Time,
    pub(super) activated_at: Option<Time>,
    pub(super) retired_at: Option<Time>,
    pub(super) expires_at: Option<Time>,
}

impl KeyRow {
    /// The cursor's keys.
    pub(super) fn keys(&self) -> Keys {
        vec![json!(self.created_at), json!(self.key_id)]
    }
}

/// A page of keys, the latest first.
pub(super) async fn page(db: &Db, states: Option<&[String]>, window: &Window) -> Result<Vec<KeyRow>, Fault> {
    Ok(paged!(
        window,
        db,
        KeyRow,
        "select key_id, algorithm, state, public_key, created_at, activated_at, retired_at, expires_at
           from signing_key
          where ($1::text[] is null or state = any($1))
            and (created_at, key_id) < (coalesce($2, 'infinity'::timestamptz), coalesce($3, '~'))
          order by created_at desc, key_id desc",
        states,
        window.key::<Time>(0)? as Option<Time>,
        window.key::<String>(1)?,
    )?)
}

/// How many keys there are in these states.
pub(super) async fn count(db: &Db, states: Option<&[String]>) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from signing_key where $1::text[] is null or state = any($1)"#,
        states
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

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
        "update signing_key
            set state = 'RETIRED', retired_at = labs_now(), private_key_sealed = null,
                expires_at = labs_now() + make_interval(secs => $1)
          where state = 'CURRENT'
         returning key_id, algorithm, state, public_key, created_at, activated_at, retired_at, expires_at",
        f64::from(verifies_seconds)
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Makes the next key the current one.
pub(super) async fn set_current(db: &Db) -> Result<Option<KeyRow>, Fault> {
    Ok(sqlx::query_as!(
        KeyRow,
        "update signing_key set state = 'CURRENT', activated_at = labs_now() where state = 'NEXT'
         returning key_id, algorithm, state, public_key, created_at, activated_at, retired_at, expires_at"
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Keeps a key just made as the next one.
pub(super) async fn insert(db: &Db, fresh: &FreshKey) -> Result<KeyRow, Fault> {
    Ok(sqlx::query_as!(
        KeyRow,
        "insert into signing_key (key_id, algorithm, state, public_key, private_key_sealed)
         values ($1, 'EdDSA', 'NEXT', $2, $3)
         returning key_id, algorithm, state, public_key, created_at, activated_at, retired_at, expires_at",
        fresh.key_id,
        fresh.public_key.as_slice(),
        fresh.private_key_sealed,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
