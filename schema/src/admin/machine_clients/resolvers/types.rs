//! Programs as they are shown and described.

use async_graphql::{InputObject, MaybeUndefined, SimpleObject};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::super::rules;
use super::super::rules::standing::{MachineClientSecretState, MachineClientState, allowed_actions};
use super::super::store::MachineClientRow;
use crate::core::context::RequestContext;
use crate::core::time::Time;
use crate::core::words::words;

/// A machine client that an operator provisioned.
#[derive(SimpleObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClient {
    /// For paths.
    uuid: Uuid,
    /// Client id, which the machine client sends as `username` to get a token.
    client_id: String,
    /// Display name of the machine client.
    name: String,
    /// E-mail address of the contact for the machine client.
    contact_email: Option<String>,
    /// The partner it is bound to; null for the service's own.
    partner_uuid: Option<Uuid>,
    /// That partner's name; null for the service's own.
    company_name: Option<String>,
    /// What it may ask for, in alphabetical order.
    allowed_scopes: Vec<String>,
    /// What its calls really needed, the latest first.
    used_scopes: Vec<MachineClientScopeUse>,
    /// What it is allowed and none of its calls ever needed, nor anything beneath, in alphabetical order.
    unused_scopes: Vec<String>,
    /// Where it may come from; empty means from anywhere.
    allowed_networks: Vec<String>,
    /// A disabled one gets no token, and its tokens are refused.
    state: MachineClientState,
    /// Time when the machine client was provisioned.
    created_at: Time,
    /// When its settings last changed.
    updated_at: Time,
    /// When it last got a token.
    last_used_at: Option<Time>,
    /// The secrets that are good now, the newest first.
    secrets: Vec<MachineClientSecret>,
    /// What the caller can do to it now.
    allowed_actions: Vec<String>,
}

/// Use of one scope by a machine client.
#[derive(Clone, SimpleObject, Serialize, Deserialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientScopeUse {
    /// Scope that the operation required.
    scope: String,
    /// Time when the scope was last required, accurate to a few minutes.
    last_used_at: Time,
    /// Total number of calls that required the scope.
    uses: i64,
}

/// What is known of a secret.
#[derive(Clone, SimpleObject, Serialize, Deserialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientSecret {
    /// For paths.
    #[serde(rename(deserialize = "secret_uuid"))]
    pub(super) uuid: Uuid,
    /// How it begins.
    pub(super) prefix: String,
    /// When it was made.
    pub(super) created_at: Time,
    /// When it ends; null while no newer one has taken its place.
    pub(super) expires_at: Option<Time>,
    /// When a token was last issued for it.
    pub(super) last_used_at: Option<Time>,
}

/// A secret in the history of its program.
#[derive(serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientSecretEntry {
    /// For paths.
    pub(in super::super) uuid: Uuid,
    /// How it begins.
    prefix: String,
    /// Whether a token can be had for it.
    state: MachineClientSecretState,
    /// When it was made.
    pub(in super::super) created_at: Time,
    /// When it ends or ended by itself; null while no newer one has taken its place.
    expires_at: Option<Time>,
    /// When it was deleted.
    deleted_at: Option<Time>,
    /// When a token was last issued for it.
    last_used_at: Option<Time>,
}

words! {
    /// How asking for a token ended.
    pub(crate) enum TokenGrantOutcome {
        /// A token was issued.
        Succeeded = "SUCCEEDED",
        /// None was; the code says why.
        Refused = "REFUSED",
        /// Something broke.
        Failed = "FAILED",
    }
}

/// A token request of a machine client.
#[derive(serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TokenGrant {
    /// The entry's id.
    pub(in super::super) uuid: Uuid,
    /// Time of the token request.
    pub(in super::super) granted_at: Time,
    /// How that ended.
    outcome: TokenGrantOutcome,
    /// What stood in the way; null for a token that was issued.
    code: Option<String>,
    /// What the token was issued for.
    scopes: Vec<String>,
    /// The token's `jti`; null when there is none.
    token_uuid: Option<Uuid>,
    /// When the token ends by itself.
    expires_at: Option<Time>,
    /// The secret that it was issued for; null for a refusal.
    secret_uuid: Option<Uuid>,
    /// Where the program asked from.
    address: Option<String>,
}

/// A program just provisioned, with its secret, which is shown this once.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientWithSecret {
    /// The secret itself.
    pub(super) client_secret: String,
    #[graphql(flatten)]
    #[serde(flatten)]
    pub(super) client: MachineClient,
}

/// A new secret, which is shown this once.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct RotatedSecret {
    /// What is known of it from now on.
    pub(super) secret: MachineClientSecret,
    /// The secret itself.
    pub(super) client_secret: String,
    /// Expiry time of the last of the earlier secrets.
    pub(super) former_secrets_expire_at: Time,
}

/// A machine client to provision.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientInput {
    pub(super) name: String,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) allowed_scopes: Vec<String>,
    pub(super) allowed_networks: Option<Vec<String>>,
    pub(super) contact_email: Option<String>,
}

/// A merge patch of a program (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientUpdate {
    /// Display name of the machine client.
    pub(super) name: Option<String>,
    /// Whom to write to about it; null for nobody.
    pub(super) contact_email: MaybeUndefined<String>,
    /// Where it may come from; empty means from anywhere.
    pub(super) allowed_networks: Option<Vec<String>>,
}

/// Complete list of scopes that a machine client may request.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MachineClientScopesPut {
    /// The scopes.
    pub(super) allowed_scopes: Vec<String>,
}

/// Remaining validity of the earlier secrets.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SecretRotationInput {
    pub(super) old_secret_expires_in: Option<i32>,
}

impl MachineClient {
    /// A row as it is shown to the caller.
    pub(crate) fn of(row: MachineClientRow, cx: &RequestContext) -> Self {
        let own = cx.caller.principal.as_ref().filter(|_| cx.may("labs.admin.clients:write")).map(|own| own.scopes);
        let allowed = |own| allowed_actions(row.state, rules::secret_taker(&row.allowed_scopes, own).is_ok());
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
