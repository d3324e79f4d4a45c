//! Key for names that must not change when the master key changes.

use labs_crypto::sealed::MasterKey;
use sqlx::PgPool;

use crate::fault::Fault;

/// Returns the master key with the naming key of the database. If the database has none, the master key's own naming
/// key is stored first. `None` if the stored key does not open.
///
/// # Errors
/// If the database does not answer.
pub async fn with_naming_key(pool: &PgPool, key: MasterKey) -> Result<Option<MasterKey>, Fault> {
    let made = "insert into naming_key (key_sealed) values ($1) on conflict do nothing";
    sqlx::query(made).bind(key.naming_sealed()).execute(pool).await?;
    let sealed: Vec<u8> = sqlx::query_scalar("select key_sealed from naming_key").fetch_one(pool).await?;
    Ok(key.named_by(&sealed).ok())
}
