//! Converts text to JSON by its kind, and checks parameters by their schemas.

use labs_core::text::normalize;
use serde_json::{Map, Number, Value};

use super::refusal::ErrorCollector;
use crate::contract::{Contract, FieldCode, FieldPlace, Kind, Operation, ParameterIn};

/// Returns the value of a text in NFC, or the violated rule and what to do.
pub(super) fn value(kind: Kind, text: &str) -> Result<Value, (FieldCode, &'static str)> {
    if text.contains('\0') {
        return Err((FieldCode::Character, "The character U+0000 is not allowed. Remove it."));
    }
    match kind {
        Kind::Text => Ok(Value::String(normalize(text).into_owned())),
        Kind::Integer => integer(text).ok_or((FieldCode::Type, "Send a whole number.")),
        Kind::Number => number(text).ok_or((FieldCode::Type, "Send a number, such as 4.5.")),
        Kind::Boolean => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err((FieldCode::Type, "Send true or false.")),
        },
    }
}

fn integer(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = plain.then(|| text.parse().ok())??;
    Some(Value::from(number))
}

fn number(text: &str) -> Option<Value> {
    if let Some(whole) = integer(text) {
        return Some(whole);
    }
    let starts = text.strip_prefix('-').unwrap_or(text).starts_with(|char: char| char.is_ascii_digit());
    let number: f64 = starts.then(|| text.parse().ok())??;
    Number::from_f64(number).map(Value::Number)
}

/// Checks query and header parameters by their schemas; errors contain the parameters' names.
pub(super) fn check(
    contract: &Contract,
    operation: &Operation,
    values: &mut Map<String, Value>,
    findings: &mut ErrorCollector,
) {
    let Some(schema) = operation.query_schema() else {
        return;
    };
    // The validator needs a value, so the map is converted to one and back.
    let whole = Value::Object(std::mem::take(values));
    for error in contract.check(schema, &whole) {
        let FieldPlace::Pointer(pointer) = &error.place else {
            continue;
        };
        let variable = pointer.split('/').nth(1).unwrap_or_default();
        let parameter = operation
            .parameters
            .iter()
            .find(|parameter| parameter.place != ParameterIn::Path && parameter.variable() == variable);
        let name = parameter.map_or(variable, |parameter| parameter.name.as_str());
        let value = whole.get(variable).and_then(Value::as_str).unwrap_or_default();
        if error.code == FieldCode::Format && value.contains(' ') {
            let hint = format!("{} In a query, encode + as %2B.", error.message);
            findings.parameter(name, error.code, hint);
        } else {
            findings.parameter(name, error.code, error.message);
        }
    }
    if let Value::Object(back) = whole {
        *values = back;
    }
}
