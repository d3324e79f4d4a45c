//! Input and output types of machine clients.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::time::Time;
use labs_core::words::words;
use labs_identity::auth::trusted_identities::{TrustedIdentity, TrustedIdentityInput};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::super::rules;
use super::super::rules::lifecycle::{MachineClientSecretState, MachineClientState, allowed_actions};
use super::super::store::MachineClientRow;

/// A machine client.
#[derive(OutputType, Serialize)]
pub struct MachineClient {
    /// UUID of the machine client, for use in paths.
    uuid: Uuid,
    /// Client id, which the machine client sends as `client_id` (or as `username` with the password grant) to request a
    /// token. It never changes.
    client_id: String,
    /// Display name of the machine client.
    name: String,
    /// E-mail address of the contact for the machine client.
    contact_email: Option<String>,
    /// Partner to which the machine client is bound. Null if it is not bound to a partner.
    partner_uuid: Option<Uuid>,
    /// Name of this partner. Null if the machine client is not bound to a partner.
    company_name: Option<String>,
    /// Scopes that the machine client may request, in alphabetical order. The partner's tier further restricts the
    /// token of a bound machine client.
    allowed_scopes: Vec<String>,
    /// Scopes that the machine client's calls required, most recently used first.
    used_scopes: Vec<MachineClientScopeUse>,
    /// Allowed scopes of which no call of the machine client ever required the scope or a child scope, in alphabetical
    /// order. Removing them is safe, unless the machine client has a task that it performs only rarely.
    unused_scopes: Vec<String>,
    /// Networks from which the machine client may request and use tokens, in CIDR notation. If empty, any network is
    /// allowed.
    allowed_networks: Vec<String>,
    /// Identities of other issuers that get tokens of the machine client without a secret, in a fixed order.
    trusted_identities: Vec<TrustedIdentity>,
    /// State of the machine client. A disabled client gets no token, and the service rejects its existing tokens.
    state: MachineClientState,
    /// Time when the machine client was provisioned.
    created_at: Time,
    /// Time of the last change to the settings. Use of the machine client does not count.
    updated_at: Time,
    /// Time when the machine client last received a token. Null before the first token.
    last_used_at: Option<Time>,
    /// Valid secrets, newest first. Expired secrets are not included.
    secrets: Vec<MachineClientSecret>,
    /// Actions that the caller can perform now.
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

/// Metadata of a secret. The service does not store the secret itself.
#[derive(Clone, OutputType, Serialize, Deserialize)]
pub struct MachineClientSecret {
    /// UUID of the secret, for use in paths.
    #[serde(rename(deserialize = "secret_uuid"))]
    pub(super) uuid: Uuid,
    /// First characters of the secret, to distinguish it from the others.
    pub(super) prefix: String,
    /// Time when the secret was created.
    pub(super) created_at: Time,
    /// Expiry time of the secret. Null while no newer secret has replaced it.
    pub(super) expires_at: Option<Time>,
    /// Time when a token was last issued for the secret. Null before the first token.
    pub(super) last_used_at: Option<Time>,
}

/// A current or former secret of a machine client. The service does not store the secret itself.
#[derive(serde::Serialize, OutputType, sqlx::FromRow)]
pub(crate) struct MachineClientSecretEntry {
    /// UUID of the secret, for use in paths.
    pub(in super::super) uuid: Uuid,
    /// First characters of the secret, to distinguish it from the others.
    prefix: String,
    /// State of the secret.
    state: MachineClientSecretState,
    /// Time when the secret was created.
    pub(in super::super) created_at: Time,
    /// Expiry time of the secret. Null while no newer secret has replaced it.
    expires_at: Option<Time>,
    /// Time when the secret was deleted. Null if it was not deleted.
    deleted_at: Option<Time>,
    /// Time when a token was last issued for the secret. Null before the first token.
    last_used_at: Option<Time>,
}

words! {
    /// Outcome of a token request.
    pub enum TokenGrantOutcome {
        /// The service issued a token.
        Succeeded = "SUCCEEDED",
        /// The service issued no token. `code` states the reason.
        Refused = "REFUSED",
        /// An error occurred.
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
    /// Reason for the refusal: `WRONG_SECRET`, `UNTRUSTED_IDENTITY`, `ASSERTION_REPLAYED`, `CLIENT_DISABLED`,
    /// `PARTNER_NOT_ACTIVE` or `NETWORK_NOT_ALLOWED`. Codes may be added. Except for `ASSERTION_REPLAYED`, the response to
    /// the machine client does not reveal the reason. Null for an issued token.
    code: Option<String>,
    /// Scopes of the issued token. Empty for a refusal.
    scopes: Vec<String>,
    /// `jti` of the token. Null if no token was issued.
    token_uuid: Option<Uuid>,
    /// Expiry time of the token. Null if no token was issued.
    expires_at: Option<Time>,
    /// Secret for which the token was issued. Null for a refusal, and for a token without a secret.
    secret_uuid: Option<Uuid>,
    /// Issuer of the identity for which the token was issued. Null for a refusal, and for a token with a secret.
    identity_issuer: Option<String>,
    /// Subject of this identity. Null for a refusal, and for a token with a secret.
    identity_subject: Option<String>,
    /// Network address from which the machine client requested the token.
    address: Option<String>,
}

/// A new machine client with its secret. The secret is shown only this once.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct MachineClientWithSecret {
    /// Text of the client secret.
    pub(super) client_secret: String,
    #[serde(flatten)]
    pub(super) client: MachineClient,
}

/// A new secret. The secret is shown only this once.
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
    /// Display name of the machine client. 1 to 120 characters.
    pub(super) name: String,
    /// Partner to which the machine client is permanently bound. If omitted or null, the machine client is bound to no
    /// partner. Examples are the storefront and a release tool.
    pub(super) partner_uuid: Option<Uuid>,
    /// Scopes that the machine client may request. Every scope must exist. The service stores the list in the shortest
    /// equivalent form. Scopes under `labs.admin` have these rules:
    /// - A machine client that is bound to a partner can never have such scopes.
    /// - A machine client that is not bound to a partner can have only such scopes that the caller holds.
    pub(super) allowed_scopes: Vec<String>,
    /// Networks from which the machine client may request and use tokens, in CIDR notation. If empty, any network is
    /// allowed.
    pub(super) allowed_networks: Option<Vec<String>>,
    /// E-mail address of the contact for the machine client.
    pub(super) contact_email: Option<String>,
    /// Identities of other issuers that get tokens of the machine client without a secret. The first secret works as well;
    /// delete it if nothing uses it.
    pub(super) trusted_identities: Option<Vec<TrustedIdentityInput>>,
}

/// A merge patch (RFC 7396). Omitted fields remain unchanged.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct MachineClientUpdate {
    /// Display name of the machine client. 1 to 120 characters.
    pub(super) name: Option<String>,
    /// E-mail address of the contact for the machine client. Null removes the contact.
    #[serde(default)]
    pub(super) contact_email: MaybeUndefined<String>,
    /// Complete list of networks from which the machine client may request and use tokens, in CIDR notation. If empty,
    /// any network is allowed.
    pub(super) allowed_networks: Option<Vec<String>>,
    /// Complete list of identities of other issuers that get tokens of the machine client without a secret. The service
    /// rejects tokens of an identity that is no longer in the list.
    pub(super) trusted_identities: Option<Vec<TrustedIdentityInput>>,
}

/// Complete list of scopes that a machine client may request.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct MachineClientScopesPut {
    /// Allowed scopes. The service stores them in the shortest equivalent form. To remove all access, disable the
    /// machine client.
    pub(super) allowed_scopes: Vec<String>,
}

/// Remaining validity of the earlier secrets.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct SecretRotationInput {
    /// Number of seconds for which the earlier secrets remain valid, so that the machine client can switch without an
    /// interruption. 0 ends them at once. At most 30 days. An earlier expiry time of a secret remains unchanged.
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
            trusted_identities: row.trusted_identities.0,
            state: row.state,
            created_at: row.created_at,
            updated_at: row.updated_at,
            last_used_at: row.last_used_at,
            secrets: row.secrets.0,
            allowed_actions,
        }
    }
}
