//! Input and output types of machine clients.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::super::rules;
use super::super::rules::lifecycle::{MachineClientSecretState, MachineClientState, allowed_actions};
use super::super::store::MachineClientRow;

/// A machine client that staff provisioned.
#[derive(OutputType, Serialize)]
pub struct MachineClient {
    /// UUID of the machine client, for paths.
    uuid: Uuid,
    /// Client id, which the machine client sends as `username` to get a token.
    client_id: String,
    /// Display name of the machine client.
    name: String,
    /// E-mail address of the contact for the machine client.
    contact_email: Option<String>,
    /// UUID of the partner; null for a machine client of the service itself.
    partner_uuid: Option<Uuid>,
    /// Name of the partner; null for a machine client of the service itself.
    company_name: Option<String>,
    /// Scopes that the machine client may request, in alphabetical order.
    allowed_scopes: Vec<String>,
    /// Scopes that its calls required, most recent first.
    used_scopes: Vec<MachineClientScopeUse>,
    /// Allowed scopes that no call ever required, directly or through a narrower scope, in alphabetical order.
    unused_scopes: Vec<String>,
    /// Networks from which the machine client may call; empty means any network.
    allowed_networks: Vec<String>,
    /// State of the machine client. A disabled client gets no token, and the service rejects its existing tokens.
    state: MachineClientState,
    /// Time when the machine client was provisioned.
    created_at: Time,
    /// Time of the last change to the settings.
    updated_at: Time,
    /// Time when the client last received a token.
    last_used_at: Option<Time>,
    /// Valid client secrets, newest first.
    secrets: Vec<MachineClientSecret>,
    /// Actions that the caller can currently perform on the machine client.
    allowed_actions: Vec<String>,
}

/// Use of one scope by a machine client.
#[derive(Clone, OutputType, Serialize, Deserialize)]
pub struct MachineClientScopeUse {
    /// Scope that the operation required.
    scope: String,
    /// Time when the scope was last required, accurate to a few minutes.
    last_used_at: Time,
    /// Total number of calls that required the scope.
    uses: i64,
}

/// Metadata of a client secret.
#[derive(Clone, OutputType, Serialize, Deserialize)]
pub struct MachineClientSecret {
    /// UUID of the client secret, for paths.
    #[serde(rename(deserialize = "secret_uuid"))]
    pub(super) uuid: Uuid,
    /// First characters of the secret.
    pub(super) prefix: String,
    /// Time when the secret was created.
    pub(super) created_at: Time,
    /// Expiry time; null until a newer secret replaces it.
    pub(super) expires_at: Option<Time>,
    /// Time when a token was last issued for the secret.
    pub(super) last_used_at: Option<Time>,
}

/// An entry in the list of current and former client secrets.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct MachineClientSecretEntry {
    /// UUID of the client secret, for paths.
    pub(in super::super) uuid: Uuid,
    /// First characters of the secret.
    prefix: String,
    /// State of the secret.
    state: MachineClientSecretState,
    /// Time when the secret was created.
    pub(in super::super) created_at: Time,
    /// Expiry time, future or past; null until a newer secret replaces it.
    expires_at: Option<Time>,
    /// Time when the secret was deleted.
    deleted_at: Option<Time>,
    /// Time when a token was last issued for the secret.
    last_used_at: Option<Time>,
}

words! {
    /// Outcome of a token request.
    pub enum TokenGrantOutcome {
        /// A token was issued.
        Succeeded = "SUCCEEDED",
        /// The service refused the token; the code gives the reason.
        Refused = "REFUSED",
        /// An internal error occurred.
        Failed = "FAILED",
    }
}

/// A token request of a machine client.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct TokenGrant {
    /// UUID of the token grant.
    pub(in super::super) uuid: Uuid,
    /// Time of the token request.
    pub(in super::super) granted_at: Time,
    /// Outcome of the token request.
    outcome: TokenGrantOutcome,
    /// Code of the refusal; null for an issued token.
    code: Option<String>,
    /// Scopes of the issued token.
    scopes: Vec<String>,
    /// The token's `jti`; null if no token was issued.
    token_uuid: Option<Uuid>,
    /// Expiry time of the token.
    expires_at: Option<Time>,
    /// UUID of the client secret that was used; null for a refusal.
    secret_uuid: Option<Uuid>,
    /// Network address of the machine client.
    address: Option<String>,
}

/// A newly provisioned machine client with its client secret, which is shown only once.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct MachineClientWithSecret {
    /// Text of the client secret.
    pub(super) client_secret: String,
    #[serde(flatten)]
    pub(super) client: MachineClient,
}

/// A new client secret, which is shown only once.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct RotatedSecret {
    /// Metadata of the new client secret.
    pub(super) secret: MachineClientSecret,
    /// Text of the client secret.
    pub(super) client_secret: String,
    /// Expiry time of the last of the earlier secrets.
    pub(super) former_secrets_expire_at: Time,
}

/// A machine client to provision.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct MachineClientInput {
    pub(super) name: String,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) allowed_scopes: Vec<String>,
    pub(super) allowed_networks: Option<Vec<String>>,
    pub(super) contact_email: Option<String>,
}

/// A merge patch of a machine client (RFC 7396).
#[derive(serde::Deserialize, InputType)]
pub(crate) struct MachineClientUpdate {
    /// Display name of the machine client.
    pub(super) name: Option<String>,
    /// E-mail address of the contact; null removes it.
    #[serde(default)]
    pub(super) contact_email: MaybeUndefined<String>,
    /// Networks from which the machine client may call; empty means any network.
    pub(super) allowed_networks: Option<Vec<String>>,
}

/// Complete list of scopes that a machine client may request.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct MachineClientScopesPut {
    /// Scopes that the machine client may request.
    pub(super) allowed_scopes: Vec<String>,
}

/// Remaining validity of the earlier secrets.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct SecretRotationInput {
    pub(super) old_secret_expires_in: Option<i32>,
}

impl MachineClient {
    /// Converts a row to the representation for the caller.
    pub fn of(row: MachineClientRow, cx: &RequestContext) -> Self {
        let own = cx.caller.principal.as_ref().filter(|_| cx.may("labs.admin.clients:write")).map(|own| own.scopes);
        let allowed = |own| allowed_actions(row.state, rules::ensure_may_take_secret(&row.allowed_scopes, own).is_ok());
        let allowed_actions = own.map(allowed).unwrap_or_default();
        let used: Vec<&str> = row.used_scopes.iter().map(|used| used.scope.as_str()).collect();
        Self {
            uuid: row.client_uuid,
            client_id: row.client_id,
            name: row.name,
            contact_email: row.contact_email,
            partner_uuid: row.partner_uuid,
            company_name: row.company_name,
            unused_scopes: rules::list_unused(&row.allowed_scopes, &used),
            allowed_scopes: row.allowed_scopes,
            used_scopes: row.used_scopes.0,
            allowed_networks: row.allowed_networks,
            state: row.state,
            created_at: row.created_at,
            updated_at: row.updated_at,
            last_used_at: row.last_used_at,
            secrets: row.secrets.0,
            allowed_actions,
        }
    }
}
