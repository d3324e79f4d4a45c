//! Converts an invalid request into a fault.

use labs_core::engine::PreparedOperation;
use labs_core::{Code, Engine, Fault, FieldError};
use serde_json::Value;

use crate::bind::Refusal;
use crate::contract::{FieldPlace, MOST, Operation};

/// Detail of the error for a coded body.
pub(crate) const CODED: &str = "Send the body without Content-Encoding.";

/// Returns the fault of a binding error, in the form that the operation declares.
pub(crate) fn fault(operation: &Operation, refusal: Refusal) -> Fault {
    let fault = match refusal {
        Refusal::NotFound => Fault::not_found(resource_name(operation)),
        Refusal::UnsupportedMediaType { accepted } => Fault::new(
            Code::UnsupportedMediaType,
            format!("Send the body as {} and set Content-Type to this media type.", accepted.join(" or ")),
        ),
        Refusal::UnsupportedCoding => Fault::new(Code::UnsupportedMediaType, CODED),
        Refusal::Malformed { detail, errors } => Fault::new(Code::MalformedRequest, detail).with_errors(fields(errors)),
        Refusal::Invalid { errors } => Fault::invalid(fields(errors)),
    };
    if !operation.has_oauth_errors || fault.code() == Code::UnsupportedMediaType {
        return fault;
    }
    match another_grant(&fault) {
        Some(detail) => Fault::new(Code::MalformedRequest, detail).oauth("unsupported_grant_type"),
        None => fault.oauth("invalid_request"),
    }
}

/// Adds the violations of the operation's own rules to the error of a body, at fields that it does not name yet. If the
/// rules cannot be evaluated, nothing is added.
pub(crate) async fn with_further(engine: &Engine, of: &PreparedOperation, body: &[u8], fault: Fault) -> Fault {
    if fault.code() != Code::ValidationFailed {
        return fault;
    }
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return fault };
    let Ok(further) = engine.find_faults(of, &body).await else { return fault };
    let mut errors = fault.errors().to_vec();
    let is_new = |error: &FieldError| !fault.errors().iter().any(|named| named.pointer == error.pointer);
    errors.extend(further.into_iter().filter(is_new));
    errors.truncate(MOST);
    fault.with_errors(errors)
}

/// Returns the message if the only error is a grant type outside the contract. An empty value counts as omitted, and
/// has a second error because it is too short.
fn another_grant(fault: &Fault) -> Option<String> {
    let [only] = fault.errors() else { return None };
    let is_another = only.pointer.as_deref() == Some("/grant_type") && only.code == "ENUM";
    is_another.then(|| format!("This grant_type is not supported. {}", only.message))
}

/// Returns the name of the resource of the path's last parameter.
fn resource_name(operation: &Operation) -> &str {
    let last = operation.path.rsplit('{').next().and_then(|rest| rest.split('}').next()).unwrap_or("thing");
    ["_uuid", "_slug", "_code"].iter().find_map(|kind| last.strip_suffix(kind)).unwrap_or(last)
}

fn fields(errors: Vec<crate::contract::FieldError>) -> Vec<FieldError> {
    errors
        .into_iter()
        .map(|error| match error.place {
            FieldPlace::Pointer(pointer) => FieldError::at(pointer, error.code.as_str(), error.message),
            FieldPlace::Parameter(name) => FieldError::of(name, error.code.as_str(), error.message),
        })
        .collect()
}
