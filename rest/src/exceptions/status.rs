//! Liveness, readiness and the contract: known without asking the schema.

use std::time::{Duration, Instant};

use axum::body::Body;
use futures_util::future::{BoxFuture, join_all};
use http::{HeaderValue, Response, StatusCode, header, request::Parts};
use labs_schema::Fault;
use serde_json::{Value, json};

use crate::answer::{conditionally, etag};
use crate::bind::Bound;
use crate::edge::headers;
use crate::rest::Rest;

/// How long a part may take to say that it is well.
const PATIENCE: Duration = Duration::from_secs(2);

/// One thing that the service leans on.
pub struct Probe {
    /// `DATABASE`, `MIGRATIONS`, `MAIL` or `MEDIA_STORE`.
    pub name: &'static str,
    /// Whether it is well; else a sentence without addresses or secrets.
    pub check: Box<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>,
}

/// Everything that the service leans on, and what was last found of it: strangers may ask as often as they
/// like, the parts are asked once in a while.
pub struct Probes {
    probes: Vec<Probe>,
    found: tokio::sync::Mutex<Option<(Instant, Vec<Value>)>>,
}

/// How long a finding is answered again.
const GOOD_FOR: Duration = Duration::from_secs(1);

impl Probes {
    /// These probes, none asked yet.
    #[must_use]
    pub fn new(probes: Vec<Probe>) -> Self {
        Self { probes, found: tokio::sync::Mutex::new(None) }
    }

    async fn verdicts(&self) -> Vec<Value> {
        let mut found = self.found.lock().await;
        if let Some((at, verdicts)) = found.as_ref().filter(|(at, _)| at.elapsed() < GOOD_FOR) {
            tracing::trace!(age_ms = at.elapsed().as_millis(), "readiness answered again");
            return verdicts.clone();
        }
        let verdicts = join_all(self.probes.iter().map(verdict)).await;
        *found = Some((Instant::now(), verdicts.clone()));
        verdicts
    }
}

/// The process answers. Whoever asks wants to know it of this moment.
pub(super) fn health() -> Response<Body> {
    let mut response = answer(StatusCode::OK, &json!({ "status": "OK" }));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Whether the service can do its work.
pub(super) async fn readiness(rest: &Rest) -> Response<Body> {
    let mut checks = rest.probes.verdicts().await;
    checks.insert(checks.len().min(2), json!({ "name": "CONTRACT", "state": "OK", "detail": null }));
    let ready = checks.iter().all(|check| check["state"] == "OK");
    let body = json!({
        "status": if ready { "READY" } else { "NOT_READY" },
        "version": env!("CARGO_PKG_VERSION"),
        "contract": {
            "version": rest.contract.version(),
            "digest": rest.contract.digest(),
            "operations": rest.contract.operations().len(),
        },
        "checks": checks,
    });
    let mut response = answer(if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, &body);
    let out = response.headers_mut();
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if !ready {
        out.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

async fn verdict(probe: &Probe) -> Value {
    let found = tokio::time::timeout(PATIENCE, (probe.check)()).await;
    match found.unwrap_or_else(|_| Err("It does not answer in time.".to_owned())) {
        Ok(()) => json!({ "name": probe.name, "state": "OK", "detail": null }),
        Err(detail) => json!({ "name": probe.name, "state": "FAILING", "detail": detail }),
    }
}

/// The contract's bytes.
pub(super) async fn contract(rest: &Rest, parts: &Parts, bound: &Bound) -> Result<Response<Body>, Fault> {
    let tag = etag(rest.contract.digest().as_bytes());
    let mut response = rest.document.answer(&parts.headers).await;
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/yaml"));
    headers::text(out, header::ETAG, &format!("\"{tag}\""));
    conditionally(response, (bound.if_match.as_ref(), bound.if_none_match.as_ref()), &parts.headers)
}

/// A JSON answer.
pub(super) fn answer(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
