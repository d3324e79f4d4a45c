//! The web pages: the front page, the reference, the playground, and the targets of mailed links. They are built by
//! npm, embedded in the binary, and served with a policy that restricts their requests to this service.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderValue, Response, header, request::Parts};
use labs_core::{Code, Fault};
use rust_embed::RustEmbed;
use serde::Deserialize;

use super::other_method;
use crate::front::headers;
use crate::precompressed::PrecompressedDocument;
use crate::request::{Exchange, catch_panic, checks};
use crate::rest::Rest;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../playground/packed"]
#[allow_missing = true]
struct Built;

/// The files by name. Most are embedded with gzip, as `<name>.gz`.
static FILES: LazyLock<HashMap<String, PrecompressedDocument>> = LazyLock::new(|| {
    let files = Built::iter().filter_map(|name| {
        let bytes = match Built::get(&name)?.data {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => Bytes::from(bytes),
        };
        Some(match name.strip_suffix(".gz") {
            Some(plain) => (plain.to_owned(), PrecompressedDocument::from_gzip(bytes)),
            None => (name.into_owned(), PrecompressedDocument::new(bytes)),
        })
    });
    files.collect()
});

/// Returns a text file of the pages.
pub(crate) fn text_of(name: &str) -> Option<String> {
    String::from_utf8(FILES.get(name)?.plain()?.to_vec()).ok()
}

/// The policy of each page, stored next to its source.
#[derive(Deserialize)]
struct Policies {
    playground: String,
    reference: String,
    account: String,
    index: String,
}

const POLICIES: &str = include_str!("../../../playground/csp.json");

/// Purposes of mailed links, below `/account`: one page shows all of them (playground/account).
const MAILED: [&str; 5] = ["verify-email", "reset-password", "confirm-email", "cancel-email-change", "invitation"];

/// Returns the routes of the pages.
pub(super) fn router() -> Router<Arc<Rest>> {
    let page = get(page).fallback(unknown_method);
    Router::new()
        .route("/", page.clone())
        .route("/llms.txt", page.clone())
        .route("/playground", page.clone())
        .route("/playground/", page.clone())
        .route("/playground/{*file}", page.clone())
        .route("/reference", page.clone())
        .route("/reference/", page.clone())
        .route("/reference/operations/{id}", page.clone())
        .route("/reference/codes/{code}", page.clone())
        .route("/reference/{*file}", page.clone())
        .route("/account/{*file}", page)
}

async fn page(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    let mut exchange = Exchange::begin(&rest, &parts);
    let answered = match checks::check_head(&parts).and_then(|()| exchange.spend_anonymous(&rest)) {
        Ok(()) => catch_panic(file(&rest, &parts)).await,
        Err(fault) => Err(fault),
    };
    let response = answered.unwrap_or_else(|fault| exchange.refusal(&fault, &parts));
    exchange.finish(&rest, response)
}

async fn unknown_method(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    other_method(&rest, request, "GET, HEAD, OPTIONS")
}

async fn file(rest: &Rest, parts: &Parts) -> Result<Response<Body>, Fault> {
    let name = match parts.uri.path().trim_matches('/') {
        other if is_place_of_reference(rest, other) => "reference/index.html",
        other if other.strip_prefix("account/").is_some_and(|page| MAILED.contains(&page)) => "account/index.html",
        "" => "index.html",
        "playground" => "playground/index.html",
        "reference" => "reference/index.html",
        other => other,
    };
    let missing = || Fault::new(Code::NotFound, "This page does not exist. Start at /.");
    let mut response = FILES.get(name).ok_or_else(missing)?.answer(&parts.headers).await;
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
    let hashed = name.contains("/assets/");
    let caching = if hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers::text(out, header::CONTENT_SECURITY_POLICY, &policy(name)?);
    Ok(response)
}

/// Whether the path is the reference page of an operation or of a problem code. These addresses are permanent.
fn is_place_of_reference(rest: &Rest, path: &str) -> bool {
    let operation = path.strip_prefix("reference/operations/");
    let code = path.strip_prefix("reference/codes/");
    operation.is_some_and(|id| rest.contract.operation(id).is_some())
        || code.is_some_and(|code| FILES.get(&format!("reference/codes/{code}.md")).is_some())
}

fn policy(name: &str) -> Result<String, Fault> {
    let policies: Policies = serde_json::from_str(POLICIES).map_err(Fault::internal)?;
    Ok(match name.split('/').next() {
        Some("playground") => policies.playground,
        Some("reference") => policies.reference,
        Some("account") => policies.account,
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
        Some("md") => "text/markdown; charset=utf-8",
        Some("txt") => "text/plain; charset=utf-8",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}
