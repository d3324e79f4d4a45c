//! One message over HTTP: its limits, the caller's token, and the headers of its response.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::post;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Response, Uri};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use labs_core::principal::Principal;
use labs_core::{Code, Fault};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::server::AgentServer;
use super::{ENDPOINT, discovery};
use crate::bind;
use crate::exceptions::other_method;
use crate::front::address;
use crate::front::body_slots::SlotHolder;
use crate::request::{Exchange, body, catch_panic, checks, refusals};
use crate::rest::Rest;

/// Maximum size of a message in bytes: the largest JSON body of an operation, and its envelope.
const LARGEST: usize = 1024 * 1024 + 64 * 1024;

/// The protocol's server, shared by all requests.
type Protocol = StreamableHttpService<AgentServer, NeverSessionManager>;

/// Service and protocol of the route.
#[derive(Clone)]
struct Agents {
    rest: Arc<Rest>,
    protocol: Protocol,
}

/// Data of one message, which the tools receive through the request's extensions.
#[derive(Clone)]
pub(super) struct Message {
    /// The verified caller, if the request has a token.
    pub(super) principal: Option<Arc<Principal>>,
    /// Id of the request; the call of an operation has the same one.
    pub(super) request_id: String,
    /// Budget headers of the called operation, once it has answered.
    called: Arc<Mutex<Option<HeaderMap>>>,
}

impl Message {
    /// Records that an operation answered, and spent the budget of this message.
    pub(super) fn note_call(&self, headers: &HeaderMap) {
        let budgets = headers.iter().filter(|(name, _)| name.as_str().contains("ratelimit"));
        let budgets = budgets.map(|(name, value)| (name.clone(), value.clone())).collect();
        *self.called.lock().unwrap_or_else(PoisonError::into_inner) = Some(budgets);
    }

    fn take_call(&self) -> Option<HeaderMap> {
        self.called.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Returns the routes of the endpoint and of the documents about it.
pub(crate) fn router(rest: &Arc<Rest>) -> Router {
    let server = AgentServer::new(Arc::clone(rest));
    let protocol = StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), protocol_settings(rest));
    let agents = Agents { rest: Arc::clone(rest), protocol };
    let endpoint = Router::new().route(ENDPOINT, post(message).fallback(unknown_method)).with_state(agents);
    endpoint.merge(discovery::router().with_state(Arc::clone(rest)))
}

/// Returns the settings of the protocol: no sessions, JSON instead of an event stream, and only this service's host and
/// the configured origins, so that no foreign page can reach the endpoint through a rebound name.
fn protocol_settings(rest: &Rest) -> StreamableHttpServerConfig {
    let base_url = &rest.settings.base_url;
    let host = base_url.parse::<Uri>().ok().and_then(|uri| uri.host().map(str::to_owned));
    let origins = std::iter::once(base_url).chain(&rest.settings.cors_origins).cloned().map(with_port);
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_max_request_body_bytes(LARGEST)
        .with_allowed_hosts(host)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
}

/// Returns an origin with its port, because the protocol's server reads an origin without one as any port.
fn with_port(origin: String) -> String {
    let Ok(uri) = origin.parse::<Uri>() else { return origin };
    match (uri.port(), uri.scheme_str()) {
        (None, Some("https")) => format!("{origin}:443"),
        (None, Some("http")) => format!("{origin}:80"),
        _ => origin,
    }
}

async fn unknown_method(State(agents): State<Agents>, request: Request) -> Response<Body> {
    other_method(&agents.rest, request, "POST, OPTIONS")
}

async fn message(State(agents): State<Agents>, request: Request) -> Response<Body> {
    let rest = &*agents.rest;
    let (parts, body) = request.into_parts();
    let mut exchange = Exchange::begin(rest, &parts);
    let answered = catch_panic(answer(&agents, &parts, body, &mut exchange)).await;
    let (response, called) = answered.unwrap_or_else(|fault| (exchange.refusal(&fault, &parts), None));
    // The called operation has its own log line and counts.
    exchange.is_relayed = called.is_some();
    let mut response = exchange.finish(rest, response);
    for (name, value) in called.unwrap_or_default() {
        if let Some(name) = name {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Answers one message; with the budget headers of the called operation, if one was called.
///
/// Every message spends one request: the called operation spends it as over REST, and any other message spends it
/// afterwards. The limit of messages comes first, because a message has no budget before its body is read
/// (docs/decisions/agents.md#budgets).
async fn answer(
    agents: &Agents,
    parts: &Parts,
    body: Body,
    exchange: &mut Exchange<'_>,
) -> Result<(Response<Body>, Option<HeaderMap>), Fault> {
    let rest = &*agents.rest;
    checks::check_head(parts)?;
    exchange.spend_message(rest)?;
    let principal = exchange.verify(rest, parts).await?;
    if bind::is_coded(&parts.headers) {
        return Err(Fault::new(Code::UnsupportedMediaType, refusals::CODED));
    }
    let bytes = read(rest, parts, body, exchange).await?;
    let message = Message { principal, request_id: exchange.request_id.clone(), called: Arc::default() };
    let mut request = Request::from_parts(parts.clone(), Full::new(bytes));
    request.extensions_mut().insert(message.clone());
    let response: Response<BoxBody<Bytes, Infallible>> = agents.protocol.handle(request).await;
    let called = message.take_call();
    if called.is_none() {
        exchange.spend_verified(rest).await?;
    }
    Ok((response.map(Body::new), called))
}

/// Reads a message. A sender that delays it occupies one of its network's slots.
async fn read(rest: &Rest, parts: &Parts, body: Body, exchange: &Exchange<'_>) -> Result<Bytes, Fault> {
    let network = address::network(exchange.address).to_string();
    let place = rest.bodies.acquire(SlotHolder::network(&network)).await;
    let _place = place.ok_or_else(|| Fault::unavailable("Too many messages are arriving. Try again in a moment."))?;
    body::read_small(parts, body, LARGEST).await
}
