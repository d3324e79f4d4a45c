//! Statements for the client secrets of machine clients.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use super::NewSecret;

/// Counts the valid client secrets of a machine client.
pub(in super::super) async fn count_valid(db: &Db, client_uuid: Uuid) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from machine_client_secret
            where client_uuid = $1 and revoked_at is null and (expires_at is null or expires_at > labs_now())"#,
        client_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Creation time of a new client secret, and the expiry time of the last former secret.
pub(in super::super) struct Rotation {
    pub(in super::super) created_at: Time,
    pub(in super::super) former_expire_at: Option<Time>,
}

/// Inserts a client secret and sets the valid secrets to expire after the given number of seconds, unless they expire
/// earlier.
pub(in super::super) async fn insert(
    db: &Db,
    client_uuid: Uuid,
    secret: &NewSecret<'_>,
    former_seconds: i32,
) -> Result<Rotation, Fault> {
    Ok(sqlx::query_as!(
        Rotation,
        r#"with former as (
             update machine_client_secret
                set expires_at = least(expires_at, labs_now() + make_interval(secs => $2::integer))
              where client_uuid = $1 and revoked_at is null and (expires_at is null or expires_at > labs_now())
             returning expires_at
           ), made as (
             insert into machine_client_secret (secret_uuid, client_uuid, prefix, secret_sha256)
             values ($3, $1, $4, $5)
             returning created_at
           )
           select created_at, (select max(expires_at) from former) as former_expire_at from made"#,
        client_uuid,
        former_seconds,
        secret.secret_uuid,
        secret.prefix,
        secret.sha256,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Revokes a client secret at once, and the tokens that were issued for it. Returns false if the secret does not exist
/// or was already revoked.
pub(in super::super) async fn set_revoked(db: &Db, client_uuid: Uuid, secret_uuid: Uuid) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "update machine_client_secret set revoked_at = labs_now()
          where client_uuid = $1 and secret_uuid = $2 and revoked_at is null",
        client_uuid,
        secret_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() > 0)
}
