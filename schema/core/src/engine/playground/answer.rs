//! Response to a staff member's own query: a GraphQL response with data and errors.

use async_graphql::{PathSegment, Response, ServerError, Value};
use bytes::Bytes;

use super::{PlaygroundResponse, err_invalid};
use crate::fault::Fault;

/// Returns the error that decides the outcome of a query: the first failure, otherwise the first error.
pub(super) fn worst_error(response: &Response) -> Option<Fault> {
    let faults = || response.errors.iter().map(fault_of);
    faults().find(|fault| fault.code().is_failure()).or_else(|| faults().next())
}

/// Returns the fault behind an error. An error of the library itself means that the query is invalid.
pub(super) fn fault_of(error: &ServerError) -> Fault {
    error.source::<Fault>().cloned().unwrap_or_else(|| err_invalid(error.message.clone()))
}

/// Logs the causes, which the author of the query does not see.
pub(super) fn log_causes(errors: &[ServerError], request_id: &str) {
    errors.iter().map(fault_of).for_each(|fault| fault.log(request_id, "a field of a playground query failed"));
}

/// Whether an error belongs to this response name.
pub(super) fn is_beneath(error: &ServerError, key: &str) -> bool {
    matches!(error.path.first(), Some(PathSegment::Field(name)) if name == key)
}

/// Whether the response has data under this name.
pub(super) fn is_shown(data: &Value, key: &str) -> bool {
    matches!(data, Value::Object(fields) if fields.get(key).is_some_and(|value| *value != Value::Null))
}

/// Serialises a GraphQL response (GraphQL specification, Response).
pub(super) fn respond(data: &Value, errors: &[ServerError]) -> Result<PlaygroundResponse, Fault> {
    #[derive(serde::Serialize)]
    struct QueryResponse<'a> {
        data: &'a Value,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        errors: Vec<serde_json::Value>,
    }
    let told = QueryResponse { data, errors: errors.iter().map(error_json).collect() };
    let body = serde_json::to_vec(&told).map_err(Fault::internal)?;
    Ok(PlaygroundResponse { body: Bytes::from(body) })
}

fn error_json(error: &ServerError) -> serde_json::Value {
    let code = fault_of(error).code().name();
    serde_json::json!({
        "message": error.message,
        "path": error.path,
        "locations": error.locations,
        "extensions": { "code": code },
    })
}
