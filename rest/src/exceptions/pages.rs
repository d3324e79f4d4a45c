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
use http::{HeaderValue, Response, StatusCode, header, request::Parts};
use labs_core::{Code, Fault};
use rust_embed::RustEmbed;
use serde::Deserialize;

use super::well_known::links_of_front_page;
use super::{answer_anonymous, other_than_get, write_tagged};
use crate::answer::etag;
use crate::contract::nearest;
use crate::front::headers;
use crate::precompressed::PrecompressedDocument;
use crate::request::Exchange;
use crate::request::body::prefers_markdown;
use crate::rest::Rest;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../playground/packed"]
#[allow_missing = true]
struct Built;

/// The files by name. Most are embedded in their brotli form, as `<name>.br`.
static FILES: LazyLock<HashMap<String, PageFile>> = LazyLock::new(|| {
    let files = Built::iter().filter_map(|name| {
        let bytes = match Built::get(&name)?.data {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => Bytes::from(bytes),
        };
        let tag = etag(&bytes);
        Some(match name.strip_suffix(".br") {
            Some(plain) => (plain.to_owned(), PageFile { document: PrecompressedDocument::from_brotli(bytes), tag }),
            None => (name.into_owned(), PageFile { document: PrecompressedDocument::new(bytes), tag }),
        })
    });
    files.collect()
});

/// A file of the pages, with its entity tag.
struct PageFile {
    document: PrecompressedDocument,
    tag: String,
}

/// Returns a text file of the pages.
pub(crate) fn text_of(name: &str) -> Option<String> {
    String::from_utf8(FILES.get(name)?.document.plain()?.to_vec()).ok()
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

/// Media type of a page in Markdown.
const MARKDOWN: &str = "text/markdown; charset=utf-8";
/// The reference's page for an unknown address. It lists the nearest names.
const MISSING: &str = "reference/missing.html";
/// Purposes of mailed links and the request for one, below `/account`: one page shows all of them (playground/account).
const ACCOUNT: [&str; 6] =
    ["verify-email", "forgot-password", "reset-password", "confirm-email", "cancel-email-change", "invitation"];

/// Returns the routes of the pages.
pub(super) fn router() -> Router<Arc<Rest>> {
    let page = get(page).fallback(other_than_get);
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
        .route("/reference/concepts/{name}", page.clone())
        .route("/reference/{*file}", page.clone())
        .route("/account/{*file}", page)
}

async fn page(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    answer_anonymous(&rest, &parts, Exchange::spend_anonymous, file(&rest, &parts)).await
}

async fn file(rest: &Rest, parts: &Parts) -> Result<Response<Body>, Fault> {
    let path = parts.uri.path().trim_matches('/');
    let is_known = |name: &Cow<'_, str>| FILES.contains_key(&**name);
    let markdown = markdown_name(path).filter(|name| is_known(name) && is_known(&file_name(path)));
    let named = match &markdown {
        Some(markdown) if prefers_markdown(&parts.headers) => Cow::Borrowed(&**markdown),
        _ => file_name(path),
    };
    // A program gets a problem document, a browser a page.
    let is_missing_page = !FILES.contains_key(&*named) && is_page_of_reference(path) && wants_html(parts);
    let name = if is_missing_page { MISSING } else { &*named };
    let file = FILES.get(name).ok_or_else(|| err_no_such_page(rest, path))?;
    let mut response = file.document.answer(&parts.headers).await;
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(name)));
    if markdown.is_some() {
        out.append(header::VARY, HeaderValue::from_static("accept"));
    }
    let hashed = name.contains("/assets/");
    let caching = if hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers::text(out, header::CONTENT_SECURITY_POLICY, &policy(name)?);
    match markdown.as_deref() {
        _ if path.is_empty() => {
            out.insert(header::LINK, links_of_front_page());
        }
        Some(markdown) if markdown != name => {
            headers::text(out, header::LINK, &format!("</{markdown}>; rel=\"alternate\"; type=\"text/markdown\""));
        }
        _ => {}
    }
    if is_missing_page {
        *response.status_mut() = StatusCode::NOT_FOUND;
        return Ok(response);
    }
    write_tagged(response, &file.tag, parts)
}

/// Returns the name of the file that a path shows. Operations, codes and concepts of the reference have a page each, at
/// a permanent address without `.html`.
fn file_name(path: &str) -> Cow<'_, str> {
    match path {
        "" => "index.html".into(),
        "playground" => "playground/index.html".into(),
        "reference" => "reference/index.html".into(),
        page if page.strip_prefix("account/").is_some_and(|page| ACCOUNT.contains(&page)) => {
            "account/index.html".into()
        }
        page if is_page_of_reference(page) => format!("{page}.html").into(),
        other => other.into(),
    }
}

/// Returns the name of the file that shows the page of a path in Markdown. The front page has the index of the reference.
fn markdown_name(path: &str) -> Option<Cow<'_, str>> {
    match path {
        "" => Some("llms.txt".into()),
        "reference" => Some("reference/index.md".into()),
        page if is_page_of_reference(page) => Some(format!("{page}.md").into()),
        _ => None,
    }
}

/// Whether a path can be the address of a page of the reference: other files have an extension.
fn is_page_of_reference(path: &str) -> bool {
    path.starts_with("reference/") && !path.contains('.')
}

/// Whether a browser sent the request to show a page: only browsers name HTML in `Accept`.
fn wants_html(parts: &Parts) -> bool {
    let accepted = parts.headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|range| range.trim().starts_with("text/html"))
}

/// Returns the error for an unknown page. For the page of an operation, it names the nearest operation.
fn err_no_such_page(rest: &Rest, path: &str) -> Fault {
    let ids = rest.contract.operations().iter().map(|operation| operation.id.as_str());
    let near = path.strip_prefix("reference/operations/").and_then(|id| nearest(id.trim_end_matches(".md"), ids));
    let meant = near.map(|id| format!(" Did you mean /reference/operations/{id}?")).unwrap_or_default();
    Fault::new(Code::NotFound, format!("This page does not exist.{meant} Start at /."))
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
        Some("md") => MARKDOWN,
        // The index of the reference, the only such file, is Markdown.
        Some("txt") => MARKDOWN,
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}
