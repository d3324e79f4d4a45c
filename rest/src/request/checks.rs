//! Checks of a request before its content is read.

use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Version, header, request::Parts};
use labs_core::context::Caller;
use labs_core::{Code, Fault};
use uuid::Uuid;

use crate::contract::Operation;
use crate::rest::Rest;

/// Maximum length of a request target, in bytes.
const LONGEST_TARGET: usize = 4096;

/// Rejects a head that no well-behaved client sends. A target with a host does not replace the one Host header (RFC
/// 9112 section 3.2).
///
/// # Errors
/// [`Code::MalformedRequest`] for such heads.
pub(crate) fn check_head(parts: &Parts) -> Result<(), Fault> {
    let malformed = |detail: &str| Err(Fault::new(Code::MalformedRequest, detail));
    if parts.uri.path_and_query().is_none_or(|target| target.as_str().len() > LONGEST_TARGET) {
        return malformed("The request target is longer than 4096 bytes. Send fewer or shorter parameters.");
    }
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) if is_host(host) => Ok(()),
        (Some(_), None) => {
            malformed("The Host header names no host. Send a host, for example api.example.com or [::1]:8080.")
        }
        // HTTP/1.0 has no Host (RFC 9112 section 3.2); health checks of proxies use it.
        (None, None) if parts.version <= Version::HTTP_10 => Ok(()),
        _ => malformed("Send exactly one Host header."),
    }
}

/// Whether a Host header contains a host, and optionally a port (RFC 9110 section 7.2).
fn is_host(value: &HeaderValue) -> bool {
    let Ok(authority) = Authority::try_from(value.as_bytes()) else { return false };
    let is_port_good = authority.as_str().len() == authority.host().len() || authority.port_u16().is_some();
    !authority.as_str().contains('@') && !authority.host().is_empty() && is_port_good
}

/// Rejects another partner's uuid in the path with 403, whether it exists or not
/// ([`Operation::requires_own_partner`]).
pub(crate) fn check_partner(operation: &Operation, caller: &Caller, values: &[(&str, &str)]) -> Result<(), Fault> {
    if !operation.requires_own_partner {
        return Ok(());
    }
    ensure_own_partner(caller.principal.as_ref().and_then(|principal| principal.partner_uuid), values)
}

fn ensure_own_partner(own: Option<Uuid>, values: &[(&str, &str)]) -> Result<(), Fault> {
    let named =
        values.iter().find(|(name, _)| *name == "partner_uuid").and_then(|(_, value)| value.parse::<Uuid>().ok());
    if own.is_some() && own == named {
        return Ok(());
    }
    Err(Fault::new(
        Code::PartnerMismatch,
        "The path names another partner than your access token. GET /v1/system/me returns yours.",
    ))
}

/// Rejects foreign origins: the browser sends a cookie automatically, so a foreign page must not be able to use it
/// (docs/decisions/credentials.md).
pub(crate) fn check_origin(rest: &Rest, sent: &HeaderMap) -> Result<(), Fault> {
    let Some(origin) = sent.get(header::ORIGIN).and_then(|value| value.to_str().ok()) else { return Ok(()) };
    let host = sent.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let own = origin == rest.settings.base_url || origin.split_once("://").is_some_and(|(_, named)| named == host);
    if own || rest.settings.cors_origins.iter().any(|known| known == origin) {
        return Ok(());
    }
    Err(Fault::new(Code::Unauthenticated, "The service does not accept the refresh cookie from this origin."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_header_is_required_and_validated_except_http_1_0() {
        let verdict = |version: Version, hosts: &[&str]| {
            let request = http::Request::builder().version(version).uri("/v1/system/health");
            let request = hosts.iter().fold(request, |request, host| request.header(header::HOST, *host));
            check_head(&request.body(()).unwrap().into_parts().0).map_err(|fault| fault.code())
        };
        for good in ["labs", "labs.example:8080", "127.0.0.1:1", "[::1]", "[::1]:65535"] {
            assert_eq!(verdict(Version::HTTP_11, &[good]), Ok(()), "{good}");
        }
        for bad in ["", "a b", "u@h", "u:p@h:1", "x:99999999", "x:", ":80", "a/b", "a?b", "[::1", "\"x\""] {
            assert_eq!(verdict(Version::HTTP_11, &[bad]), Err(Code::MalformedRequest), "{bad}");
            assert_eq!(verdict(Version::HTTP_10, &[bad]), Err(Code::MalformedRequest), "{bad}");
        }
        assert_eq!(verdict(Version::HTTP_10, &[]), Ok(()));
        assert_eq!(verdict(Version::HTTP_11, &[]), Err(Code::MalformedRequest));
        assert_eq!(verdict(Version::HTTP_10, &["labs", "labs"]), Err(Code::MalformedRequest));
    }

    #[test]
    fn path_with_another_partner_is_rejected() {
        let own = Uuid::from_u128(1);
        let verdict = |own, named: &str| {
            ensure_own_partner(own, &[("user_uuid", "x"), ("partner_uuid", named)]).map_err(|fault| fault.code())
        };
        assert_eq!(verdict(Some(own), &own.to_string()), Ok(()));
        for (holder, named) in
            [(Some(own), Uuid::from_u128(2).to_string()), (Some(own), "mine".to_owned()), (None, own.to_string())]
        {
            assert_eq!(verdict(holder, &named), Err(Code::PartnerMismatch), "{named}");
        }
    }
}
