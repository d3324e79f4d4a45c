//! Operations and paths that cannot be GraphQL documents: status without the database, the contract itself, the
//! explanation of another request, the pages, public media, the playground's endpoint, and the transparency log of the
//! audit log.

mod audit_log;
mod board_mail;
mod bounds;
mod explain;
pub(crate) mod pages;
mod pictures;
mod playground;
mod status;
pub(crate) mod well_known;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Response, StatusCode, header, request::Parts};
use labs_core::context::Caller;
use labs_core::{Code, Fault};

use crate::answer::{etag, write_conditional};
use crate::bind::{BoundRequest, Condition};
use crate::contract::{Direct, Operation, Probe};
use crate::front::headers;
use crate::request::{Exchange, catch_panic, checks};
use crate::rest::Rest;

/// Returns the routes outside the contract: the pages, public media, the unsubscribe page, the playground's endpoint, the
/// documents at well-known addresses, and the transparency log of the audit log.
pub(crate) fn router() -> Router<Arc<Rest>> {
    pages::router()
        .merge(pictures::router())
        .merge(board_mail::router())
        .merge(playground::router())
        .merge(well_known::router())
        .merge(audit_log::router())
}

/// Handles an operation without a document. The request is already validated.
pub(crate) async fn serve(
    rest: &Rest,
    operation: &Operation,
    parts: &Parts,
    caller: &Caller,
    bound: &BoundRequest,
) -> Result<Response<Body>, Fault> {
    match operation.direct {
        Some(Direct::Probe(Probe::Liveness)) => Ok(status::health()),
        Some(Direct::Probe(Probe::Readiness)) => Ok(status::readiness(rest).await),
        Some(Direct::Contract) => status::contract(rest, parts, bound).await,
        Some(Direct::Explanation) => explain::explain(rest, parts, caller, bound).await,
        None => Err(Fault::internal(format!("{} has neither a document nor a direct answer", operation.id))),
    }
}

/// Answers a request outside the contract: checks its head, spends a budget of its network, and finds the answer.
pub(crate) async fn answer_anonymous<'a>(
    rest: &'a Rest,
    parts: &'a Parts,
    spend: impl FnOnce(&mut Exchange<'a>, &'a Rest) -> Result<(), Fault>,
    find: impl Future<Output = Result<Response<Body>, Fault>>,
) -> Response<Body> {
    let mut exchange = Exchange::begin(rest, parts);
    let answered = match checks::check_head(parts).and_then(|()| spend(&mut exchange, rest)) {
        Ok(()) => catch_panic(find).await,
        Err(fault) => Err(fault),
    };
    let response = answered.unwrap_or_else(|fault| exchange.refusal(&fault, parts));
    exchange.finish(rest, response)
}

/// Headers that let a page of any origin read a public document.
const OPEN_TO_ORIGINS: [(HeaderName, HeaderValue); 4] = [
    (header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
    (header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET")),
    (header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("content-type, if-none-match")),
    (header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("etag")),
];

/// Whether a path has a public document, which has its own headers for other origins.
pub(crate) fn is_public(path: &str) -> bool {
    path.starts_with("/.well-known/") || matches!(path, "/robots.txt" | "/sitemap.xml" | crate::agents::CARD)
}

/// Answers with a document that every program may read, and any page of another origin too.
pub(crate) fn write_public(
    (media_type, caching): (&'static str, &'static str),
    content: impl Into<Bytes>,
    parts: &Parts,
) -> Result<Response<Body>, Fault> {
    let bytes = content.into();
    let tag = etag(&bytes);
    let mut response = Response::new(Body::from(bytes));
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    out.extend(OPEN_TO_ORIGINS);
    out.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("cross-origin"));
    write_tagged(response, &tag, parts)
}

/// Adds the entity tag of a file, and returns 304 instead if the caller has it.
fn write_tagged(mut response: Response<Body>, tag: &str, parts: &Parts) -> Result<Response<Body>, Fault> {
    headers::text(response.headers_mut(), header::ETAG, &format!("\"{tag}\""));
    let sent = parts.headers.get_all(header::IF_NONE_MATCH).iter();
    let if_none_match = Condition::parse(sent.map(HeaderValue::as_bytes));
    write_conditional(response, (None, if_none_match.as_ref()), &parts.headers)
}

/// Answers other methods of a path that only GET and HEAD support.
pub(crate) async fn other_than_get(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    other_method(&rest, request, "GET, HEAD, OPTIONS")
}

/// Answers other methods of a public document. OPTIONS is also the preflight of a page of another origin.
pub(crate) async fn other_than_public_get(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let mut response = other_method(&rest, request, "GET, HEAD, OPTIONS");
    if response.status().is_success() {
        response.headers_mut().extend(OPEN_TO_ORIGINS);
    }
    response
}

/// Answers a method that a path outside the contract does not support. OPTIONS gets the list of supported methods, as
/// on other paths.
pub(crate) fn other_method(rest: &Rest, request: Request, allow: &'static str) -> Response<Body> {
    let (parts, _) = request.into_parts();
    let mut exchange = Exchange::begin(rest, &parts);
    let mut response = match checks::check_head(&parts).and_then(|()| exchange.spend_anonymous(rest)) {
        Ok(()) if parts.method == Method::OPTIONS => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        Ok(()) => {
            exchange.refusal(&Fault::new(Code::MethodNotAllowed, format!("This path supports only {allow}.")), &parts)
        }
        Err(fault) => exchange.refusal(&fault, &parts),
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
    exchange.finish(rest, response)
}
