//! Rejects valid schemas with which client generators produce classes that do not compile, or that reject valid values:
//! an integer without a format, a field with several types, a pattern without an anchor or with a range of control
//! characters, the length of a value that is not a string in the generated class, an optional field next to named
//! entries, an enumeration with null, and a `$ref` with sibling keywords.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::contract::problem::Problem;

/// Keywords that are allowed next to a `$ref`: texts, which change nothing.
const BESIDE_A_REFERENCE: [&str; 3] = ["$ref", "description", "summary"];
/// Formats whose values are no strings in a generated class: UUID, date, `DateTime`, `URI`, bytes.
const TYPED_FORMATS: [&str; 7] = ["uuid", "date", "date-time", "time", "uri", "byte", "binary"];
/// Keywords that apply to strings only.
const OF_STRINGS: [&str; 3] = ["pattern", "minLength", "maxLength"];

/// Checks every schema of the assembled contract: in components, parameters, bodies and responses.
pub(super) fn check_schemas(document: &Value, problems: &mut Vec<Problem>) {
    walk(document, "", problems);
    let responses = Responses::of(document);
    for name in &responses.components {
        let pointer = format!("/components/schemas/{name}");
        let fields = document.pointer(&pointer).and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        for (field, schema) in fields.into_iter().flatten() {
            let inline = [Some(schema), schema.get("items")];
            if inline.into_iter().flatten().any(has_several_values) {
                let what = "an enumeration in a response must be a component: otherwise generated Ruby classes reject \
                            the values that a later version adds";
                let place = format!("{pointer}/properties/{field}");
                problems.push(Problem::new("contract/openapi.yaml", &place, what));
            }
        }
    }
}

fn has_several_values(schema: &Value) -> bool {
    schema.get("enum").and_then(Value::as_array).is_some_and(|values| values.len() > 1)
}

/// Components that responses contain.
#[derive(Default)]
struct Responses {
    components: BTreeSet<String>,
}

impl Responses {
    fn of(document: &Value) -> Self {
        let mut found = Self::default();
        let paths = document.get("paths").and_then(Value::as_object).into_iter().flat_map(Map::values);
        let operations = paths.filter_map(Value::as_object).flat_map(Map::values);
        for responses in operations.filter_map(|operation| operation.get("responses")) {
            found.add(document, responses);
        }
        found
    }

    /// Adds the components to which a value refers, directly or through others.
    fn add(&mut self, document: &Value, value: &Value) {
        match value {
            Value::Object(map) => {
                if let Some(pointer) = map.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#')) {
                    let is_new = pointer
                        .strip_prefix("/components/schemas/")
                        .is_none_or(|name| self.components.insert(name.to_owned()));
                    if let Some(referred) = document.pointer(pointer).filter(|_| is_new) {
                        self.add(document, referred);
                    }
                }
                map.values().for_each(|value| self.add(document, value));
            }
            Value::Array(items) => items.iter().for_each(|item| self.add(document, item)),
            _ => {}
        }
    }
}

fn walk(value: &Value, pointer: &str, problems: &mut Vec<Problem>) {
    match value {
        Value::Object(map) => {
            let mut found = Vec::new();
            check_types(map, &mut found);
            check_pattern(map, &mut found);
            check_format(map, &mut found);
            check_entries(map, &mut found);
            check_values(map, &mut found);
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
    if pattern.is_some_and(|pattern| pattern.to_ascii_uppercase().contains("\\X7F-")) {
        found.push(
            "a pattern must not have a range that begins at \\x7F: Ruby and PHP match bytes, so it rejects letters such \
             as ß",
        );
    }
}

fn check_format(map: &Map<String, Value>, found: &mut Vec<&str>) {
    let format = map.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| TYPED_FORMATS.contains(&format))
        && OF_STRINGS.iter().any(|keyword| map.contains_key(*keyword))
    {
        found.push(
            "omit pattern, minLength and maxLength with this format: generated clients do not represent the value as \
             a string",
        );
    }
}

fn check_entries(map: &Map<String, Value>, found: &mut Vec<&str>) {
    let has_entries = map.get("additionalProperties").is_some_and(Value::is_object);
    let required: Vec<&str> =
        map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut names = map.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    if has_entries && names.any(|name| !required.contains(&name.as_str())) {
        found.push(
            "an optional field must not accompany `additionalProperties`: in generated TypeScript classes its type \
             contradicts the type of the entries",
        );
    }
}

fn check_values(map: &Map<String, Value>, found: &mut Vec<&str>) {
    let values = map.get("enum").and_then(Value::as_array);
    if values.is_some_and(|values| values.iter().any(Value::is_boolean)) {
        found.push("a boolean must not have an enumeration: Python and Ruby clients compare it with a text");
    }
    if values.is_some_and(|values| values.contains(&Value::Null)) {
        found.push(
            "an enumeration must not contain null: give it a component, and refer to it with \
             `oneOf: [{$ref: …}, {type: 'null'}]`",
        );
    }
}

fn check_reference(map: &Map<String, Value>, found: &mut Vec<&str>) {
    let refers = map.get("$ref").is_some_and(Value::is_string);
    if refers && map.keys().any(|key| !BESIDE_A_REFERENCE.contains(&key.as_str())) {
        found.push("only a description may accompany a `$ref`: generated clients do not compile otherwise");
    }
}
