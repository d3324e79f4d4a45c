//! Layers around every response, the outermost last: CORS, network denials, compression and its negotiation.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use http::request::Parts;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Version, header};
use tower::util::MapRequest;
use tower::{Layer as _, ServiceExt as _};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate as _, SizeAbove};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::operation::operation;
use super::readable;
use crate::agents;
use crate::exceptions;
use crate::front::coding;
use crate::front::headers::EXPOSED;
use crate::request::{Exchange, denied};
use crate::rest::Rest;

/// Wraps the handlers in their layers. They are one service rather than layers of the router, because each router layer
/// would box every request and response.
pub(super) fn wrap(rest: &Arc<Rest>) -> Router {
    let worth = SizeAbove::new(coding::WORTH_COMPRESSING)
        .and(NotForContentType::IMAGES)
        .and(NotForContentType::const_new("application/x-ndjson"))
        .and(NotForContentType::const_new("application/zip"))
        .and(is_coding_open);
    let face = Arc::new(Dispatcher::new(Arc::clone(rest)));
    let answered = tower::service_fn(move |request| {
        let face = Arc::clone(&face);
        async move { Ok::<_, Infallible>(face.answer(request).await) }
    });
    let compressed = CompressionLayer::new().compress_when(worth).layer(answered).map_response(coding::mark_tag);
    Router::new().fallback_service(MapRequest::new(compressed, coding::allow_identity))
}

/// The operations, the other paths, and the network denials before both.
struct Dispatcher {
    rest: Arc<Rest>,
    beside: Router,
    cors: Option<CorsLayer>,
}

impl Dispatcher {
    fn new(rest: Arc<Rest>) -> Self {
        let beside = exceptions::router().merge(readable::router()).fallback(operation).with_state(Arc::clone(&rest));
        let beside = if rest.settings.serves_agents { beside.merge(agents::router(&rest)) } else { beside };
        let origins: Vec<HeaderValue> =
            rest.settings.cors_origins.iter().filter_map(|origin| origin.parse().ok()).collect();
        let cors = (!origins.is_empty()).then(|| cors(origins));
        Self { rest, beside, cors }
    }

    /// A denied network gets no CORS headers, so that no script can read the error.
    async fn answer(&self, request: Request) -> Response<Body> {
        let (parts, body) = request.into_parts();
        if let Some(refusal) = denied::refusal(&self.rest, &parts) {
            return refusal;
        }
        match &self.cors {
            Some(cors) if !exceptions::is_public(parts.uri.path()) => self.apply_cors(cors, parts, body).await,
            _ => self.route(Request::from_parts(parts, body)).await,
        }
    }

    /// The library treats every OPTIONS request as a preflight, but only a request with a requested method is one. A
    /// preflight spends no budget, because its actual request will. Its response has the common headers.
    async fn apply_cors(&self, cors: &CorsLayer, parts: Parts, body: Body) -> Response<Body> {
        let asks = parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if parts.method == Method::OPTIONS && !asks {
            return self.route(Request::from_parts(parts, body)).await;
        }
        let preflight = (parts.method == Method::OPTIONS).then(|| Exchange::begin(&self.rest, &parts));
        let routed = tower::service_fn(async |request| Ok::<_, Infallible>(self.route(request).await));
        let response = match cors.layer(routed).oneshot(Request::from_parts(parts, body)).await {
            Ok(response) => response.map(Body::new),
            Err(never) => match never {},
        };
        match preflight {
            Some(exchange) => exchange.finish(&self.rest, response),
            None => response,
        }
    }

    /// A path outside the contract is matched by the router, or gets the not-found response.
    async fn route(&self, request: Request) -> Response<Body> {
        if self.rest.routes().own(request.uri().path()) {
            return operation(State(Arc::clone(&self.rest)), request).await;
        }
        match self.beside.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

/// Whether the coding of a response is still undecided.
fn is_coding_open(_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions) -> bool {
    extensions.get::<coding::CodingSettled>().is_none()
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
            header::IF_RANGE,
            header::RANGE,
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("x-request-id"),
            HeaderName::from_static("traceparent"),
        ])
        .expose_headers(EXPOSED.iter().map(|name| HeaderName::from_static(name)).collect::<Vec<_>>())
        .allow_credentials(true)
        .max_age(Duration::from_secs(600))
}
