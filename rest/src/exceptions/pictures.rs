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

use super::{answer_anonymous, other_than_get, write_tagged};
use crate::request::Exchange;
use crate::rest::Rest;

/// Path of the media.
const FOLDER: &str = "/media/";

/// Returns the routes of the media.
pub(super) fn router() -> Router<Arc<Rest>> {
    Router::new().route("/media/{name}", get(picture).fallback(other_than_get))
}

async fn picture(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    answer_anonymous(&rest, &parts, Exchange::spend_picture, find(&rest, &parts)).await
}

async fn find(rest: &Rest, parts: &Parts) -> Result<Response<Body>, Fault> {
    let missing = || Fault::new(Code::NotFound, "No published image has this address.");
    let name = parts.uri.path().strip_prefix(FOLDER).and_then(PictureName::parse).ok_or_else(missing)?;
    let bytes = (rest.engine.calls().open_picture)(&rest.engine, &name).await?.ok_or_else(missing)?;
    let mut response = Response::new(Body::from(bytes));
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(name.media_type()));
    out.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("inline"));
    let mut response = write_tagged(response, &name.sha256(), parts)?;
    let out = response.headers_mut();
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400, s-maxage=60, immutable"));
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    out.insert(policy, HeaderValue::from_static("cross-origin"));
    Ok(response)
}
