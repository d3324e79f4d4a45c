//! The playground's endpoint: queries of staff members, with limited concurrency and on a separate runtime, so that no
//! query can stall the public API (docs/decisions/engine.md#bounds-of-staff-queries).

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::post;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header, request::Parts};
use labs_core::context::{Caller, Channel};
use labs_core::engine::{PlaygroundQuery, STACK_BYTES, describe_fault};
use labs_core::{Code, Fault, PrincipalType, trace};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::Semaphore;
use tokio_util::context::TokioContext;

use super::bounds::MeteredApi;
use super::other_method;
use crate::bind;
use crate::request::{Exchange, body, catch_panic, checks, refusals};
use crate::rest::Rest;

/// Maximum size of a body in bytes.
const LARGEST: usize = 64 * 1024;

/// Maximum time that a query waits for others to end.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Permits for concurrent queries: most database connections stay reserved for the public API.
static SEATS: Semaphore = Semaphore::const_new(3);

/// Runtime of the queries.
static RUNTIME: LazyLock<Option<Runtime>> = LazyLock::new(|| {
    let built = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("playground")
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build();
    built
        .inspect_err(|error| tracing::error!(cause = %error, "the runtime of the playground could not be started"))
        .ok()
});

/// Path of the endpoint.
pub(super) const ENDPOINT: &str = "/playground/graphql";

/// Returns the route of the endpoint.
pub(super) fn router() -> Router<Arc<Rest>> {
    Router::new().route(ENDPOINT, post(query).fallback(unknown_method))
}

/// Request of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaygroundRequest {
    query: String,
    #[serde(default)]
    variables: Option<Map<String, Value>>,
    #[serde(default, rename = "operationName")]
    #[expect(dead_code, reason = "clients send it; a query contains only one operation, so the name has no effect")]
    operation_name: Option<String>,
    #[serde(default)]
    #[expect(dead_code, reason = "clients send it; the service supports no extension")]
    extensions: Option<Map<String, Value>>,
}

async fn query(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let mut exchange = Exchange::begin(&rest, &parts);
    let span = exchange.trace(("playground", ENDPOINT), &parts);
    let form = ResponseForm::of(&parts.headers);
    let response = match catch_panic(trace::in_span(span, answer_query(&rest, &parts, body, &mut exchange))).await {
        Ok(data) => form.response(data),
        Err(fault) => form.refusal(&fault, exchange.refusal(&fault, &parts)).await,
    };
    exchange.finish(&rest, response)
}

async fn answer_query(
    rest: &Arc<Rest>,
    parts: &Parts,
    body: Body,
    exchange: &mut Exchange<'_>,
) -> Result<Bytes, Fault> {
    checks::check_head(parts)?;
    let mut caller = exchange.caller(parts, Channel::Playground);
    exchange.authenticate(rest, parts, &mut caller).await?;
    ensure_staff(&caller)?;
    let declared = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if declared.split(';').next().map(str::trim) != Some("application/json") {
        return Err(Fault::new(Code::UnsupportedMediaType, "Send the query as application/json."));
    }
    if bind::is_coded(&parts.headers) {
        return Err(Fault::new(Code::UnsupportedMediaType, refusals::CODED));
    }
    let bytes = body::read_small(parts, body, LARGEST).await?;
    let sent: PlaygroundRequest =
        serde_json::from_value(bind::value(&bytes).map_err(|detail| Fault::new(Code::MalformedRequest, detail))?)
            .map_err(|_| {
                Fault::new(Code::MalformedRequest, "Send one object with `query` and, optionally, `variables`.")
            })?;
    let exploration = PlaygroundQuery { query: sent.query, variables: sent.variables.unwrap_or_default() };
    let runtime = RUNTIME
        .as_ref()
        .ok_or_else(|| Fault::unavailable("The playground cannot run queries now. Try again later."))?;
    let wait = tokio::time::timeout(LONGEST_WAIT, SEATS.acquire()).await;
    let permit = wait.map_err(|_| Fault::unavailable("Too many queries are running. Try again in a moment."))?;
    let permit = permit.map_err(Fault::internal)?;
    exchange.reauthenticate(rest, parts, &mut caller).await?;
    ensure_staff(&caller)?;
    let (asked, metered) = (Arc::clone(rest), Arc::new(MeteredApi::new(Arc::clone(rest))));
    let spent = Arc::clone(&metered);
    let exploring = trace::detached(async move {
        let explored = asked.engine.run_query(Arc::new(caller), exploration, &*metered).await;
        // Not earlier: if the client disconnects, its query continues to run.
        drop(permit);
        explored
    });
    // A connection that is opened during the query may serve the public API later, so it belongs to that runtime.
    let explored = runtime.spawn(TokioContext::new(exploring, Handle::current()));
    let explored = explored.await.unwrap_or_else(|error| Err(Fault::internal(error)));
    exchange.allowance = spent.allowance().or(exchange.allowance);
    Ok(explored?.body)
}

/// Media type of a response, by the caller's `Accept` (GraphQL over HTTP, section 6.4).
#[derive(Clone, Copy)]
enum ResponseForm {
    /// `application/graphql-response+json`: the status states whether the query ran.
    GraphqlResponse,
    /// `application/json`: an invalid query has the status 200, because its status cannot be told from that of a proxy.
    Json,
}

impl ResponseForm {
    fn of(headers: &HeaderMap) -> Self {
        if body::prefers_graphql_response(headers) { Self::GraphqlResponse } else { Self::Json }
    }

    /// Writes the GraphQL response of a query that ran.
    fn response(self, data: Bytes) -> Response<Body> {
        let mut response = Response::new(Body::from(data));
        self.set_headers(response.headers_mut());
        response
    }

    /// Converts the problem document of a query that did not run into a GraphQL response without data. Its headers
    /// stay.
    async fn refusal(self, fault: &Fault, response: Response<Body>) -> Response<Body> {
        let (mut parts, problem) = response.into_parts();
        // The body is a complete document in memory.
        let problem = axum::body::to_bytes(problem, usize::MAX).await.unwrap_or_default();
        let problem: Value = serde_json::from_slice(&problem).unwrap_or_default();
        let error = json!({ "message": describe_fault(fault), "extensions": problem });
        if fault.code() == Code::ValidationFailed {
            parts.status = match self {
                Self::GraphqlResponse => StatusCode::BAD_REQUEST,
                Self::Json => StatusCode::OK,
            };
        }
        self.set_headers(&mut parts.headers);
        Response::from_parts(parts, Body::from(json!({ "errors": [error] }).to_string()))
    }

    fn set_headers(self, headers: &mut HeaderMap) {
        let media_type = match self {
            Self::GraphqlResponse => "application/graphql-response+json; charset=utf-8",
            Self::Json => "application/json; charset=utf-8",
        };
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.append(header::VARY, HeaderValue::from_static("accept"));
    }
}

/// Only staff may send queries; the body of any other caller is not read.
fn ensure_staff(caller: &Caller) -> Result<(), Fault> {
    match &caller.principal {
        None => Err(Fault::new(Code::Unauthenticated, "Sign in first.")),
        Some(principal) if principal.kind != PrincipalType::StaffUser => Err(Fault::scope("labs.admin")),
        Some(_) => Ok(()),
    }
}

async fn unknown_method(State(rest): State<Arc<Rest>>, request: Request) -> Response<Body> {
    other_method(&rest, request, "OPTIONS, POST")
}
