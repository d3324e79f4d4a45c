//! Rejects valid schemas that client generators misread: an integer without a format, a field with several types, a
//! pattern without an anchor, and a `$ref` with sibling keywords, which the generated class loses or does not compile
//! with.

use serde_json::{Map, Value};

use crate::contract::problem::Problem;

/// Keywords that are allowed next to a `$ref`: texts, which change nothing.
const BESIDE_A_REFERENCE: [&str; 3] = ["$ref", "description", "summary"];

/// Checks every schema of the assembled contract: in components, parameters, bodies and responses.
pub(super) fn check_schemas(document: &Value, problems: &mut Vec<Problem>) {
    walk(document, "", problems);
}

fn walk(value: &Value, pointer: &str, problems: &mut Vec<Problem>) {
    match value {
        Value::Object(map) => {
            let mut found = Vec::new();
            check_types(map, &mut found);
            check_pattern(map, &mut found);
            check_reference(map, &mut found);
            problems.extend(found.into_iter().map(|what| Problem::new("contract/openapi.yaml", pointer, what)));
            for (key, value) in map {
                let below = format!("{pointer}/{key}");
                match key.as_str() {
                    "properties" => check_fields(value, &below, problems),
                    "example" | "examples" | "default" | "const" | "enum" => {}
                    _ => walk(value, &below, problems),
                }
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(place, item)| walk(item, &format!("{pointer}/{place}"), problems));
        }
        _ => {}
    }
}

/// Fields may have the names of keywords, `type` or `default`.
fn check_fields(properties: &Value, pointer: &str, problems: &mut Vec<Problem>) {
    for (name, schema) in properties.as_object().into_iter().flatten() {
        walk(schema, &format!("{pointer}/{name}"), problems);
    }
}

fn check_types(map: &Map<String, Value>, found: &mut Vec<&str>) {
    let names: Vec<&str> = match map.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect(),
        _ => return,
    };
    let format = map.get("format").and_then(Value::as_str);
    if names.contains(&"integer") && !matches!(format, Some("int32" | "int64")) {
        found.push("an integer must have `format: int32` or `format: int64`");
    }
    if names.len() > 1 {
        found.push(
            "generated clients do not support a field of several types: use a separate field for each type, or omit \
             the type",
        );
    }
}

fn check_pattern(map: &Map<String, Value>, found: &mut Vec<&str>) {
    let pattern = map.get("pattern").and_then(Value::as_str);
    if pattern.is_some_and(|pattern| !pattern.starts_with('^')) {
        found.push("a pattern must begin with ^: generated Python clients match it only at the start of the text");
    }
}

fn check_reference(map: &Map<String, Value>, found: &mut Vec<&str>) {
    let refers = map.get("$ref").is_some_and(Value::is_string);
    if refers && map.keys().any(|key| !BESIDE_A_REFERENCE.contains(&key.as_str())) {
        found.push("only a description may accompany a `$ref`: generated clients do not compile otherwise");
    }
}
