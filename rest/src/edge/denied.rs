//! Networks that staff have denied: refused before anything else is looked at, and liveness is answered still.

use axum::body::Body;
use http::Response;
use http::request::Parts;

use crate::answer;
use crate::contract::Probe;
use crate::dispatch::Walk;
use crate::rest::Rest;
use crate::routes::Match;

/// What a request from a denied network is answered, unless it asks for liveness.
pub(crate) fn refusal(rest: &Rest, parts: &Parts) -> Option<Response<Body>> {
    let services = rest.engine.services();
    let fault = services.authority.admit(Walk::address(rest, parts), services.clock.now()).err()?;
    let mut walk = Walk::begin(rest, parts);
    if let Match::Operation { operation, .. } = rest.routes.find(&parts.method, parts.uri.path()) {
        if operation.probe == Some(Probe::Liveness) {
            return None;
        }
        walk.operation = Some(operation.as_ref());
    }
    let response = answer::refusal(&fault, parts.uri.path(), &walk.request_id, walk.operation);
    Some(walk.finish(rest, response))
}
