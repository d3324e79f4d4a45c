//! Response to a staff member's own query: a GraphQL response with data and errors.

use async_graphql::{PathSegment, Response, ServerError, Value};
use bytes::Bytes;
use serde_json::Value as Json;

use super::{PlaygroundResponse, QUERY, err_invalid};
use crate::fault::{Fault, FieldError};

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

/// Whether an error concerns the root field with this response name: it is at or beneath that field, or it concerns the
/// whole query.
pub(super) fn concerns(error: &ServerError, key: &str) -> bool {
    match error.path.first() {
        None => true,
        Some(PathSegment::Field(name)) => name == key,
        Some(PathSegment::Index(_)) => false,
    }
}

/// Whether the response has data under this name.
pub(super) fn is_shown(data: &Value, key: &str) -> bool {
    matches!(data, Value::Object(fields) if fields.get(key).is_some_and(|value| *value != Value::Null))
}

/// Serialises a GraphQL response (GraphQL specification, Response). `problem` returns the problem document of a fault;
/// its second argument is the response name of the root field.
pub(super) fn respond(
    response: &Response,
    problem: impl Fn(&Fault, Option<&str>) -> Json,
) -> Result<PlaygroundResponse, Fault> {
    #[derive(serde::Serialize)]
    struct QueryResponse<'a> {
        data: &'a Value,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        errors: Vec<Json>,
    }
    let error_json = |error: &ServerError| {
        let fault = fault_of(error);
        let key = match error.path.first() {
            Some(PathSegment::Field(name)) => Some(name.as_str()),
            _ => None,
        };
        serde_json::json!({
            "message": describe_fault(&fault),
            "path": error.path,
            "locations": error.locations,
            "extensions": problem(&fault, key),
        })
    };
    let told = QueryResponse { data: &response.data, errors: response.errors.iter().map(error_json).collect() };
    let body = serde_json::to_vec(&told).map_err(Fault::internal)?;
    Ok(PlaygroundResponse { body: Bytes::from(body) })
}

/// Returns the message of a fault for clients that show no other member of an error: the message of each invalid field
/// with its place, else the detail.
#[must_use]
pub fn describe_fault(fault: &Fault) -> String {
    let place = |error: &FieldError| match (&error.pointer, &error.parameter) {
        // The whole text of the query.
        (Some(pointer), _) if pointer == QUERY => error.message.clone(),
        (Some(place), _) | (None, Some(place)) => format!("{place}: {}", error.message),
        (None, None) => error.message.clone(),
    };
    match fault.errors() {
        [] => fault.detail().to_owned(),
        errors => errors.iter().map(place).collect::<Vec<_>>().join(" "),
    }
}
