//! Machine clients that the operator provisions on the command line: the storefront, the release tool, a partner's
//! client.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use ipnet::IpNet;
use labs_core::audit_target::AuditTargetKind;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use labs_core::time::Time;
use labs_crypto::random_bytes;
use labs_crypto::secret::SecretKind;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::record::{Act, AuditText};
use super::{rules, store};
use labs_admin::machine_clients::{self, SHOWN_CHARACTERS};
use labs_identity::auth::account::person_name;

/// A machine client to create.
#[derive(Clone, Debug)]
pub struct NewClient {
    /// Display name; 1 to 120 characters.
    pub name: String,
    /// Scopes that it may request.
    pub scopes: Vec<String>,
    /// Partner to which it is permanently bound; `None` for a machine client of the service itself.
    pub partner_uuid: Option<Uuid>,
    /// Networks from which it may call; empty means any network.
    pub networks: Vec<IpNet>,
}

/// A newly created machine client with its client secret, which is shown only once. Never printed in debug output.
pub struct ClientCreated {
    /// UUID of the machine client.
    pub client_uuid: Uuid,
    /// Client id, sent as `username`.
    pub client_id: String,
    /// Client secret, sent as `password`.
    pub secret: String,
}

impl std::fmt::Debug for ClientCreated {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ClientCreated").field("client_id", &self.client_id).finish_non_exhaustive()
    }
}

/// A machine client in the list of the command line.
#[derive(Clone, Debug)]
pub struct ClientListed {
    /// Client id, sent as `username`.
    pub client_id: String,
    /// Display name.
    pub name: String,
    /// State: ACTIVE or DISABLED.
    pub state: String,
    /// Partner to which it is bound; `None` for a machine client of the service itself.
    pub partner_uuid: Option<Uuid>,
    /// Scopes that it may request.
    pub scopes: Vec<String>,
    /// Time when one of its secrets was last used.
    pub last_used_at: Option<Time>,
}

/// Number of random characters in a client id.
const ID_CHARACTERS: usize = 12;
/// Alphabet without characters that look alike.
const ID_ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Finds the partner that an operator names by UUID, slug or company name.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] if no open partner has the slug or name, or if several do;
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub fn partner_find<'a>(pool: &'a PgPool, named: &'a str) -> BoxFuture<'a, Result<Uuid, Fault>> {
    async move {
        let named = named.trim();
        if let Ok(partner_uuid) = Uuid::parse_str(named) {
            return Ok(partner_uuid);
        }
        let found = store::partners_named(&Db::from_pool(pool.clone()), named).await?;
        match found.as_slice() {
            [partner] => Ok(partner.partner_uuid),
            [] => Err(Fault::field(
                "/partner_uuid",
                "UNKNOWN_PARTNER",
                format!("No open partner has the UUID, slug or name {named:?}."),
            )),
            several => {
                let candidates: Vec<String> = several
                    .iter()
                    .map(|partner| format!("{} ({}, {})", partner.slug, partner.company_name, partner.partner_uuid))
                    .collect();
                Err(Fault::field(
                    "/partner_uuid",
                    "UNKNOWN_PARTNER",
                    format!(
                        "Several partners have the slug or name {named:?}. Name one by its UUID: {}.",
                        candidates.join(", ")
                    ),
                ))
            }
        }
    }
    .boxed()
}

/// Creates a machine client with its first client secret.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for an invalid name, scope or partner; [`labs_core::Code::Unavailable`] if the
/// database does not answer.
pub fn client_create<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    new: NewClient,
) -> BoxFuture<'a, Result<ClientCreated, Fault>> {
    async move {
        let name = person_name(&new.name, "/name").map_err(|error| Fault::invalid(vec![error]))?;
        let scopes = rules::allowed_scopes(&new.scopes, new.partner_uuid.is_some())?;
        let networks: Vec<IpNet> = new.networks.iter().map(IpNet::trunc).collect();
        let secret = SecretKind::Client.issue();
        let act = Act::begin(pool, services);
        let (client_uuid, client_id) = (act.new_uuid(), client_id());
        if let Some(partner_uuid) = new.partner_uuid {
            store::partner_exists(&act.db, partner_uuid).await?;
        }
        let client = store::NewClientRow {
            client_uuid,
            client_id: &client_id,
            name: &name,
            partner_uuid: new.partner_uuid,
            allowed_scopes: &scopes,
            allowed_networks: &networks,
            secret_uuid: act.new_uuid(),
            secret_prefix: secret.text.expose().get(..SHOWN_CHARACTERS).unwrap_or_default(),
            secret_sha256: &secret.digest,
        };
        store::insert_client(&act.db, &client).await?;
        let audit_text = AuditText {
            operation: "client_create",
            target_kind: AuditTargetKind::MachineClient,
            target_uuid: client_uuid,
            target_label: &client_id,
            partner_uuid: new.partner_uuid,
            parameters: json!({ "name": name, "scopes": scopes, "networks": networks }),
        };
        act.commit(&audit_text).await?;
        Ok(ClientCreated { client_uuid, client_id, secret: secret.text.expose().to_owned() })
    }
    .boxed()
}

/// Returns every machine client, by name.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub fn client_list(pool: &PgPool) -> BoxFuture<'_, Result<Vec<ClientListed>, Fault>> {
    async move { store::list_client(&Db::from_pool(pool.clone())).await }.boxed()
}

/// Creates a new client secret, which is shown only once. The previous secrets stay valid for `former_seconds`. 0 ends
/// them at once, but tokens that were issued for them last until they expire.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the machine client does not exist; [`labs_core::Code::Conflict`] if two secrets are
/// already valid and are to stay valid; [`labs_core::Code::Unavailable`] if the database does not answer.
pub fn client_rotate_secret<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    client_id: &'a str,
    former_seconds: i32,
) -> BoxFuture<'a, Result<String, Fault>> {
    async move {
        let act = Act::begin(pool, services);
        let none = || Fault::not_found("machine client with this client id");
        let client = store::lock_client(&act.db, client_id).await?.ok_or_else(none)?;
        let secret =
            machine_clients::rotate_secret(&act.db, client.client_uuid, act.new_uuid(), former_seconds).await?;
        let audit_text = AuditText {
            operation: "client_rotate_secret",
            target_kind: AuditTargetKind::MachineClient,
            target_uuid: client.client_uuid,
            target_label: &client.client_id,
            partner_uuid: client.partner_uuid,
            parameters: json!({ "old_secret_expires_in": former_seconds }),
        };
        act.commit(&audit_text).await?;
        Ok(secret)
    }
    .boxed()
}

fn client_id() -> String {
    let letters = random_bytes::<ID_CHARACTERS>();
    let letters = letters.iter().filter_map(|byte| ID_ALPHABET.get(usize::from(byte & 31)));
    format!("labs-client-{}", letters.map(|letter| char::from(*letter)).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_ids_have_same_form_and_differ() {
        let (one, two) = (client_id(), client_id());
        assert_ne!(one, two);
        assert_eq!(one.len(), "labs-client-".len() + ID_CHARACTERS);
        assert!(one.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'));
    }
}
