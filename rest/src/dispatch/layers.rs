//! What lies around every answer, the outermost last: denied networks, compression, CORS.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn_with_state};
use http::{HeaderName, HeaderValue, Method, Response, header};
use tower::{Layer as _, ServiceExt as _};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::edge::denied;
use crate::edge::headers::EXPOSED;
use crate::rest::Rest;

/// Smallest body that is compressed, in bytes.
const WORTH_COMPRESSING: u64 = 1024;

/// Puts the layers around the routes.
pub(super) fn around(router: Router, rest: &Arc<Rest>) -> Router {
    let worth = SizeAbove::new(WORTH_COMPRESSING)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::const_new("application/x-ndjson"));
    let guarded = router.layer(from_fn_with_state(Arc::clone(rest), denied::guard));
    let compressed = guarded.layer(CompressionLayer::new().compress_when(worth));
    let origins: Vec<HeaderValue> =
        rest.settings.cors_origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    if origins.is_empty() { compressed } else { compressed.layer(from_fn_with_state(cors(origins), across)) }
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

/// The library answers every OPTIONS as a preflight; only one that asks for a method is one.
async fn across(
    axum::extract::State(cors): axum::extract::State<CorsLayer>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let preflight = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if request.method() == Method::OPTIONS && !preflight {
        return next.run(request).await;
    }
    let inner = tower::service_fn(move |request: Request| {
        let next = next.clone();
        async move { Ok::<_, std::convert::Infallible>(next.run(request).await) }
    });
    match cors.layer(inner).oneshot(request).await {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    }
}
