//! Token introspection and revocation for machine clients (RFC 7662, RFC 7009).

use std::sync::Arc;

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_core::principal::Principal;
use labs_crypto::secret::SecretKind;
use labs_crypto::token::Claims;
use serde_json::{Value, json};

use super::rules::{self, ClientAuthMethod, ClientProof, ClientStatus};
use super::store::{self, ClientRow};
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};

/// Returns the calling machine client by its id and secret, which must be in exactly one place.
///
/// # Errors
/// `invalid_client`, the same for every cause, with an entry in the token grants.
pub(super) async fn client(cx: &RequestContext, form: (Option<&str>, Option<&str>)) -> Result<ClientRow, Fault> {
    let presented = rules::client(form, cx.caller.credentials.client.as_ref())?;
    let digest = SecretKind::Client.digest(presented.secret);
    let sha256 = digest.as_ref().map(<[u8; 32]>::as_slice);
    let client = store::get_client(&cx.db, presented.client_id, sha256, cx.caller.address, 0).await?;
    let obstacle = client.as_ref().map(|client| {
        rules::find_obstacle(ClientStatus {
            proof: ClientProof::Secret { is_right: client.secret_uuid.is_some() },
            state: &client.state,
            partner_state: client.partner_state.as_deref(),
            network_is_allowed: client.network_is_allowed,
        })
    });
    match (client, obstacle) {
        (Some(client), Some(None)) => {
            store::set_last_used(&cx.db, client.client_uuid, client.secret_uuid).await?;
            Ok(client)
        }
        (client, _) => {
            let mut event = NewSecurityEvent::new(SecurityEventKind::ClientRefused, false);
            event.client_uuid = client.as_ref().map(|client| client.client_uuid);
            event.partner_uuid = client.and_then(|client| client.partner_uuid);
            event.write(cx).await?;
            Err(rules::err_refused(ClientAuthMethod::Client).keep_writes())
        }
    }
}

/// Returns the principal and the claims of a valid token. The check is as strict as for a request with the token: if it
/// cannot be completed, it fails.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the state of the token cannot be determined.
pub(super) async fn holder(cx: &RequestContext, token: &str) -> Result<Option<(Arc<Principal>, Claims)>, Fault> {
    let authority = &cx.services.authority;
    match authority.principal(token).await {
        Ok(principal) => Ok(authority.ring().verify(token, cx.now.unix()).ok().map(|claims| (principal, claims))),
        Err(fault) if fault.code().is_failure() => Err(fault),
        Err(_) => Ok(None),
    }
}

/// Returns the introspection response for a valid token (RFC 7662, section 2.2).
pub(super) fn active_response(cx: &RequestContext, principal: &Principal, claims: &Claims) -> Value {
    let settings = &cx.services.settings;
    let mut response = json!({
        "active": true,
        "scope": principal.scopes.text(),
        "token_type": "Bearer",
        "exp": claims.exp,
        "iat": claims.iat,
        "nbf": claims.nbf,
        "sub": claims.sub,
        "aud": settings.audience,
        "iss": settings.base_url,
        "jti": claims.jti,
        "principal_type": principal.kind.name(),
    });
    if let Value::Object(response) = &mut response {
        response.extend(principal.client_id.as_ref().map(|id| ("client_id".to_owned(), json!(id))));
        response.extend(principal.partner_uuid.map(|uuid| ("partner_uuid".to_owned(), json!(uuid))));
    }
    response
}

/// Returns the introspection response for any other token, without details.
pub(super) fn inactive_response() -> Value {
    json!({ "active": false })
}
