//! What may be asked of tokens.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use serde::Deserialize;

use super::holding;
use super::rules::{self, Standing, TokenForm, Way};
use super::store::{self, ClientRow, Issued};
use crate::auth::security_events::{LedgerEntry, SecurityEventKind};
use crate::core::access::access;
use crate::core::context::{RequestContext, RequestContextExt};
use crate::core::crypto::secret::SecretKind;
use crate::core::crypto::token::Claims;
use crate::core::fault::Fault;
use crate::core::scope::ScopeSet;

/// An access token of a program (RFC 6749, section 5.1).
#[derive(serde::Serialize, SimpleObject)]
#[graphql(name = "OAuthToken", rename_fields = "snake_case")]
pub(crate) struct OAuthToken {
    /// Goes into the Authorization header as `Bearer <access_token>`.
    access_token: String,
    /// Always `Bearer`.
    token_type: &'static str,
    /// Seconds until the token is void.
    expires_in: i64,
    /// The scopes granted, with single spaces between them.
    scope: String,
}

/// Public keys that verify access tokens (RFC 7517).
#[derive(serde::Serialize, SimpleObject, Deserialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct JsonWebKeySet {
    /// The keys in use. Two or more while one takes the place of another.
    keys: Vec<JsonWebKey>,
}

/// A public key for Ed25519 signatures (RFC 8037).
#[derive(serde::Serialize, SimpleObject, Deserialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct JsonWebKey {
    /// The kind of key, `OKP`.
    kty: String,
    /// The curve, `Ed25519`.
    crv: String,
    /// The public key, base64url without padding.
    x: String,
    /// Id of the key, as in the header of the tokens that it signed.
    kid: String,
    /// What it is for, `sig`.
    #[graphql(name = "use")]
    #[serde(rename = "use")]
    purpose: String,
    /// The one algorithm that it may be used with, `EdDSA`.
    alg: String,
}

/// What a program sends for a token (RFC 6749, sections 4.4.2 and 4.3.2).
#[derive(InputObject)]
#[graphql(name = "OAuthTokenRequest", rename_fields = "snake_case")]
pub(crate) struct OAuthTokenRequest {
    /// `client_credentials` or `password`.
    grant_type: String,
    /// The client id of `client_credentials`, unless HTTP Basic carries it.
    client_id: Option<String>,
    /// The client secret of `client_credentials`, unless HTTP Basic carries it.
    client_secret: Option<String>,
    /// The client id of `password`, unless HTTP Basic carries it.
    username: Option<String>,
    /// The client secret of `password`, unless HTTP Basic carries it.
    password: Option<String>,
    /// The scopes wanted; left out, all that the client is allowed.
    scope: Option<String>,
}

/// A token, and who asks about it.
#[derive(InputObject)]
#[graphql(name = "OAuthTokenQuestion", rename_fields = "snake_case")]
pub(crate) struct OAuthTokenQuestion {
    /// The access token.
    token: Option<String>,
    /// What kind of token it is; there is one kind, so it is not looked at.
    #[graphql(name = "token_type_hint")]
    _token_type_hint: Option<String>,
    /// The client id, unless HTTP Basic carries it.
    client_id: Option<String>,
    /// The client secret, unless HTTP Basic carries it.
    client_secret: Option<String>,
}

/// The revoked token.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(name = "OAuthRevocation", rename_fields = "snake_case")]
pub(crate) struct OAuthRevocation {
    /// `REVOKED`.
    status: &'static str,
}

/// Reads about tokens.
#[derive(Default)]
pub(crate) struct TokensQuery;

/// Writes of tokens.
#[derive(Default)]
pub(crate) struct TokensMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TokensQuery {
    /// List public signing keys.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_tokens_list_keys(&self, ctx: &Context<'_>) -> Result<Option<JsonWebKeySet>, Fault> {
        let cx = ctx.cx();
        cx.answer(serde_json::from_value(cx.services.authority.ring().jwks(cx.now.unix())).map_err(Fault::internal)?)
    }
}

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl TokensMutation {
    /// Issue an access token.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_tokens_issue(&self, ctx: &Context<'_>, body: OAuthTokenRequest) -> Result<Option<OAuthToken>, Fault> {
        let cx = ctx.cx();
        let form = TokenForm {
            client: (body.client_id.as_deref(), body.client_secret.as_deref()),
            user: (body.username.as_deref(), body.password.as_deref()),
        };
        let presented = rules::read_credentials(&body.grant_type, form, cx.caller.credentials.client.as_ref())?;
        let requested = rules::parse_scopes(body.scope.as_deref())?;
        let digest = SecretKind::Client.digest(presented.secret);
        let most = rules::TOKENS_PER_MINUTE;
        let sha256 = digest.as_ref().map(<[u8; 32]>::as_slice);
        let client = store::client_get(&cx.db, presented.client_id, sha256, cx.caller.address, most).await?;
        let Some(client) = client else { return Err(record_refusal(cx, presented.way, None).await?) };
        let standing = Standing {
            secret_is_right: client.secret_uuid.is_some(),
            state: &client.state,
            partner_state: client.partner_state.as_deref(),
            network_is_allowed: client.network_is_allowed,
        };
        if let Some(obstacle) = rules::obstacle(standing) {
            return Err(record_refusal(cx, presented.way, Some((&client, obstacle))).await?);
        }
        if client.issued >= most {
            return Err(rules::too_many());
        }
        let tier = client.partner_scopes.as_deref().map(scopes);
        cx.answer(issue(cx, &client, rules::grant(scopes(&client.allowed_scopes), requested, tier)).await?)
    }

    /// Introspect an access token.
    #[graphql(directive = access::apply("client".into()))]
    async fn auth_tokens_introspect(
        &self,
        ctx: &Context<'_>,
        body: OAuthTokenQuestion,
    ) -> Result<Option<serde_json::Value>, Fault> {
        let cx = ctx.cx();
        let form = (body.client_id.as_deref(), body.client_secret.as_deref());
        let client = holding::client(cx, form).await?;
        let token = rules::token(body.token.as_deref())?;
        cx.answer(match holding::holder(cx, token).await? {
            Some((principal, claims)) if rules::may_see(client.partner_uuid, client.client_uuid, principal.uuid) => {
                holding::active(cx, &principal, &claims)
            }
            _ => holding::inactive(),
        })
    }

    /// Revoke an access token.
    #[graphql(directive = access::apply("client".into()))]
    async fn auth_tokens_revoke(
        &self,
        ctx: &Context<'_>,
        body: OAuthTokenQuestion,
    ) -> Result<Option<OAuthRevocation>, Fault> {
        let cx = ctx.cx();
        let form = (body.client_id.as_deref(), body.client_secret.as_deref());
        let client = holding::client(cx, form).await?;
        let token = rules::token(body.token.as_deref())?;
        // A token that is no good any more needs no revocation, so that is no error (section 2.2).
        if let Some((principal, claims)) = holding::holder(cx, token).await? {
            if principal.uuid != client.client_uuid {
                return Err(rules::not_its_own());
            }
            store::revocation_insert(&cx.db, claims.jti, principal.token_expires_at).await?;
            let mut event = LedgerEntry::new(SecurityEventKind::TokenRevoked, true);
            (event.client_uuid, event.partner_uuid) = (Some(client.client_uuid), client.partner_uuid);
            event.write(cx).await?;
        }
        cx.answer(OAuthRevocation { status: "REVOKED" })
    }
}

/// Signs a token and writes it into the ledger.
async fn issue(cx: &RequestContext, client: &ClientRow, granted: ScopeSet) -> Result<OAuthToken, Fault> {
    let Some(secret_uuid) = client.secret_uuid else { return Err(rules::refused(Way::Form)) };
    let (token_id, scope) = (cx.new_uuid(), granted.text());
    let expires_at = cx.now.plus_seconds(rules::TOKEN_SECONDS);
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
    let issued = Issued {
        grant_uuid: cx.new_uuid(),
        client_uuid: client.client_uuid,
        secret_uuid,
        token_id,
        expires_at,
        scopes: &granted.names(),
        address: cx.caller.address,
    };
    store::grant_insert(&cx.db, &issued).await?;
    Ok(OAuthToken {
        access_token: token.expose().to_owned(),
        token_type: "Bearer",
        expires_in: rules::TOKEN_SECONDS,
        scope,
    })
}

/// Writes a refusal into the ledgers, with what stood in the way of a known program, and answers it, the same
/// whatever was wrong.
async fn record_refusal(cx: &RequestContext, way: Way, known: Option<(&ClientRow, &str)>) -> Result<Fault, Fault> {
    let mut event = LedgerEntry::new(SecurityEventKind::TokenRefused, false);
    if let Some((client, obstacle)) = known {
        (event.client_uuid, event.partner_uuid) = (Some(client.client_uuid), client.partner_uuid);
        store::refusal_insert(&cx.db, cx.new_uuid(), client.client_uuid, obstacle, cx.caller.address).await?;
    }
    event.write(cx).await?;
    Ok(rules::refused(way).keep_writes())
}

fn scopes(names: &[String]) -> ScopeSet {
    ScopeSet::parse(names.iter().map(String::as_str))
}
