//! What lies around every answer, the outermost last: CORS, denied networks, compression and what it may choose from.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Version, header};
use tower::{Layer as _, ServiceExt as _};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::Walk;
use crate::edge::headers::EXPOSED;
use crate::edge::{coding, denied};
use crate::rest::Rest;

/// Smallest body that is compressed, in bytes.
const WORTH_COMPRESSING: u64 = 1024;

/// Puts the layers around the routes. A denied network gets no CORS headers: nobody's script is to read its refusal.
pub(super) fn around(router: Router, rest: &Arc<Rest>) -> Router {
    let worth = SizeAbove::new(WORTH_COMPRESSING)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::const_new("application/x-ndjson"))
        .and(NotForContentType::const_new("application/zip"))
        .and(is_unsettled);
    let origins: Vec<HeaderValue> =
        rest.settings.cors_origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    let shared = if origins.is_empty() {
        router
    } else {
        let across_origins = Across { rest: Arc::clone(rest), cors: cors(origins) };
        router.layer(from_fn_with_state(across_origins, across))
    };
    let guarded = shared.layer(from_fn_with_state(Arc::clone(rest), denied::guard));
    let compressed = guarded.layer(CompressionLayer::new().compress_when(worth));
    compressed.layer(from_fn(coding::allow_identity))
}

/// Whether the coding of an answer is still open.
fn is_unsettled(_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions) -> bool {
    extensions.get::<coding::Settled>().is_none()
}

fn cors(origins: Vec<HeaderValue>) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::ACCEPT,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("x-request-id"),
            HeaderName::from_static("traceparent"),
        ])
        .expose_headers(EXPOSED.iter().map(|name| HeaderName::from_static(name)).collect::<Vec<_>>())
        .allow_credentials(true)
        .max_age(Duration::from_secs(600))
}

/// What the layer between origins needs.
#[derive(Clone)]
struct Across {
    rest: Arc<Rest>,
    cors: CorsLayer,
}

/// The library answers every OPTIONS as a preflight, and only one that asks for a method is one. A preflight spends
/// no budget, because its request will, and is answered with the headers of every answer.
async fn across(State(Across { rest, cors }): State<Across>, request: Request, next: Next) -> Response<Body> {
    let asks = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if request.method() == Method::OPTIONS && !asks {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let preflight = (parts.method == Method::OPTIONS).then(|| Walk::begin(&rest, &parts));
    let inner = tower::service_fn(move |request: Request| {
        let next = next.clone();
        async move { Ok::<_, std::convert::Infallible>(next.run(request).await) }
    });
    let response = match cors.layer(inner).oneshot(Request::from_parts(parts, body)).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    };
    match preflight {
        Some(walk) => walk.finish(&rest, response),
        None => response,
    }
}
