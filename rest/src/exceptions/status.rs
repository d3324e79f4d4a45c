//! Liveness, readiness and the contract: available without the schema.

use axum::body::Body;
use http::{HeaderValue, Response, StatusCode, header, request::Parts};
use labs_core::Fault;
use serde_json::{Value, json};

use crate::answer::{etag, write_conditional};
use crate::bind::BoundRequest;
use crate::front::headers;
use crate::probes::ProbeResults;
use crate::rest::Rest;

/// Answers the liveness probe. The response must not be cached.
pub(super) fn health() -> Response<Body> {
    let mut response = answer(StatusCode::OK, &json!({ "status": "OK" }));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Answers the readiness probe: whether this replica should receive requests.
pub(super) async fn readiness(rest: &Rest) -> Response<Body> {
    let ProbeResults { mut checks, degraded } = rest.probes.verdicts().await;
    checks.insert(checks.len().min(2), json!({ "name": "CONTRACT", "state": "OK", "detail": null }));
    checks.push(if rest.is_stopping() {
        let detail = "This replica is stopping. Send requests to another one.";
        json!({ "name": "REPLICA", "state": "FAILING", "detail": detail })
    } else {
        json!({ "name": "REPLICA", "state": "OK", "detail": null })
    });
    let is_in = |state: &str| checks.iter().any(|check| check["state"] == state);
    let ready = !is_in("FAILING");
    let status = match (ready, is_in("DEGRADED") || !degraded.is_empty()) {
        (true, false) => "READY",
        (true, true) => "DEGRADED",
        (false, _) => "NOT_READY",
    };
    let marked = rest.marks().contract(&rest.contract).await;
    let digest = marked.as_ref().map_or(rest.contract.digest(), |marked| marked.digest.as_str());
    let body = json!({
        "status": status,
        "version": env!("CARGO_PKG_VERSION"),
        "contract": {
            "version": rest.contract.version(),
            "digest": digest,
            "operations": rest.contract.operations().len(),
        },
        "checks": checks,
        "degraded": degraded,
    });
    let mut response = answer(if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, &body);
    let out = response.headers_mut();
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if !ready {
        out.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// Returns the contract's text.
pub(super) async fn contract(rest: &Rest, parts: &Parts, bound: &BoundRequest) -> Result<Response<Body>, Fault> {
    let marked = rest.marks().contract(&rest.contract).await;
    let (document, digest) = match &marked {
        Some(marked) => (&marked.document, marked.digest.as_str()),
        None => (&rest.document, rest.contract.digest()),
    };
    let tag = etag(digest.as_bytes());
    let mut response = document.answer(&parts.headers).await;
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/yaml"));
    headers::text(out, header::ETAG, &format!("\"{tag}\""));
    write_conditional(response, (bound.if_match.as_ref(), bound.if_none_match.as_ref()), &parts.headers)
}

/// Builds a JSON response.
pub(super) fn answer(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
