//! What is checked of a request before its content is looked at.

use http::{HeaderMap, header, request::Parts};
use labs_schema::ask::Caller;
use labs_schema::{Code, Fault};

use crate::contract::Operation;
use crate::rest::Rest;

/// Longest target of a request, in bytes.
const LONGEST_TARGET: usize = 4096;

/// A head that no honest client sends ends here.
pub(super) fn head(parts: &Parts) -> Result<(), Fault> {
    let malformed = |detail: &str| Err(Fault::new(Code::MalformedRequest, detail));
    if parts.uri.path_and_query().is_none_or(|target| target.as_str().len() > LONGEST_TARGET) {
        return malformed("The request's target is longer than 4096 bytes. Send fewer or shorter parameters.");
    }
    if parts.headers.get_all(header::HOST).iter().count() != 1 && parts.uri.host().is_none() {
        return malformed("Send exactly one Host header.");
    }
    Ok(())
}

/// Under /v1/partner/{partner_uuid} a foreign uuid is 403 whether it exists or not (specification:
/// decisions, Errors).
pub(crate) fn partner(operation: &Operation, caller: &Caller, values: &[(&str, &str)]) -> Result<(), Fault> {
    if !operation.path.starts_with("/v1/partner/{partner_uuid}") {
        return Ok(());
    }
    let own = caller.principal.as_ref().and_then(|principal| principal.partner_uuid);
    let named =
        values.iter().find(|(name, _)| *name == "partner_uuid").and_then(|(_, value)| value.parse::<uuid::Uuid>().ok());
    if own.is_some() && own == named {
        return Ok(());
    }
    Err(Fault::new(
        Code::PartnerMismatch,
        "The path names another partner than your token. GET /v1/system/me shows yours.",
    ))
}

/// A cookie is sent by the browser on its own, so a foreign page must not be able to use it (design:
/// security, Identity 9).
pub(super) fn origin(rest: &Rest, sent: &HeaderMap) -> Result<(), Fault> {
    let Some(origin) = sent.get(header::ORIGIN).and_then(|value| value.to_str().ok()) else { return Ok(()) };
    let host = sent.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let own = origin == rest.settings.base_url || origin.split_once("://").is_some_and(|(_, named)| named == host);
    if own || rest.settings.cors_origins.iter().any(|known| known == origin) {
        return Ok(());
    }
    Err(Fault::new(Code::Unauthenticated, "The refresh cookie is not taken from this origin."))
}
