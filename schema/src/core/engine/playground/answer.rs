//! What a staff member's own query is answered: a GraphQL response, in which errors stand beside what was found.

use async_graphql::{PathSegment, Response, ServerError, Value};
use bytes::Bytes;

use super::{PlaygroundResponse, invalid};
use crate::core::fault::Fault;

/// The error that decides what becomes of a query: one that broke it, else the first.
pub(super) fn worst_of(response: &Response) -> Option<Fault> {
    let faults = || response.errors.iter().map(fault_of);
    faults().find(|fault| fault.code().is_failure()).or_else(|| faults().next())
}

/// The fault behind an error; one of the library's own speaks of the query.
pub(super) fn fault_of(error: &ServerError) -> Fault {
    error.source::<Fault>().cloned().unwrap_or_else(|| invalid(error.message.clone()))
}

/// Writes into the log what happened. The query's author is told of it in other words.
pub(super) fn log_causes(errors: &[ServerError], request_id: &str) {
    errors.iter().map(fault_of).for_each(|fault| fault.log(request_id, "a part of a query failed"));
}

/// Whether an error stands under this name of the answer.
pub(super) fn is_beneath(error: &ServerError, key: &str) -> bool {
    matches!(error.path.first(), Some(PathSegment::Field(name)) if name == key)
}

/// Whether anything stands under this name of the answer.
pub(super) fn is_shown(data: &Value, key: &str) -> bool {
    matches!(data, Value::Object(fields) if fields.get(key).is_some_and(|value| *value != Value::Null))
}

/// A GraphQL response (GraphQL specification, Response).
pub(super) fn respond(data: &Value, errors: &[ServerError]) -> Result<PlaygroundResponse, Fault> {
    #[derive(serde::Serialize)]
    struct Told<'a> {
        data: &'a Value,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        errors: Vec<serde_json::Value>,
    }
    let told = Told { data, errors: errors.iter().map(error_json).collect() };
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
