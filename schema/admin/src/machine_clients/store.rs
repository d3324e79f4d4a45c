//! Statements for machine clients, their client secrets and their tokens.

pub(super) mod secrets;

use std::collections::HashMap;

use ::dataloader::BatchFn;
use ::dataloader::cached::Loader;
use ipnet::IpNet;
use labs_core::batch::collect_by_key;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::list::{EdgeQuery, Lookup, Select, SqlValue};
use labs_core::time::Time;
use labs_identity::auth::trusted_identities::TrustedIdentity;
use sqlx::types::Json;
use uuid::Uuid;

use super::resolvers::types::{MachineClientScopeUse, MachineClientSecret};
use super::rules::lifecycle::MachineClientState;

/// A machine client with its valid secrets and its used scopes.
#[derive(Clone, sqlx::FromRow)]
pub struct MachineClientRow {
    pub(super) client_uuid: Uuid,
    pub(super) client_id: String,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) company_name: Option<String>,
    pub(super) name: String,
    /// Sort key of the order by name.
    pub(super) name_sorted: String,
    pub(super) contact_email: Option<String>,
    pub(super) allowed_scopes: Vec<String>,
    pub(super) allowed_networks: Vec<String>,
    pub(super) trusted_identities: Json<Vec<TrustedIdentity>>,
    pub(super) state: MachineClientState,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
    pub(super) last_used_at: Option<Time>,
    pub(super) secrets: Json<Vec<MachineClientSecret>>,
    pub(super) used_scopes: Json<Vec<MachineClientScopeUse>>,
}

/// Columns of machine clients for staff.
pub(super) static SHOWN: Select<MachineClientRow> = Select::new(
    "client_uuid, client_id, partner_uuid, company_name, name, name_order(name) as name_sorted, contact_email,
     allowed_scopes, allowed_networks, trusted_identities, state, created_at, updated_at, last_used_at, secrets, used_scopes",
    "machine_client_shown",
);

/// Lookup of machine clients by id.
pub(super) static BY_ID: Lookup<MachineClientRow> = Lookup::new(&SHOWN, &["client_uuid = any({})"]);

/// Edge to the machine client that performed an action.
pub static PROGRAM: EdgeQuery<MachineClientRow> = EdgeQuery {
    operation: "admin_machine_clients_get",
    argument: "client_uuid",
    select: &SHOWN,
    condition: "client_uuid = above.uuid",
    order: &[],
};

/// Loader of machine clients by id, many in one statement, each loaded once; only for reads. Writes call [`get`].
pub(super) type ClientLoader = Loader<Uuid, Result<Option<MachineClientRow>, Fault>, ClientBatch>;

/// Loads the machine clients of a batch.
pub(super) struct ClientBatch(Db);

/// Creates a loader for one transaction.
pub(super) fn loader(db: Db) -> ClientLoader {
    Loader::new(ClientBatch(db))
}

impl BatchFn<Uuid, Result<Option<MachineClientRow>, Fault>> for ClientBatch {
    async fn load(&mut self, keys: &[Uuid]) -> HashMap<Uuid, Result<Option<MachineClientRow>, Fault>> {
        collect_by_key(keys, get_all(&self.0, keys).await, |row| row.client_uuid)
    }
}

/// Loads a machine client in its current state within the transaction.
pub(super) async fn get(db: &Db, client_uuid: Uuid) -> Result<Option<MachineClientRow>, Fault> {
    Ok(get_all(db, &[client_uuid]).await?.pop())
}

/// Loads the machine clients with these ids, in no particular order.
async fn get_all(db: &Db, client_uuids: &[Uuid]) -> Result<Vec<MachineClientRow>, Fault> {
    BY_ID.fetch_all(db, [SqlValue::Ids(client_uuids.to_vec())]).await
}

/// A machine client to create.
pub(super) struct NewClient<'a> {
    pub(super) client_uuid: Uuid,
    pub(super) client_id: &'a str,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) name: &'a str,
    pub(super) contact_email: Option<&'a str>,
    pub(super) allowed_scopes: &'a [String],
    pub(super) allowed_networks: &'a [String],
    pub(super) trusted_identities: &'a [TrustedIdentity],
}

/// A client secret to create, without its text.
pub(super) struct NewSecret<'a> {
    pub(super) secret_uuid: Uuid,
    pub(super) prefix: &'a str,
    pub(super) sha256: &'a [u8],
}

/// Inserts a machine client with its first client secret.
pub(super) async fn insert(db: &Db, client: &NewClient<'_>, secret: &NewSecret<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "with made as (
             insert into machine_client (client_uuid, client_id, partner_uuid, name, contact_email, allowed_scopes,
                                         allowed_networks, trusted_identities)
             values ($1, $2, $3, $4, $5, $6, $7::text[]::cidr[], $11)
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
        Json(client.trusted_identities) as Json<&[TrustedIdentity]>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Loads the state of a partner and locks it until the transaction ends.
pub(super) async fn lock_partner_state(db: &Db, partner_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select state from partner where partner_uuid = $1 for share", partner_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// A machine client locked for a change.
pub(super) struct LockedClientRow {
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) name: String,
    pub(super) allowed_scopes: Vec<String>,
    pub(super) allowed_networks: Vec<IpNet>,
    pub(super) trusted_identities: Json<Vec<TrustedIdentity>>,
    pub(super) state: MachineClientState,
}

/// Locks a machine client until the transaction ends.
pub(super) async fn lock(db: &Db, client_uuid: Uuid) -> Result<Option<LockedClientRow>, Fault> {
    Ok(sqlx::query_as!(
        LockedClientRow,
        r#"select partner_uuid, name, allowed_scopes, allowed_networks::inet[] as "allowed_networks!: Vec<IpNet>",
                  trusted_identities as "trusted_identities: Json<Vec<TrustedIdentity>>",
                  state as "state: MachineClientState"
             from machine_client
            where client_uuid = $1
              for no key update"#,
        client_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Loads the name and partner of a machine client.
pub(super) async fn get_name(db: &Db, client_uuid: Uuid) -> Result<Option<(String, Option<Uuid>)>, Fault> {
    let row = sqlx::query!("select name, partner_uuid from machine_client where client_uuid = $1", client_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?;
    Ok(row.map(|row| (row.name, row.partner_uuid)))
}

/// Settings to change; `None` keeps the current value.
pub(super) struct Settings<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) contact_email: Option<Option<&'a str>>,
    pub(super) allowed_networks: Option<&'a [String]>,
    pub(super) trusted_identities: Option<&'a [TrustedIdentity]>,
}

impl Settings<'_> {
    /// Whether nothing changes.
    pub(super) fn is_empty(&self) -> bool {
        self.name.is_none()
            && self.contact_email.is_none()
            && self.allowed_networks.is_none()
            && self.trusted_identities.is_none()
    }
}

/// Updates the settings of a machine client.
pub(super) async fn update(db: &Db, client_uuid: Uuid, settings: &Settings<'_>) -> Result<(), Fault> {
    sqlx::query!(
        "update machine_client
            set name = coalesce($2, name), contact_email = case when $3 then $4 else contact_email end,
                allowed_networks = coalesce($5::text[]::cidr[], allowed_networks),
                trusted_identities = coalesce($6, trusted_identities), updated_at = labs_now()
          where client_uuid = $1",
        client_uuid,
        settings.name,
        settings.contact_email.is_some(),
        settings.contact_email.flatten(),
        settings.allowed_networks,
        settings.trusted_identities.map(Json) as Option<Json<&[TrustedIdentity]>>,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Replaces the allowed scopes of a machine client.
pub(super) async fn set_scopes(db: &Db, client_uuid: Uuid, scopes: &[String]) -> Result<(), Fault> {
    sqlx::query!(
        "update machine_client set allowed_scopes = $2, updated_at = labs_now() where client_uuid = $1",
        client_uuid,
        scopes
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the state of a machine client. With `anew`, all earlier tokens become permanently void.
pub(super) async fn set_state(db: &Db, client_uuid: Uuid, state: &str, anew: bool) -> Result<(), Fault> {
    sqlx::query!(
        "update machine_client
            set state = $2, updated_at = labs_now(),
                tokens_void_before = case when $3 then labs_now() else tokens_void_before end
          where client_uuid = $1",
        client_uuid,
        state,
        anew
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
