//! Every statement about machine clients and their secrets.

use serde::Deserialize;
use sqlx::types::Json;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::time::Time;

/// A program with the secrets that are good and the scopes it used.
pub(super) struct ClientRow {
    pub(super) client_uuid: Uuid,
    pub(super) client_id: String,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) name: String,
    pub(super) contact_email: Option<String>,
    pub(super) allowed_scopes: Vec<String>,
    pub(super) allowed_networks: Vec<String>,
    pub(super) state: String,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    pub(super) last_used_at: Option<Time>,
    pub(super) secrets: Json<Vec<SecretRow>>,
    pub(super) used_scopes: Json<Vec<ScopeUseRow>>,
}

/// What is known of a secret.
#[derive(Deserialize)]
pub(super) struct SecretRow {
    pub(super) secret_uuid: Uuid,
    pub(super) prefix: String,
    pub(super) created_at: Time,
    pub(super) expires_at: Option<Time>,
    pub(super) last_used_at: Option<Time>,
}

/// How often a scope was needed.
#[derive(Deserialize)]
pub(super) struct ScopeUseRow {
    pub(super) scope: String,
    pub(super) last_used_at: Time,
    pub(super) uses: i64,
}

/// A program.
pub(super) async fn get(db: &Db, client_uuid: Uuid) -> Result<Option<ClientRow>, Fault> {
    Ok(sqlx::query_as!(
        ClientRow,
        r#"select client_uuid, client_id, partner_uuid, name, contact_email, allowed_scopes,
                  allowed_networks::text[] as "allowed_networks!", state, created_at, updated_at, last_used_at,
                  coalesce((
                      select jsonb_agg(to_jsonb(secret) - 'secret_sha256' order by created_at desc, secret_uuid desc)
                        from machine_client_secret as secret
                       where secret.client_uuid = client.client_uuid and revoked_at is null
                         and (expires_at is null or expires_at > labs_now())
                  ), '[]') as "secrets!: Json<Vec<SecretRow>>",
                  coalesce((
                      select jsonb_agg(to_jsonb(used) order by last_used_at desc, scope)
                        from client_scope_use as used
                       where used.client_uuid = client.client_uuid and uses > 0
                  ), '[]') as "used_scopes!: Json<Vec<ScopeUseRow>>"
             from machine_client as client
            where client_uuid = $1"#,
        client_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A program to be.
pub(super) struct NewClient<'a> {
    pub(super) client_uuid: Uuid,
    pub(super) client_id: &'a str,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) name: &'a str,
    pub(super) contact_email: Option<&'a str>,
    pub(super) allowed_scopes: &'a [String],
    pub(super) allowed_networks: &'a [String],
}

/// A secret to be. Its text is not among it.
pub(super) struct NewSecret<'a> {
    pub(super) secret_uuid: Uuid,
    pub(super) prefix: &'a str,
    pub(super) sha256: &'a [u8],
}

/// Makes a program with its first secret.
pub(super) async fn insert(db: &Db, client: &NewClient<'_>, secret: &NewSecret<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with made as (
             insert into machine_client (client_uuid, client_id, partner_uuid, name, contact_email, allowed_scopes,
                                         allowed_networks)
             values ($1, $2, $3, $4, $5, $6, $7::text[]::cidr[])
             returning client_uuid
         )
         insert into machine_client_secret (secret_uuid, client_uuid, prefix, secret_sha256)
         select $8, client_uuid, $9, $10 from made",
        client.client_uuid,
        client.client_id,
        client.partner_uuid,
        client.name,
        client.contact_email,
        client.allowed_scopes,
        client.allowed_networks,
        secret.secret_uuid,
        secret.prefix,
        secret.sha256,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// The state of a partner, which stays so until this transaction ends.
pub(super) async fn partner_state_lock(db: &Db, partner_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select state from partner where partner_uuid = $1 for share", partner_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Holds a program until this transaction ends: its name and partner.
pub(super) async fn lock(db: &Db, client_uuid: Uuid) -> Result<Option<(String, Option<Uuid>)>, Fault> {
    let row =
        sqlx::query!("select name, partner_uuid from machine_client where client_uuid = $1 for update", client_uuid)
            .fetch_optional(&mut *db.conn().await?)
            .await?;
    Ok(row.map(|row| (row.name, row.partner_uuid)))
}

/// How many secrets of a program are good now.
pub(super) async fn secrets_count(db: &Db, client_uuid: Uuid) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from machine_client_secret
            where client_uuid = $1 and revoked_at is null and (expires_at is null or expires_at > labs_now())"#,
        client_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// When a new secret was made, and when the last of the former ones ends.
pub(super) struct Rotation {
    pub(super) created_at: Time,
    pub(super) former_expire_at: Option<Time>,
}

/// Adds a secret and lets the good ones end after so many seconds, unless they end sooner.
pub(super) async fn secret_insert(
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
