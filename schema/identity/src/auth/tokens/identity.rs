//! Tokens for identities of other issuers, without a secret (RFC 7523, section 2.1).
//!
//! The assertion is verified before the database is asked, because the keys of its issuer may have to be read first.

use labs_core::context::RequestContext;
use labs_core::fault::Fault;
use labs_crypto::assertion::{Identity, UnverifiedAssertion};
use labs_crypto::sha256;

use super::resolvers::{ClientEvidence, OAuthToken, OAuthTokenRequest, issue, record_refusal, scopes};
use super::rules::{self, ClientProof, ClientStatus};
use super::store;
use crate::auth::security_events::{EventIdentity, NewSecurityEvent, SecurityEventKind};

/// Issues a token for the identity in the assertion, if the machine client trusts it.
///
/// # Errors
/// `invalid_request`, `invalid_scope`; `invalid_grant` with the reason if it follows from the assertion alone, otherwise
/// the same for every reason; [`labs_core::Code::Unavailable`] if the issuer's keys cannot be read.
pub(super) async fn issue_for_identity(cx: &RequestContext, body: &OAuthTokenRequest) -> Result<OAuthToken, Fault> {
    let has_other_proof = body.has_secret() || cx.caller.credentials.client.is_some();
    let (client_id, assertion) =
        rules::read_assertion(body.client_id.as_deref(), body.assertion.as_deref(), has_other_proof)?;
    let requested = rules::parse_scopes(body.scope.as_deref())?;
    let identity = verify(cx, assertion).await?;
    let of_event = || Some(EventIdentity { issuer: identity.issuer.clone(), subject: identity.subject.clone() });
    let most = rules::TOKENS_PER_MINUTE;
    let client = store::get_client(&cx.db, client_id, None, cx.caller.address, most).await?;
    let Some(client) = client else {
        return Err(record_refusal(cx, rules::err_untrusted(), None, of_event()).await?);
    };
    let trusted = client.trusted_identities.iter().find(|trusted| trusted.matches(&identity));
    let status = ClientStatus {
        proof: ClientProof::Identity { is_trusted: trusted.is_some() },
        state: &client.state,
        partner_state: client.partner_state.as_deref(),
        network_is_allowed: client.network_is_allowed,
    };
    let (Some(trusted), None) = (trusted, rules::find_obstacle(status)) else {
        let obstacle = rules::find_obstacle(status).unwrap_or("UNTRUSTED_IDENTITY");
        return Err(record_refusal(cx, rules::err_untrusted(), Some((&client, obstacle)), of_event()).await?);
    };
    if client.issued >= most {
        return Err(rules::err_too_many());
    }
    let name = [identity.issuer.as_bytes(), identity.assertion_id.as_bytes()].join(&0);
    let expires_at = cx.now.plus_seconds(identity.expires_at - cx.now.unix());
    if !store::insert_used_assertion(&cx.db, &sha256(&name), expires_at).await? {
        let known = Some((&client, "ASSERTION_REPLAYED"));
        return Err(record_refusal(cx, rules::err_replayed(), known, of_event()).await?);
    }
    let mut event = NewSecurityEvent::new(SecurityEventKind::TokenIssued, true);
    (event.client_uuid, event.partner_uuid) = (Some(client.client_uuid), client.partner_uuid);
    event.identity = of_event();
    event.write(cx).await?;
    let tier = client.partner_scopes.as_deref().map(scopes);
    let granted = rules::grant(scopes(&client.allowed_scopes), requested, tier);
    issue(cx, &client, granted, ClientEvidence::Identity(trusted)).await
}

/// Verifies an assertion with the keys of its issuer.
async fn verify(cx: &RequestContext, assertion: &str) -> Result<Identity, Fault> {
    let read = UnverifiedAssertion::read(assertion).map_err(rules::err_invalid_assertion)?;
    let keys = cx.services.issuers.keys_for(&read).await.map_err(|fault| match fault.code().is_failure() {
        true => fault,
        false => fault.oauth("invalid_grant"),
    })?;
    keys.verify(assertion, cx.now.unix()).map_err(rules::err_invalid_assertion)
}
