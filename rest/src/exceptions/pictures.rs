//! Public media, for an `<img>` of any page: outside the contract, without a token, cacheable for a day by any cache
//! (docs/decisions/files.md#public-images).

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::get;
use http::{HeaderName, HeaderValue, Response, header, request::Parts};
use labs_core::{Code, Fault};
use labs_media::name::PictureName;

use super::other_method;
use crate::answer::write_conditional;
use crate::bind::Condition;
use crate::front::headers;
use crate::request::{Exchange, catch_panic, checks};
use crate::rest::Rest;

/// Path of the media.
const FOLDER: &str = "/media/";

/// Returns the routes of the media.
pub(super) fn router() -> Router<Arc<Rest>> {
    Router::new().route("/media/{name}", get(picture).fallback(unknown_method))
}

async fn picture(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    let mut exchange = Exchange::begin(&rest, &parts);
    let answered = match checks::check_head(&parts).and_then(|()| exchange.spend_picture(&rest)) {
        Ok(()) => catch_panic(find(&rest, &parts)).await,
        Err(fault) => Err(fault),
    };
    let response = answered.unwrap_or_else(|fault| exchange.refusal(&fault, &parts));
    exchange.finish(&rest, response)
}

async fn unknown_method(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    other_method(&rest, request, "GET, HEAD, OPTIONS")
}

async fn find(rest: &Rest, parts: &Parts) -> Result<Response<Body>, Fault> {
    let missing = || Fault::new(Code::NotFound, "No published image has this address.");
    let name = parts.uri.path().strip_prefix(FOLDER).and_then(PictureName::parse).ok_or_else(missing)?;
    let bytes = (rest.engine.calls().open_picture)(&rest.engine, &name).await?.ok_or_else(missing)?;
    let mut response = Response::new(Body::from(bytes));
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(name.media_type()));
    out.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("inline"));
    headers::text(out, header::ETAG, &format!("\"{}\"", name.sha256()));
    let sent = parts.headers.get_all(header::IF_NONE_MATCH).iter();
    let if_none_match = Condition::parse(sent.map(HeaderValue::as_bytes));
    let mut response = write_conditional(response, (None, if_none_match.as_ref()), &parts.headers)?;
    let out = response.headers_mut();
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400, s-maxage=60, immutable"));
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    out.insert(policy, HeaderValue::from_static("cross-origin"));
    Ok(response)
}
