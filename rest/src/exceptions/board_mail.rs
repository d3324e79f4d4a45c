//! Unsubscribe page of the weekly board mail, without sign-in (RFC 8058). The link shows one button and changes
//! nothing, because mail programs open links automatically. The button, or the mail program's own one, ends the mail.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::get;
use http::{HeaderName, HeaderValue, Method, Response, header, request::Parts};
use labs_core::{Code, Fault};

use super::{answer_anonymous, other_method};
use crate::bind::query_pairs;
use crate::request::Exchange;
use crate::rest::Rest;

/// Content security policy of the page: its own style and icon. Its form is sent to the same origin.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; \
                      base-uri 'none'";

#[derive(Template)]
#[template(path = "board_mail.html")]
struct Page {
    /// Whether the subscription has ended.
    is_over: bool,
}

/// Returns the route of the page.
pub(super) fn router() -> Router<Arc<Rest>> {
    Router::new().route("/board/mail", get(page).post(page).fallback(unknown_method))
}

async fn page(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    answer_anonymous(&rest, &parts, Exchange::spend_anonymous, find(&rest, &parts)).await
}

async fn unknown_method(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    other_method(&rest, request, "GET, HEAD, POST, OPTIONS")
}

/// The token contains everything, so no form data is read.
async fn find(rest: &Rest, parts: &Parts) -> Result<Response<Body>, Fault> {
    let mut asked = query_pairs(parts.uri.query().unwrap_or_default());
    let token = asked.find(|(name, _)| name == "token").map(|(_, value)| value).unwrap_or_default();
    let is_over = parts.method == Method::POST;
    let calls = rest.engine.calls();
    let is_known = match is_over {
        true => (calls.unsubscribe)(&rest.engine, &token).await?,
        false => (calls.is_unsubscribe_token)(&rest.engine, &token),
    };
    if !is_known {
        let detail = "This link is incomplete. Copy the complete link from the e-mail, or turn the e-mail off in \
                      your account.";
        return Err(Fault::new(Code::NotFound, detail));
    }
    let html = Page { is_over }.render().map_err(Fault::internal)?;
    let mut response = Response::new(Body::from(html));
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    out.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    out.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    Ok(response)
}
