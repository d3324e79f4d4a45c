//! Networks that staff have denied: refused before anything else is looked at, and liveness is answered still.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use http::Response;

use crate::answer;
use crate::dispatch::Walk;
use crate::rest::Rest;
use crate::routes::Match;

/// Lets a request on unless it comes from a denied network, which nothing but liveness answers.
pub(crate) async fn guard(State(rest): State<Arc<Rest>>, request: Request, next: Next) -> Response<Body> {
    let services = rest.engine.services();
    let (parts, body) = request.into_parts();
    let address = Walk::address(&rest, &parts);
    let Err(fault) = services.authority.admit(address, services.clock.now()) else {
        return next.run(Request::from_parts(parts, body)).await;
    };
    let mut walk = Walk::begin(&rest, &parts);
    if let Match::Operation { operation, .. } = rest.routes.find(&parts.method, parts.uri.path()) {
        if operation.id == "system_health_get" {
            return next.run(Request::from_parts(parts, body)).await;
        }
        walk.operation = Some(operation.as_ref());
    }
    let response = answer::refusal(&fault, parts.uri.path(), &walk.request_id, walk.operation);
    walk.finish(&rest, response)
}
