//! SQL statements about the tokens of machine clients.

use std::net::IpAddr;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use sqlx::types::Json;
use uuid::Uuid;

use crate::auth::trusted_identities::TrustedIdentity;

/// A machine client with the data that the token endpoint needs.
pub(super) struct ClientRow {
    pub(super) client_uuid: Uuid,
    pub(super) client_id: String,
    pub(super) state: String,
    pub(super) allowed_scopes: Vec<String>,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) partner_state: Option<String>,
    /// Scopes of the partner's tier; none for a client without a partner.
    pub(super) partner_scopes: Option<Vec<String>>,
    /// The valid secret that was presented.
    pub(super) secret_uuid: Option<Uuid>,
    /// Whether the client may call from this address.
    pub(super) network_is_allowed: bool,
    /// Identities of other issuers that need no secret.
    pub(super) trusted_identities: Json<Vec<TrustedIdentity>>,
    /// Tokens issued to the client in the last minute, counted up to `most`.
    pub(super) issued: i64,
}

/// Finds a machine client by its id, together with its secret of this digest, if that secret is valid.
pub(super) async fn get_client(
    db: &Db,
    client_id: &str,
    secret_sha256: Option<&[u8]>,
    address: IpAddr,
    most: i64,
) -> Result<Option<ClientRow>, Fault> {
    Ok(sqlx::query_as!(
        ClientRow,
        r#"select c.client_uuid, c.client_id, c.state, c.allowed_scopes, c.partner_uuid, p.state as "partner_state?",
                  case when c.partner_uuid is not null then partner_scope(c.partner_uuid) end as "partner_scopes?",
                  s.secret_uuid as "secret_uuid?",
                  (c.allowed_networks = '{}' or $3 <<= any (c.allowed_networks::inet[])) as "network_is_allowed!",
                  c.trusted_identities as "trusted_identities: Json<Vec<TrustedIdentity>>",
                  (select count(*) from (
                     select from token_grant as g
                      where g.client_uuid = c.client_uuid and g.outcome = 'SUCCEEDED'
                        and g.granted_at > labs_now() - interval '1 minute'
                      limit $4) as recent) as "issued!"
             from machine_client as c
             left join partner as p on p.partner_uuid = c.partner_uuid
             left join machine_client_secret as s on s.client_uuid = c.client_uuid and s.secret_sha256 = $2
                  and s.revoked_at is null and (s.expires_at is null or s.expires_at > labs_now())
            where c.client_id = $1"#,
        client_id,
        secret_sha256,
        ipnet::IpNet::from(address) as ipnet::IpNet,
        most,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// An issued token, for the log.
pub(super) struct IssuedToken<'a> {
    pub(super) grant_uuid: Uuid,
    pub(super) client_uuid: Uuid,
    /// The presented secret. None if an identity was presented.
    pub(super) secret_uuid: Option<Uuid>,
    /// The presented identity, as the machine client trusts it.
    pub(super) identity: Option<&'a TrustedIdentity>,
    pub(super) token_id: Uuid,
    pub(super) expires_at: Time,
    pub(super) scopes: &'a [String],
    pub(super) address: IpAddr,
}

/// Logs an issued token, and updates the time of last use of client and secret at most once a minute, so that replicas
/// of one client do not contend for its row.
pub(super) async fn grant_insert(db: &Db, issued: &IssuedToken<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with client as (
           update machine_client set last_used_at = labs_now()
            where client_uuid = $2 and (last_used_at is null or last_used_at < labs_now() - interval '1 minute')
         ), secret as (
           update machine_client_secret set last_used_at = labs_now()
            where secret_uuid = $3 and (last_used_at is null or last_used_at < labs_now() - interval '1 minute')
         )
         insert into token_grant (grant_uuid, client_uuid, secret_uuid, token_id, expires_at, outcome, scopes, address,
                                  identity)
         values ($1, $2, $3, $4, $5, 'SUCCEEDED', $6, $7, $8)",
        issued.grant_uuid,
        issued.client_uuid,
        issued.secret_uuid,
        issued.token_id,
        issued.expires_at as Time,
        issued.scopes,
        ipnet::IpNet::from(issued.address) as ipnet::IpNet,
        issued.identity.map(Json) as Option<Json<&TrustedIdentity>>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Marks an assertion as used, until it expires. Returns false if it was used before. Waits for a concurrent request with
/// the same assertion.
pub(super) async fn insert_used_assertion(db: &Db, sha256: &[u8], expires_at: Time) -> Result<bool, Fault> {
    let done = sqlx::query!(
        "insert into used_assertion (assertion_sha256, expires_at) values ($1, $2) on conflict do nothing",
        sha256,
        expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Logs a refusal with its reason.
pub(super) async fn insert_refusal(
    db: &Db,
    grant_uuid: Uuid,
    client_uuid: Uuid,
    obstacle: &str,
    address: IpAddr,
) -> Result<(), Fault> {
    sqlx::query!(
        "insert into token_grant (grant_uuid, client_uuid, outcome, code, address) values ($1, $2, 'REFUSED', $3, $4)",
        grant_uuid,
        client_uuid,
        obstacle,
        ipnet::IpNet::from(address) as ipnet::IpNet,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Updates the time of last use of a machine client and its secret, at most once a minute.
pub(super) async fn set_last_used(db: &Db, client_uuid: Uuid, secret_uuid: Option<Uuid>) -> Result<(), Fault> {
    sqlx::query!(
        "with client as (
           update machine_client set last_used_at = labs_now()
            where client_uuid = $1 and (last_used_at is null or last_used_at < labs_now() - interval '1 minute')
         )
         update machine_client_secret set last_used_at = labs_now()
          where secret_uuid = $2 and (last_used_at is null or last_used_at < labs_now() - interval '1 minute')",
        client_uuid,
        secret_uuid,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Revokes a token before it expires, on every replica. Idempotent.
pub(super) async fn insert_revocation(db: &Db, token_id: Uuid, expires_at: Time) -> Result<(), Fault> {
    sqlx::query!(
        "insert into access_token_revocation (token_id, expires_at) values ($1, $2) on conflict (token_id) do nothing",
        token_id,
        expires_at as Time,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
