//! Network denials: the service rejects such requests before any other check, except liveness.

use axum::body::Body;
use http::Response;
use http::request::Parts;

use super::Exchange;
use crate::contract::Probe;
use crate::rest::Rest;
use crate::routes::Match;

/// Returns the error for a request from a denied network, unless it is a liveness probe.
pub(crate) fn refusal(rest: &Rest, parts: &Parts) -> Option<Response<Body>> {
    let services = rest.engine.services();
    let fault = services.authority.admit(Exchange::address(rest, parts), services.clock.now()).err()?;
    let mut exchange = Exchange::begin(rest, parts);
    if let Match::Operation { operation, .. } = rest.routes().find(&parts.method, parts.uri.path()) {
        if operation.probe() == Some(Probe::Liveness) {
            return None;
        }
        exchange.operation = Some(operation.as_ref());
    }
    let response = exchange.refusal(&fault, parts);
    Some(exchange.finish(rest, response))
}
