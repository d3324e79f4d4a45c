//! The tool `call_operation`: sends the request of one operation through the service's own dispatch, or shows what it
//! would send.

use std::sync::Arc;

use axum::body::Body;
use http::request::Parts;
use http::{HeaderMap, Method, Response, header};
use http_body_util::{BodyExt as _, Limited};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::describe::{can_see, not_callable_because};
use super::find::OperationIndex;
use super::message::Message;
use super::request::PlannedRequest;
use super::server::ToolError;
use crate::contract::{AgenticAccess, FieldPlace, Operation, nearest};
use crate::dispatch;
use crate::rest::Rest;

/// Maximum size of a response that the tool returns, in bytes: an agent cannot read more.
const LARGEST_RESPONSE: usize = 256 * 1024;
/// Headers of a response that the tool returns.
const RETURNED: [&str; 9] = [
    "content-language",
    "deprecation",
    "etag",
    "idempotency-replayed",
    "location",
    "ratelimit",
    "retry-after",
    "sunset",
    "x-request-id",
];
/// Operation that says whether a call would be allowed.
const EXPLAIN: &str = "/v1/system/me:explain";

/// Arguments of the tool.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallArguments {
    pub(super) operation_id: String,
    #[serde(default)]
    pub(super) path: Option<Map<String, Value>>,
    #[serde(default)]
    pub(super) query: Option<Map<String, Value>>,
    #[serde(default)]
    pub(super) headers: Option<Map<String, Value>>,
    #[serde(default)]
    pub(super) body: Option<Value>,
    #[serde(default)]
    pub(super) confirm: bool,
}

/// Calls an operation. An operation that changes data is called only with `confirm`.
///
/// # Errors
/// The error response of the operation, or a sentence that says what to change.
pub(super) async fn call(
    rest: &Arc<Rest>,
    index: &OperationIndex,
    (parts, message): (&Parts, &Message),
    arguments: Value,
) -> Result<Value, ToolError> {
    let arguments: CallArguments = serde_json::from_value(arguments).map_err(|error| {
        format!("The arguments do not have the form that the tool's input schema describes: {error}.")
    })?;
    let operation = find_operation(rest, index, message, &arguments.operation_id)?;
    if let Some(reason) = not_callable_because(rest, operation) {
        return Err(reason.into());
    }
    let planned = PlannedRequest::of(rest, operation, &arguments)?;
    if operation.agentic != AgenticAccess::Read && !arguments.confirm {
        return preview(rest, (parts, message), operation, &planned, arguments.body.as_ref()).await;
    }
    let request = planned.to_request(parts, &message.request_id)?;
    let response = dispatch::call(rest, request).await;
    answer(message, response).await
}

/// Returns the operation with this id.
fn find_operation<'r>(
    rest: &'r Rest,
    index: &OperationIndex,
    message: &Message,
    id: &str,
) -> Result<&'r Operation, ToolError> {
    if let Some(operation) = rest.contract().operation(id) {
        return Ok(operation);
    }
    let operations = rest.contract().operations();
    let is_visible = |operation: &Operation| can_see(message.principal.as_deref(), operation);
    let known = operations.iter().filter(|operation| is_visible(operation)).map(|operation| operation.id.as_str());
    let near = nearest(id, known).map(str::to_owned).or_else(|| {
        let found = index.find(id, 1, |place| operations.get(place).is_some_and(|operation| is_visible(operation)));
        found.first().and_then(|place| operations.get(*place)).map(|found| found.id.clone())
    });
    let meant = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
    Err(format!("No operation has this id.{meant} `find_operations` finds operations by words.").into())
}

/// Returns what would be sent, and whether the caller may send it. Nothing is written.
async fn preview(
    rest: &Arc<Rest>,
    (parts, message): (&Parts, &Message),
    operation: &Operation,
    planned: &PlannedRequest,
    body: Option<&Value>,
) -> Result<Value, ToolError> {
    let permission = if parts.headers.contains_key(header::AUTHORIZATION) {
        let asked = [("method", operation.method.as_str()), ("path", planned.path())];
        let explaining = PlannedRequest::read(EXPLAIN, &asked).to_request(parts, &message.request_id)?;
        let mut explained = answer(message, dispatch::call(rest, explaining).await).await?;
        explained.get_mut("body").map(Value::take)
    } else {
        None
    };
    Ok(json!({
        "sent": false,
        "operation_id": operation.id,
        "summary": operation.summary,
        "access": operation.agentic.name(),
        "request": planned.to_json(),
        "violations": violations(rest, operation, body),
        "permission": permission,
        "next": "Nothing was sent. Check the request, and let the responsible person confirm it. Then call the tool \
                 again with `confirm: true`.",
    }))
}

/// Returns the violations of the contract in a body.
fn violations(rest: &Rest, operation: &Operation, body: Option<&Value>) -> Vec<Value> {
    let form = operation.body.iter().flat_map(|body| &body.forms).find(|form| form.kind.is_json());
    let (Some(form), Some(body)) = (form, body) else { return Vec::new() };
    let errors = rest.contract().check(form.schema, body);
    let told = errors.into_iter().map(|error| {
        let place = match error.place {
            FieldPlace::Pointer(place) | FieldPlace::Parameter(place) => place,
        };
        json!({ "pointer": place, "code": error.code.as_str(), "message": error.message })
    });
    told.collect()
}

/// Returns a response as the result of the tool.
async fn answer(message: &Message, response: Response<Body>) -> Result<Value, ToolError> {
    let (parts, body) = response.into_parts();
    message.note_call(&parts.headers);
    let is_json = media_type(&parts.headers).is_some_and(|name| name == "application/json" || name.ends_with("+json"));
    let (body, omitted) = match Limited::new(body, LARGEST_RESPONSE).collect().await {
        Ok(collected) => {
            let bytes = collected.to_bytes();
            let read = if is_json { serde_json::from_slice(&bytes).ok() } else { None };
            let text = || (!bytes.is_empty()).then(|| Value::from(String::from_utf8_lossy(&bytes).into_owned()));
            (read.or_else(text), None)
        }
        Err(_) => {
            let reason = format!(
                "The response is larger than {LARGEST_RESPONSE} bytes. Request fewer entries with `limit`, or send the \
                 request without this tool."
            );
            (None, Some(reason))
        }
    };
    let (status, headers) = (parts.status.as_u16(), returned(&parts.headers));
    let answer = json!({ "status": status, "headers": headers, "body": body, "omitted": omitted });
    if parts.status.is_success() { Ok(answer) } else { Err(ToolError::Answer(answer)) }
}

fn returned(headers: &HeaderMap) -> Map<String, Value> {
    let of = |name: &&str| Some(((*name).to_owned(), headers.get(*name)?.to_str().ok()?.into()));
    RETURNED.iter().filter_map(of).collect()
}

/// Returns the media type of a response, without parameters.
fn media_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()?.split(';').next().map(str::trim)
}

impl PlannedRequest {
    /// Plans a GET of the service itself.
    fn read(path: &str, query: &[(&str, &str)]) -> Self {
        Self::plain(Method::GET, path, query)
    }
}
