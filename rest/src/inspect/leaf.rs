//! Checks whether a scalar or enumeration of the schema fits the contract.

use std::collections::BTreeSet;

use super::shape::Shape;
use crate::bind::orders;
use crate::sdl::{Kind, Sdl};

/// Scalars with a specific type; every other custom scalar of the schema is a text.
const DEFINITE: [&str; 9] = ["Int", "Float", "Boolean", "String", "ID", "UUID", "Time", "JSON", "JSONObject"];

/// Returns the mismatch between a leaf of type `name` and `shape`. None if they fit.
pub(super) fn find_misfit(sdl: &Sdl, shape: &Shape<'_>, name: &str) -> Option<String> {
    let kind = sdl.kind(name);
    if let (Shape::Enum(values), Some(Kind::Enum(own))) = (shape, kind) {
        if orders::are_orders(values.iter().copied()) {
            let names: BTreeSet<String> = values.iter().map(|word| orders::name_of(word)).collect();
            return enum_misfit(&names.iter().map(String::as_str).collect(), own, name);
        }
        return enum_misfit(values, own, name);
    }
    let Some(kind) = kind else {
        return Some(format!("the schema has no type {name}"));
    };
    let own_scalar = matches!(kind, Kind::Scalar) && !DEFINITE.contains(&name);
    let expected = expected_scalar(shape, name, own_scalar)?;
    Some(format!("the contract declares {expected}, but the schema declares {name}"))
}

/// Returns the type that the contract requires, in GraphQL terms. None if it is `name`.
fn expected_scalar(shape: &Shape<'_>, name: &str, own_scalar: bool) -> Option<&'static str> {
    let (fits, expected) = match shape {
        Shape::Text(Some("uuid")) => (name == "UUID", "a uuid (UUID)"),
        Shape::Text(Some("date-time")) => (name == "Time", "a time (Time)"),
        Shape::Text(_) => (matches!(name, "String" | "ID") || own_scalar, "a string (String)"),
        Shape::Enum(values) if values.len() > 1 && values.iter().all(|value| is_enum_name(value)) => {
            (false, "an enumeration (an enum with the same values)")
        }
        // A single value is a constant and is sent as text.
        Shape::Enum(_) => (name == "String" || own_scalar, "one of several strings (String)"),
        Shape::Integer => (name == "Int", "a whole number (Int)"),
        Shape::Number => (name == "Float", "a number (Float)"),
        Shape::Boolean => (name == "Boolean", "true or false (Boolean)"),
        Shape::Free => (matches!(name, "JSON" | "JSONObject"), "anything (JSON)"),
        Shape::List(_) => (false, "a list"),
        // GraphQL has no input without fields, so an empty object is sent as JSON.
        Shape::Object(fields) if fields.properties.is_empty() => {
            (matches!(name, "JSON" | "JSONObject"), "an object without fields (JSON)")
        }
        Shape::Object(_) => (false, "an object with named fields"),
        Shape::Forms(_) => (matches!(name, "JSON" | "JSONObject"), "one of several forms (JSON)"),
    };
    (!fits).then_some(expected)
}

/// Whether a value is UPPER_SNAKE_CASE, which docs/decisions/api.md#formats-of-values requires of enumerated values.
fn is_enum_name(value: &str) -> bool {
    value.starts_with(|char: char| char.is_ascii_uppercase())
        && value.chars().all(|char| char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_')
}

fn enum_misfit(contract: &BTreeSet<&str>, own: &BTreeSet<String>, name: &str) -> Option<String> {
    let own: BTreeSet<&str> = own.iter().map(String::as_str).collect();
    let list = |values: Vec<&&str>| values.into_iter().copied().collect::<Vec<_>>().join(", ");
    let only_contract = list(contract.difference(&own).collect());
    let only_schema = list(own.difference(contract).collect());
    match (only_contract.is_empty(), only_schema.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("the contract has the values {only_contract}, which the enum {name} lacks")),
        (true, false) => Some(format!("the enum {name} has the values {only_schema}, which the contract lacks")),
        (false, false) => Some(format!(
            "the contract has the values {only_contract}, the enum {name} has {only_schema}: make them the same"
        )),
    }
}
