//! The changelog and the blog as HTML pages, built from responses of the API's own operations. With `.md` after the
//! address, or if `Accept` prefers it, an entry or a post is returned as Markdown, for programs.
//!
//! A page calls its operation like an anonymous client, with the same budget, filters and errors, so that both always
//! have the same content. A former slug redirects to the current page, as in the API.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::get;
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, Uri, header};
use http_body_util::BodyExt as _;
use labs_core::Fault;
use serde::de::DeserializeOwned;

use super::operation::operation;
use super::pages::{Blog, Changelog, Entry, EntryText, ListOf, Notice, Post, PostText};
use crate::bind::query_pairs;
use crate::exceptions::other_than_get;
use crate::front::coding::CodingSettled;
use crate::front::headers;
use crate::request::body::prefers_markdown;
use crate::rest::Rest;

/// Content security policy of a page: its own style and images. Its form is sent to the same origin.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                      base-uri 'none'";

/// A section of the site, and the operations that it calls.
struct Part {
    /// Path of its pages.
    page: &'static str,
    /// Path of the same data in the API.
    api: &'static str,
    list: fn(&[u8], &PageQuery) -> Result<String, Fault>,
    one: fn(&[u8]) -> Result<String, Fault>,
    /// Renders the same in Markdown.
    text: fn(&[u8]) -> Result<String, Fault>,
}

/// Suffix of a page's address for its Markdown.
const MARKDOWN: &str = ".md";

static PARTS: [Part; 2] = [
    Part {
        page: "/changelog",
        api: "/v1/publication/public/changelog",
        list: |body, asked| render(&Changelog { asked, list: read(body)? }),
        one: |body| render(&read::<Entry>(body)?),
        text: |body| render(&read::<EntryText>(body)?),
    },
    Part {
        page: "/blog",
        api: "/v1/publication/public/blog-posts",
        list: |body, asked| render(&Blog { asked, list: read(body)? }),
        one: |body| render(&read::<Post>(body)?),
        text: |body| render(&read::<PostText>(body)?),
    },
];

/// Filters of a requested list.
pub(super) struct PageQuery(Vec<(String, String)>);

impl PageQuery {
    /// Parses the query of a page. Fields that a form sends empty are ignored.
    fn of(uri: &Uri) -> Self {
        Self(query_pairs(uri.query().unwrap_or_default()).filter(|(_, value)| !value.is_empty()).collect())
    }

    fn query(&self) -> String {
        form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.0).finish()
    }

    /// Returns the first value with this name; empty if the name is absent.
    pub(super) fn value(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Whether the query contains this value.
    pub(super) fn has(&self, name: &str, value: &str) -> bool {
        self.0.iter().any(|(known, asked)| known == name && asked == value)
    }

    /// Returns the query of the next page, which begins at the cursor.
    pub(super) fn next(&self, list: &ListOf<impl Sized>) -> Option<String> {
        let cursor = list.page.next_cursor.clone()?;
        let kept = self.0.iter().filter(|(name, _)| name != "cursor").cloned();
        Some(Self(kept.chain([("cursor".to_owned(), cursor)]).collect()).query())
    }
}

/// Returns the routes of the pages.
pub(super) fn router() -> Router<Arc<Rest>> {
    PARTS.iter().fold(Router::new(), |router, part| {
        let page = get(|State(rest): State<Arc<Rest>>, request: Request| page(part, rest, request));
        let page = page.fallback(other_than_get);
        router.route(part.page, page.clone()).route(&format!("{}/{{slug}}", part.page), page.clone())
    })
}

async fn page(part: &Part, rest: Arc<Rest>, request: Request) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let below = path.strip_prefix(part.page).unwrap_or_default();
    let (below, ending) = below.strip_suffix(MARKDOWN).map_or((below, ""), |below| (below, MARKDOWN));
    // A list has no Markdown.
    let is_negotiated = ending.is_empty() && !below.is_empty();
    let is_markdown = ending == MARKDOWN || (is_negotiated && prefers_markdown(request.headers()));
    let asked = PageQuery::of(request.uri());
    let query = asked.query();
    let target = [part.api, below, if query.is_empty() { "" } else { "?" }, &query].concat();
    let answered = operation(State(rest), ask(&target, request)).await;
    let (mut head, body) = answered.into_parts();
    let body = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    if let Some(location) = head.headers.get(header::LOCATION).and_then(|location| location.to_str().ok()) {
        let location = location.replace(part.api, part.page) + ending;
        headers::text(&mut head.headers, header::LOCATION, &location);
        return Response::from_parts(head, Body::empty());
    }
    let html = match (head.status, below) {
        (StatusCode::OK, "") => (part.list)(&body, &asked),
        (StatusCode::OK, _) if is_markdown => (part.text)(&body),
        (StatusCode::OK, _) => (part.one)(&body),
        (status, _) => render_notice(status, &body),
    };
    let html = html.unwrap_or_else(|fault| {
        tracing::error!(cause = fault.for_log(), path, "a page could not be rendered from the response");
        head.status = StatusCode::INTERNAL_SERVER_ERROR;
        "<!doctype html><title>Labs</title><p>This page could not be made. Try again.".to_owned()
    });
    let out = &mut head.headers;
    // These headers belong to the API's response.
    for name in [header::CONTENT_LENGTH, header::ETAG, header::LINK, header::LAST_MODIFIED, header::VARY] {
        out.remove(name);
    }
    head.extensions.remove::<CodingSettled>();
    let media_type = match head.status {
        StatusCode::OK if is_markdown => "text/markdown; charset=utf-8",
        _ => "text/html; charset=utf-8",
    };
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    out.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if is_negotiated {
        out.append(header::VARY, HeaderValue::from_static("accept"));
        if head.status == StatusCode::OK && !is_markdown {
            headers::text(out, header::LINK, &format!("<{path}{MARKDOWN}>; rel=\"alternate\"; type=\"text/markdown\""));
        }
    }
    Response::from_parts(head, Body::from(html))
}

/// Converts a request for a page into a request to the API, without the headers about accepted types and codings
/// and known versions, because these refer to the page.
fn ask(target: &str, request: Request) -> Request {
    let (mut parts, _) = request.into_parts();
    parts.method = http::Method::GET;
    parts.uri = target.parse().unwrap_or(parts.uri);
    let of_page = [header::ACCEPT, header::ACCEPT_ENCODING, header::IF_NONE_MATCH, header::IF_MATCH];
    for name in of_page.into_iter().chain([header::AUTHORIZATION, header::COOKIE]) {
        parts.headers.remove(name);
    }
    Request::from_parts(parts, Body::empty())
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Fault> {
    serde_json::from_slice(body).map_err(Fault::internal)
}

fn render(page: &impl Template) -> Result<String, Fault> {
    page.render().map_err(Fault::internal)
}

/// Renders a page that explains why a page is missing.
fn render_notice(status: StatusCode, body: &Bytes) -> Result<String, Fault> {
    let problem = serde_json::from_slice::<Notice>(body);
    let otherwise =
        || Notice { title: status.canonical_reason().unwrap_or("No page").to_owned(), detail: String::new() };
    render(&problem.unwrap_or_else(|_| otherwise()))
}
