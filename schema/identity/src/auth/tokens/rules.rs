//! Rules on how machine clients authenticate, and on the scopes of their tokens.

use labs_core::fault::{Code, Fault, SpentBudget};
use labs_core::scope::{Scope, ScopeSet};
use labs_crypto::assertion::AssertionError;
use uuid::Uuid;

/// Grant type of a request with an identity assertion (RFC 7523, section 2.1).
pub(super) const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// Lifetime of a token that is issued for an identity, in seconds. A job of a CI system requests another one if needed.
pub(super) const IDENTITY_TOKEN_SECONDS: i64 = 900;
/// Lifetime of a machine client's token, in seconds.
pub(super) const TOKEN_SECONDS: i64 = 3600;
/// Tokens that one machine client is issued per minute at most. A token is valid for an hour and works for every
/// operation, so even a large fleet that starts at once stays below the limit.
pub(super) const TOKENS_PER_MINUTE: i64 = 300;
/// Longest accepted list of scopes, in bytes.
const LONGEST_SCOPE: usize = 4096;

/// Method with which a machine client authenticated. It decides the error code of a refusal (RFC 6749, section 5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClientAuthMethod {
    /// In the form, as user name and password.
    Form,
    /// As a client: by HTTP Basic, or in the form.
    Client,
}

/// The two pairs of form fields that may contain an id and a secret.
#[derive(Clone, Copy)]
pub(super) struct TokenForm<'a> {
    /// `client_id` and `client_secret`.
    pub(super) client: (Option<&'a str>, Option<&'a str>),
    /// `username` and `password`.
    pub(super) user: (Option<&'a str>, Option<&'a str>),
}

/// An id and a secret as received. Never printed.
pub(super) struct PresentedCredentials<'a> {
    pub(super) client_id: &'a str,
    pub(super) secret: &'a str,
    pub(super) method: ClientAuthMethod,
}

/// What a machine client proves itself with, and whether it counts.
#[derive(Clone, Copy)]
pub(super) enum ClientProof {
    /// A client secret.
    Secret { is_right: bool },
    /// An identity of another issuer.
    Identity { is_trusted: bool },
}

/// Facts about a machine client that decide whether it is issued a token.
#[derive(Clone, Copy)]
pub(super) struct ClientStatus<'a> {
    pub(super) proof: ClientProof,
    pub(super) state: &'a str,
    pub(super) partner_state: Option<&'a str>,
    pub(super) network_is_allowed: bool,
}

/// Reads id and secret from their only place, which depends on the grant.
///
/// # Errors
/// `unsupported_grant_type`; `unauthorized_client` for a user; `invalid_request` if the credentials are missing or
/// differ between two places; `invalid_client` if a client's credentials are missing.
pub(super) fn read_credentials<'a>(
    grant_type: &str,
    form: TokenForm<'a>,
    basic: Option<&'a (String, String)>,
) -> Result<PresentedCredentials<'a>, Fault> {
    match grant_type {
        "password" => of_user(form.user, basic),
        "client_credentials" => {
            if [form.user.0, form.user.1].iter().flatten().any(|text| !text.is_empty()) {
                let detail = "With grant_type=client_credentials send client_id and client_secret, or HTTP Basic.";
                return Err(err_malformed("invalid_request", detail));
            }
            let presented = client(form.client, basic)?;
            if presented.client_id.contains('@') { Err(err_no_client()) } else { Ok(presented) }
        }
        "" => Err(err_malformed("invalid_request", "Send grant_type=client_credentials.")),
        _ => {
            let detail = "Send grant_type=client_credentials, password or \
                          urn:ietf:params:oauth:grant-type:jwt-bearer. Other grants are not supported.";
            Err(err_malformed("unsupported_grant_type", detail))
        }
    }
}

/// The fault for an e-mail address, which is never the id of a machine client.
fn err_no_client() -> Fault {
    let detail = "This grant is for machine clients. Users sign in with POST /v1/auth/sessions.";
    Fault::new(Code::InvalidCredentials, detail).oauth("unauthorized_client")
}

/// Returns the id and secret of the password grant. OAuth libraries repeat the form fields, or only the id, in HTTP
/// Basic; equal values do not count as a second method.
fn of_user<'a>(
    form: (Option<&'a str>, Option<&'a str>),
    basic: Option<&'a (String, String)>,
) -> Result<PresentedCredentials<'a>, Fault> {
    // A parameter without a value counts as omitted (RFC 6749, section 3.2).
    let given = |text: Option<&'a str>| text.filter(|text| !text.is_empty());
    match (given(form.0), given(form.1), basic) {
        (Some(client_id), Some(secret), None) => {
            Ok(PresentedCredentials { client_id, secret, method: ClientAuthMethod::Form })
        }
        (Some(client_id), Some(secret), Some((basic_id, basic_secret)))
            if basic_id == client_id && (basic_secret.is_empty() || basic_secret == secret) =>
        {
            Ok(PresentedCredentials { client_id, secret, method: ClientAuthMethod::Form })
        }
        (None, None, Some((client_id, secret))) => {
            Ok(PresentedCredentials { client_id, secret, method: ClientAuthMethod::Client })
        }
        (_, _, Some(_)) => {
            let detail = "Send one client id and secret: by HTTP Basic, or as username and password.";
            Err(err_malformed("invalid_request", detail))
        }
        _ => Err(err_malformed("invalid_request", "Send the client id as username and the client secret as password.")),
    }
}

/// Reads id and secret of a machine client that authenticates as a client (RFC 6749, section 2.3.1).
///
/// # Errors
/// `invalid_client` if they are missing, `invalid_request` if they are in two places.
pub(super) fn client<'a>(
    form: (Option<&'a str>, Option<&'a str>),
    basic: Option<&'a (String, String)>,
) -> Result<PresentedCredentials<'a>, Fault> {
    let given = |text: Option<&'a str>| text.filter(|text| !text.is_empty());
    match (given(form.0), given(form.1), basic) {
        (Some(client_id), Some(secret), None) => {
            Ok(PresentedCredentials { client_id, secret, method: ClientAuthMethod::Client })
        }
        // Some libraries repeat the id in the form; this is not a second method.
        (form_id, None, Some((client_id, secret))) if form_id.is_none_or(|id| id == client_id) => {
            Ok(PresentedCredentials { client_id, secret, method: ClientAuthMethod::Client })
        }
        (_, _, Some(_)) => {
            let detail = "Send the client id and the secret in only one way: by HTTP Basic, or as client_id and \
                          client_secret.";
            Err(err_malformed("invalid_request", detail))
        }
        _ => {
            let detail = "Send the client id and the secret by HTTP Basic, or as client_id and client_secret.";
            Err(Fault::new(Code::InvalidCredentials, detail).oauth("invalid_client"))
        }
    }
}

/// Returns the token in question.
///
/// # Errors
/// `invalid_request` if it is missing.
pub(super) fn token(token: Option<&str>) -> Result<&str, Fault> {
    token
        .filter(|token| !token.is_empty())
        .ok_or_else(|| err_malformed("invalid_request", "Send the token as `token`."))
}

/// Whether a machine client may introspect a token. A client without a partner may introspect every token, because it
/// is a proxy between users and the service; a client of a partner only its own.
pub(super) fn may_see(client_partner: Option<Uuid>, client_uuid: Uuid, holder_uuid: Uuid) -> bool {
    client_partner.is_none() || client_uuid == holder_uuid
}

/// The fault for revoking a token of another principal (RFC 7009, section 2.1).
pub(super) fn err_foreign_token() -> Fault {
    let detail = "The token was not issued to this client. A client can revoke only its own tokens.";
    Fault::new(Code::NotFound, detail).oauth("unauthorized_client")
}

/// Returns the requested scopes; `None` if the client requests all that it is allowed.
///
/// # Errors
/// `invalid_scope` for a text that is not a list of scopes, and for an unknown scope (RFC 6749, sections 3.3 and 5.2).
pub(super) fn parse_scopes(scope: Option<&str>) -> Result<Option<ScopeSet>, Fault> {
    let Some(scope) = scope.filter(|scope| !scope.is_empty()) else { return Ok(None) };
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'))
    };
    if scope.len() > LONGEST_SCOPE || !scope.split(' ').all(is_name) {
        return Err(err_malformed("invalid_scope", "Send scope as scope names separated by single spaces."));
    }
    let read = |name: &str| {
        Scope::parse(name).ok_or_else(|| {
            let detail =
                format!("`{name}` is not a scope. The contract lists every scope under its security scheme `oauth2`.");
            err_malformed("invalid_scope", &detail)
        })
    };
    scope.split(' ').map(read).collect::<Result<Vec<_>, _>>().map(|scopes| Some(ScopeSet::of(scopes)))
}

/// Returns the reason why a machine client is refused a token, for the log; `None` if it may get one. The caller gets
/// the same response for every reason.
pub(super) fn find_obstacle(client: ClientStatus<'_>) -> Option<&'static str> {
    match client.proof {
        ClientProof::Secret { is_right: false } => return Some("WRONG_SECRET"),
        ClientProof::Identity { is_trusted: false } => return Some("UNTRUSTED_IDENTITY"),
        ClientProof::Secret { .. } | ClientProof::Identity { .. } => {}
    }
    if client.state != "ACTIVE" {
        return Some("CLIENT_DISABLED");
    }
    if !matches!(client.partner_state, None | Some("ACTIVE" | "CLOSING")) {
        return Some("PARTNER_NOT_ACTIVE");
    }
    (!client.network_is_allowed).then_some("NETWORK_NOT_ALLOWED")
}

/// Computes the scopes of a token: the intersection of the client's allowed scopes and the requested scopes. For a
/// client of a partner, it is also intersected with the scopes of the partner's tier, which never include staff scopes
/// (docs/decisions/access.md#kinds-of-principal). Account scopes belong to users, so no machine client gets one.
pub(super) fn grant(allowed: ScopeSet, requested: Option<ScopeSet>, tier: Option<ScopeSet>) -> ScopeSet {
    let own = allowed.without(ScopeSet::parse(["auth.account:write"]));
    let asked = requested.map_or(own, |requested| own.intersect(requested));
    tier.map_or(asked, |tier| labs_core::authority::effective_scopes(asked, tier))
}

/// The fault of a refusal, the same for every cause.
pub(super) fn err_refused(method: ClientAuthMethod) -> Fault {
    let error = match method {
        ClientAuthMethod::Form => "invalid_grant",
        ClientAuthMethod::Client => "invalid_client",
    };
    Fault::new(Code::InvalidCredentials, "The client id or the client secret is wrong.").oauth(error)
}

/// The fault for a machine client that requests too many tokens instead of reusing one.
pub(super) fn err_too_many() -> Fault {
    let detail = format!(
        "The limit of {TOKENS_PER_MINUTE} tokens per minute is exceeded. Reuse one token for all requests until it \
         expires."
    );
    Fault::rate_limited(SpentBudget::Burst, 60, detail)
}

/// Reads client id and assertion. Neither a secret nor HTTP Basic may accompany them, because a request proves itself in
/// only one way (RFC 6749, section 2.3).
///
/// # Errors
/// `invalid_request`.
pub(super) fn read_assertion<'a>(
    client_id: Option<&'a str>,
    assertion: Option<&'a str>,
    has_other_proof: bool,
) -> Result<(&'a str, &'a str), Fault> {
    let given = |text: Option<&'a str>| text.filter(|text| !text.is_empty());
    match (given(client_id), given(assertion)) {
        (Some(client_id), Some(assertion)) if !has_other_proof => Ok((client_id, assertion)),
        _ => {
            let detail = "With this grant_type send client_id and assertion, and neither a secret nor HTTP Basic.";
            Err(err_malformed("invalid_request", detail))
        }
    }
}

/// The fault for an assertion that no machine client could use.
pub(super) fn err_invalid_assertion(error: AssertionError) -> Fault {
    let detail = format!("The assertion {error}. Request a new one from its issuer.");
    Fault::new(Code::InvalidCredentials, detail).oauth("invalid_grant")
}

/// The fault for an assertion that the machine client does not accept, the same for every cause.
pub(super) fn err_untrusted() -> Fault {
    let detail = "The machine client does not accept this identity. Compare issuer, audience, subject and claims of \
                  the assertion with its trusted identities.";
    Fault::new(Code::InvalidCredentials, detail).oauth("invalid_grant")
}

/// The fault for an assertion that was used before.
pub(super) fn err_replayed() -> Fault {
    let detail = "The assertion was used before. Request a new one from its issuer for each token.";
    Fault::new(Code::InvalidCredentials, detail).oauth("invalid_grant")
}

fn err_malformed(error: &'static str, detail: &str) -> Fault {
    Fault::new(Code::MalformedRequest, detail).oauth(error)
}

#[cfg(test)]
mod tests;
