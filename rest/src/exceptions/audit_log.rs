//! Transparency log of the audit log, as C2SP `tlog-tiles` specifies it: the checkpoint and the tiles, without the entries
//! (docs/decisions/audit.md#transparency-log). Any page and any cache may read them.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::get;
use http::{HeaderName, HeaderValue, Response, header, request::Parts};
use labs_core::audit_chain::transparency;
use labs_core::{Code, Fault};
use labs_transparency::LogObject;

use super::{answer_anonymous, other_than_get, write_tagged};
use crate::answer::etag;
use crate::request::Exchange;
use crate::rest::Rest;

/// Path of the log.
const FOLDER: &str = "/audit-log/";

/// Returns the routes of the log.
pub(super) fn router() -> Router<Arc<Rest>> {
    Router::new().route("/audit-log/{*object}", get(object).fallback(other_than_get))
}

async fn object(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, _) = request.into_parts();
    answer_anonymous(&rest, &parts, Exchange::spend_anonymous, find(&rest, &parts)).await
}

async fn find(rest: &Rest, parts: &Parts) -> Result<Response<Body>, Fault> {
    let path = parts.uri.path().strip_prefix(FOLDER).unwrap_or_default();
    let found = transparency::open(rest.engine.services(), path).await?;
    let (object, content) =
        found.ok_or_else(|| Fault::new(Code::NotFound, "The transparency log has no object at this address."))?;
    let (media_type, cache) = match object {
        LogObject::Checkpoint => ("text/plain; charset=utf-8", "no-cache"),
        // A tile of this width never changes.
        LogObject::Tile(_) | LogObject::Entries(_) => {
            ("application/octet-stream", "public, max-age=31536000, immutable")
        }
    };
    let tag = etag(&content);
    let mut response = Response::new(Body::from(content));
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    out.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    out.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("cross-origin"));
    write_tagged(response, &tag, parts)
}
