//! Header parameters: the idempotency key, conditions, and the other headers of the contract.

use http::HeaderMap;
use serde_json::{Map, Value};

use super::refusal::ErrorCollector;
use super::{BoundRequest, Condition, text};
use crate::contract::{FieldCode, FieldError, Operation, Parameter, ParameterIn};

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
const IF_MATCH: &str = "If-Match";
const IF_NONE_MATCH: &str = "If-None-Match";
/// Range headers are read where the response is written. Values that do not apply are ignored (RFC 9110 section 14.2).
const OF_A_PART: [&str; 2] = ["Range", "If-Range"];

/// Reads the headers of the operation; other headers are ignored.
pub(super) fn read(
    operation: &Operation,
    headers: &HeaderMap,
    values: &mut Map<String, Value>,
    bound: &mut BoundRequest,
    findings: &mut ErrorCollector,
) {
    if operation.takes_idempotency_key {
        bound.idempotency_key = idempotency_key(headers, findings);
    }
    if operation.takes_if_match {
        bound.if_match = condition(IF_MATCH, headers, findings);
    } else if operation.is_write() && headers.contains_key(IF_MATCH) {
        // A caller that sends it relies on it: writing without the check would overwrite a concurrent change.
        let message = "This operation does not support If-Match. Omit the header. The reference lists the operations \
                       that support it.";
        findings.parameter(IF_MATCH, FieldCode::NotAllowed, message);
    }
    if operation.takes_if_none_match {
        bound.if_none_match = condition(IF_NONE_MATCH, headers, findings);
    } else if operation.is_write() && headers.contains_key(IF_NONE_MATCH) {
        let message = "This operation does not support If-None-Match. Omit the header. Only read operations support \
                       it.";
        findings.parameter(IF_NONE_MATCH, FieldCode::NotAllowed, message);
    }
    for parameter in operation.parameters_in(ParameterIn::Header) {
        let special = [IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH].into_iter().chain(OF_A_PART);
        if special.into_iter().any(|name| parameter.name.eq_ignore_ascii_case(name)) {
            continue;
        }
        if let Some(value) = other(parameter, headers, findings) {
            values.insert(parameter.variable(), value);
        }
    }
}

/// Reads `Idempotency-Key`: 1 to 255 visible ASCII characters, once.
fn idempotency_key(headers: &HeaderMap, findings: &mut ErrorCollector) -> Option<String> {
    let mut sent = headers.get_all(IDEMPOTENCY_KEY).iter();
    let value = sent.next()?.as_bytes();
    let (code, message) = if sent.next().is_some() {
        (FieldCode::Duplicate, "Send exactly one Idempotency-Key header.")
    } else if value.is_empty() {
        (FieldCode::TooShort, "The key is empty. Send a unique value, for example a UUID.")
    } else if value.len() > 255 {
        (FieldCode::TooLong, "The key is too long. Send at most 255 characters, for example a UUID.")
    } else if !value.iter().all(u8::is_ascii_graphic) {
        (
            FieldCode::Pattern,
            "The key contains an invalid character. Send only visible ASCII characters without spaces, for example a \
             UUID.",
        )
    } else {
        return String::from_utf8(value.to_vec()).ok();
    };
    findings.parameter(IDEMPOTENCY_KEY, code, message);
    None
}

fn condition(name: &str, headers: &HeaderMap, findings: &mut ErrorCollector) -> Option<Condition> {
    if !headers.contains_key(name) {
        return None;
    }
    let values = headers.get_all(name).iter().map(|value| value.as_bytes());
    let condition = Condition::parse(values);
    if condition.is_none() {
        let message = format!(
            "{name} must be `*` or a list of entity tags. Send them as the ETag header returned them, with their \
             quotation marks."
        );
        findings.add_malformed_at(FieldError::parameter(name, FieldCode::Syntax, message));
    }
    condition
}

/// Reads any other header. Several lines of one name are one list (RFC 9110, section 5.3).
fn other(parameter: &Parameter, headers: &HeaderMap, findings: &mut ErrorCollector) -> Option<Value> {
    let mut lines = Vec::new();
    for line in headers.get_all(&parameter.name) {
        match line.to_str() {
            Ok(line) => lines.push(line.trim()),
            Err(_) => {
                let message = "Send only visible ASCII characters and spaces.";
                findings.parameter(&parameter.name, FieldCode::Character, message);
                return None;
            }
        }
    }
    if lines.is_empty() {
        if parameter.required && parameter.default.is_none() {
            let message = format!("The required header `{}` is missing. Send it.", parameter.name);
            findings.parameter(&parameter.name, FieldCode::Required, message);
        }
        return parameter.default.clone();
    }
    let joined = lines.join(", ");
    let texts: Vec<&str> = match parameter.array {
        true => joined.split(',').map(str::trim).collect(),
        false => vec![joined.as_str()],
    };
    let mut values = Vec::with_capacity(texts.len());
    for text in texts {
        match text::value(parameter.kind, text) {
            Ok(value) => values.push(value),
            Err((code, message)) => {
                findings.parameter(&parameter.name, code, message);
                return None;
            }
        }
    }
    if parameter.array { Some(Value::Array(values)) } else { values.pop() }
}
