//! The pages that people open: the front page, the reference, the playground. Built by npm, carried in the
//! binary, served with a policy that lets them talk to this service and nobody else.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::get;
use http::{HeaderValue, Response, StatusCode, header};
use labs_schema::{Code, Fault};
use rust_embed::RustEmbed;
use serde::Deserialize;

use crate::answer;
use crate::dispatch::Walk;
use crate::edge::headers;
use crate::rest::Rest;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../playground/dist"]
#[allow_missing = true]
struct Built;

/// The policy of each page, kept beside its source.
#[derive(Deserialize)]
struct Policies {
    playground: String,
    reference: String,
    index: String,
}

const POLICIES: &str = include_str!("../../../playground/csp.json");

/// The pages' paths.
pub(super) fn router() -> Router<Arc<Rest>> {
    Router::new()
        .route("/", get(page))
        .route("/playground", get(page))
        .route("/playground/", get(page))
        .route("/playground/{*file}", get(page))
        .route("/reference", get(page))
        .route("/reference/", get(page))
        .route("/reference/{*file}", get(page))
}

async fn page(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    let mut walk = Walk::begin(&rest, &parts);
    let response = match walk.spend_anonymous(&rest).and_then(|()| file(parts.uri.path())) {
        Ok(response) => response,
        Err(fault) => answer::refusal(&fault, parts.uri.path(), &walk.request_id, None),
    };
    walk.finish(&rest, response)
}

fn file(path: &str) -> Result<Response<Body>, Fault> {
    let name = match path.trim_matches('/') {
        "" => "index.html",
        "playground" => "playground/index.html",
        "reference" => "reference/index.html",
        other => other,
    };
    let missing = || Fault::new(Code::NotFound, "There is no such page. Start at /.");
    let built = Built::get(name).ok_or_else(missing)?;
    let mut response = Response::new(Body::from(built.data.into_owned()));
    *response.status_mut() = StatusCode::OK;
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
    let hashed = name.contains("/assets/");
    let caching = if hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers::text(out, header::CONTENT_SECURITY_POLICY, &policy(name)?);
    Ok(response)
}

fn policy(name: &str) -> Result<String, Fault> {
    let policies: Policies = serde_json::from_str(POLICIES).map_err(Fault::internal)?;
    Ok(match name.split('/').next() {
        Some("playground") => policies.playground,
        Some("reference") => policies.reference,
        _ => policies.index,
    })
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("ttf") => "font/ttf",
        Some("woff2") => "font/woff2",
        Some("json") => "application/json",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}
