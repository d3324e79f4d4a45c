//! Resolvers of tokens.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::scope::ScopeSet;
use labs_crypto::secret::SecretKind;
use labs_crypto::token::Claims;
use serde::Deserialize;
use uuid::Uuid;

use super::rules::{self, ClientProof, ClientStatus, TokenForm};
use super::store::{self, ClientRow, IssuedToken};
use super::{identity, introspection};
use crate::auth::security_events::{EventIdentity, NewSecurityEvent, SecurityEventKind};
use crate::auth::trusted_identities::TrustedIdentity;

/// An access token for a machine client (RFC 6749, section 5.1).
#[derive(serde::Serialize, OutputType)]
pub(super) struct OAuthToken {
    /// Access token, for the `Authorization` header only. The rights of a token can change during its lifetime. Call
    /// `GET /v1/system/me` instead of decoding the token.
    access_token: String,
    /// Authentication scheme for the `Authorization` header.
    token_type: &'static str,
    /// Seconds until the token expires.
    expires_in: i64,
    /// Granted scopes, separated by single spaces. Empty if none of the requested scopes is allowed.
    scope: String,
}

/// Public keys that verify access tokens (RFC 7517).
#[derive(serde::Serialize, OutputType, Deserialize)]
pub(super) struct JsonWebKeySet {
    /// Every key that may have signed a valid token, and the next signing key. More than two keys for an hour after
    /// each rotation.
    keys: Vec<JsonWebKey>,
}

/// A public key for Ed25519 signatures (RFC 8037).
#[derive(serde::Serialize, OutputType, Deserialize)]
pub(super) struct JsonWebKey {
    /// Key type.
    kty: String,
    /// Curve of the key.
    crv: String,
    /// The public key, base64url without padding.
    x: String,
    /// Id of the key, as in the header of the tokens that it signed.
    kid: String,
    /// Use of the key: verifying signatures.
    #[serde(rename = "use")]
    purpose: String,
    /// Only algorithm that the key may be used with.
    alg: String,
}

/// Token request of a machine client (RFC 6749, sections 4.4.2 and 4.3.2). As OAuth requires, the service ignores an
/// unknown field, treats a field without a value as omitted, and rejects a field that occurs twice.
#[derive(serde::Deserialize, InputType)]
pub(super) struct OAuthTokenRequest {
    /// - `client_credentials`, which every OAuth library supports.
    /// - `password`, with the machine client's id and secret as user name and password.
    /// - `urn:ietf:params:oauth:grant-type:jwt-bearer`, with an identity that the machine client trusts (RFC 7523).
    ///
    /// The service rejects any other value with `unsupported_grant_type`.
    pub(super) grant_type: String,
    /// Client id for `client_credentials` and an assertion. Omit it if HTTP Basic carries it.
    pub(super) client_id: Option<String>,
    /// Client secret for `client_credentials`. Omit it if HTTP Basic carries it.
    client_secret: Option<String>,
    /// Client id for `password`. Omit it if HTTP Basic carries it.
    username: Option<String>,
    /// Client secret for `password`. Omit it if HTTP Basic carries it.
    password: Option<String>,
    /// Identity assertion: a JWT of an issuer that the machine client trusts, for example of a CI system. Can be used
    /// once.
    pub(super) assertion: Option<String>,
    /// Requested scopes, separated by single spaces. If omitted, the token has every allowed scope of the machine
    /// client. The service ignores scopes that the machine client is not allowed. It rejects a malformed list, or a
    /// name that is not a scope, with `invalid_scope`.
    pub(super) scope: Option<String>,
}

impl OAuthTokenRequest {
    /// Whether the form contains a secret, or a user name for one.
    pub(super) fn has_secret(&self) -> bool {
        let fields = [&self.client_secret, &self.username, &self.password];
        fields.into_iter().flatten().any(|text| !text.is_empty())
    }
}

/// A token and the credentials of the calling machine client. As OAuth requires, the service ignores an unknown field,
/// treats a field without a value as omitted, and rejects a field that occurs twice.
#[derive(serde::Deserialize, InputType)]
pub(super) struct OAuthTokenQuestion {
    /// The access token. Required. The service authenticates the client before it checks that the token is present.
    token: Option<String>,
    /// Type of the token. The service ignores it, because it issues only one type.
    #[serde(rename = "token_type_hint")]
    _token_type_hint: Option<String>,
    /// Client id. Omit it if HTTP Basic carries it.
    client_id: Option<String>,
    /// Client secret. Omit it if HTTP Basic carries it.
    client_secret: Option<String>,
}

/// The revoked token.
#[derive(serde::Serialize, OutputType)]
pub(super) struct OAuthRevocation {
    /// Result of the revocation.
    status: &'static str,
}

/// Operations of this file.
pub(in crate::auth) const OPERATIONS: &[Operation] =
    operations![auth_tokens_list_keys, auth_tokens_issue, auth_tokens_introspect, auth_tokens_revoke];

/// List public signing keys.
#[operation(query, access = "public")]
async fn auth_tokens_list_keys(cx: &RequestContext) -> Result<JsonWebKeySet, Fault> {
    serde_json::from_value(cx.services.authority.ring().jwks(cx.now.unix())).map_err(Fault::internal)
}

/// Issue an access token.
#[operation(mutation, access = "public")]
async fn auth_tokens_issue(cx: &RequestContext, body: OAuthTokenRequest) -> Result<OAuthToken, Fault> {
    if body.grant_type == rules::JWT_BEARER {
        return identity::issue_for_identity(cx, &body).await;
    }
    let form = TokenForm {
        client: (body.client_id.as_deref(), body.client_secret.as_deref()),
        user: (body.username.as_deref(), body.password.as_deref()),
    };
    let presented = rules::read_credentials(&body.grant_type, form, cx.caller.credentials.client.as_ref())?;
    let requested = rules::parse_scopes(body.scope.as_deref())?;
    let digest = SecretKind::Client.digest(presented.secret);
    let most = rules::TOKENS_PER_MINUTE;
    let sha256 = digest.as_ref().map(<[u8; 32]>::as_slice);
    let client = store::get_client(&cx.db, presented.client_id, sha256, cx.caller.address, most).await?;
    let refused = || rules::err_refused(presented.method);
    let Some(client) = client else { return Err(record_refusal(cx, refused(), None, None).await?) };
    let status = ClientStatus {
        proof: ClientProof::Secret { is_right: client.secret_uuid.is_some() },
        state: &client.state,
        partner_state: client.partner_state.as_deref(),
        network_is_allowed: client.network_is_allowed,
    };
    if let Some(obstacle) = rules::find_obstacle(status) {
        return Err(record_refusal(cx, refused(), Some((&client, obstacle)), None).await?);
    }
    if client.issued >= most {
        return Err(rules::err_too_many());
    }
    let tier = client.partner_scopes.as_deref().map(scopes);
    let granted = rules::grant(scopes(&client.allowed_scopes), requested, tier);
    issue(cx, &client, granted, ClientEvidence::Secret(client.secret_uuid)).await
}

/// Introspect an access token.
#[operation(mutation, access = "client")]
async fn auth_tokens_introspect(cx: &RequestContext, body: OAuthTokenQuestion) -> Result<serde_json::Value, Fault> {
    let form = (body.client_id.as_deref(), body.client_secret.as_deref());
    let client = introspection::client(cx, form).await?;
    let token = rules::token(body.token.as_deref())?;
    Ok(match introspection::holder(cx, token).await? {
        Some((principal, claims)) if rules::may_see(client.partner_uuid, client.client_uuid, principal.uuid) => {
            introspection::active_response(cx, &principal, &claims)
        }
        _ => introspection::inactive_response(),
    })
}

/// Revoke an access token.
#[operation(mutation, access = "client")]
async fn auth_tokens_revoke(cx: &RequestContext, body: OAuthTokenQuestion) -> Result<OAuthRevocation, Fault> {
    let form = (body.client_id.as_deref(), body.client_secret.as_deref());
    let client = introspection::client(cx, form).await?;
    let token = rules::token(body.token.as_deref())?;
    // An invalid token needs no revocation, so it is not an error (section 2.2).
    if let Some((principal, claims)) = introspection::holder(cx, token).await? {
        if principal.uuid != client.client_uuid {
            return Err(rules::err_foreign_token());
        }
        store::insert_revocation(&cx.db, claims.jti, principal.token_expires_at).await?;
        let mut event = NewSecurityEvent::new(SecurityEventKind::TokenRevoked, true);
        (event.client_uuid, event.partner_uuid) = (Some(client.client_uuid), client.partner_uuid);
        event.write(cx).await?;
    }
    Ok(OAuthRevocation { status: "REVOKED" })
}

/// What a token is issued for.
pub(super) enum ClientEvidence<'a> {
    /// The secret that was presented.
    Secret(Option<Uuid>),
    /// The identity that was presented, as the machine client trusts it.
    Identity(&'a TrustedIdentity),
}

/// Signs a token and logs the grant.
pub(super) async fn issue(
    cx: &RequestContext,
    client: &ClientRow,
    granted: ScopeSet,
    evidence: ClientEvidence<'_>,
) -> Result<OAuthToken, Fault> {
    let (seconds, secret_uuid, identity) = match evidence {
        ClientEvidence::Secret(secret_uuid) => (rules::TOKEN_SECONDS, secret_uuid, None),
        ClientEvidence::Identity(identity) => (rules::IDENTITY_TOKEN_SECONDS, None, Some(identity)),
    };
    let (token_id, scope) = (cx.new_uuid(), granted.text());
    let expires_at = cx.now.plus_seconds(seconds);
    let claims = Claims {
        sub: client.client_uuid.to_string(),
        jti: token_id,
        iat: cx.now.unix(),
        nbf: cx.now.unix(),
        exp: expires_at.unix(),
        scope: scope.clone(),
        client_id: Some(client.client_id.clone()),
        sid: None,
    };
    let token = cx.services.authority.signing_ring(&cx.db).await?.sign(&claims).map_err(Fault::internal)?;
    let issued = IssuedToken {
        grant_uuid: cx.new_uuid(),
        client_uuid: client.client_uuid,
        secret_uuid,
        identity,
        token_id,
        expires_at,
        scopes: &granted.names(),
        address: cx.caller.address,
    };
    store::grant_insert(&cx.db, &issued).await?;
    Ok(OAuthToken { access_token: token.expose().to_owned(), token_type: "Bearer", expires_in: seconds, scope })
}

/// Logs a refusal, with the reason if the machine client is known, and returns the fault.
pub(super) async fn record_refusal(
    cx: &RequestContext,
    fault: Fault,
    known: Option<(&ClientRow, &str)>,
    identity: Option<EventIdentity>,
) -> Result<Fault, Fault> {
    let mut event = NewSecurityEvent::new(SecurityEventKind::TokenRefused, false);
    event.identity = identity;
    if let Some((client, obstacle)) = known {
        (event.client_uuid, event.partner_uuid) = (Some(client.client_uuid), client.partner_uuid);
        store::insert_refusal(&cx.db, cx.new_uuid(), client.client_uuid, obstacle, cx.caller.address).await?;
    }
    event.write(cx).await?;
    Ok(fault.keep_writes())
}

pub(super) fn scopes(names: &[String]) -> ScopeSet {
    ScopeSet::parse(names.iter().map(String::as_str))
}
