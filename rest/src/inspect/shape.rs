//! A view of a JSON Schema that can be compared with a GraphQL type.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::Contract;

/// The value that a schema describes.
#[derive(Debug)]
pub(super) struct NullableShape<'a> {
    /// Whether null is allowed.
    pub(super) nullable: bool,
    /// Shape of a non-null value.
    pub(super) shape: Shape<'a>,
}

/// Shape of a value, without null.
#[derive(Debug)]
pub(super) enum Shape<'a> {
    /// A text, possibly with a format.
    Text(Option<&'a str>),
    /// One of these texts.
    Enum(BTreeSet<&'a str>),
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A list with entries of this schema.
    List(&'a Value),
    /// An object with these fields.
    Object(Fields<'a>),
    /// An object with arbitrary fields, or any value.
    Free,
    /// One of several alternatives.
    Forms(Vec<&'a Value>),
}

/// The fields of an object.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    /// Schema of each field.
    pub(super) properties: BTreeMap<&'a str, &'a Value>,
    /// The required fields.
    pub(super) required: BTreeSet<&'a str>,
}

/// Determines the shape of a schema; `$ref`s are resolved.
pub(super) fn shape<'a>(contract: &'a Contract, schema: &'a Value) -> NullableShape<'a> {
    let schema = contract.resolve(schema);
    for keyword in ["oneOf", "anyOf"] {
        if let Some(forms) = schema.get(keyword).and_then(Value::as_array) {
            return of_forms(contract, forms);
        }
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        return of_parts(contract, schema, parts);
    }
    let (types, mut nullable) = types(schema);
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        nullable |= values.iter().any(Value::is_null);
        let texts: BTreeSet<&str> = values.iter().filter_map(Value::as_str).collect();
        if !texts.is_empty() {
            return NullableShape { nullable, shape: Shape::Enum(texts) };
        }
    }
    let format = schema.get("format").and_then(Value::as_str);
    let shape = match types.as_slice() {
        ["string"] => Shape::Text(format),
        ["integer"] => Shape::Integer,
        ["number"] => Shape::Number,
        ["boolean"] => Shape::Boolean,
        ["array"] => Shape::List(schema.get("items").unwrap_or(&Value::Bool(true))),
        // Fields of a response that may be absent have no type in GraphQL, which has null instead.
        ["object"] if schema.get("x-absent-fields").is_some() => Shape::Free,
        ["object"] => of_object(schema),
        [] if schema.get("properties").is_some() => of_object(schema),
        [] if schema.get("const").is_some_and(Value::is_string) => Shape::Text(None),
        _ => Shape::Free,
    };
    let anything = types.is_empty() && matches!(shape, Shape::Free);
    NullableShape { nullable: nullable || anything, shape }
}

/// Merges the fields of several alternatives: all fields, required if every alternative requires them. None if one is
/// not an object.
pub(super) fn merge_fields<'a>(contract: &'a Contract, forms: &[&'a Value]) -> Option<Fields<'a>> {
    let mut all: Option<Fields<'a>> = None;
    for form in forms {
        let Shape::Object(fields) = shape(contract, form).shape else {
            return None;
        };
        all = Some(match all {
            None => fields,
            Some(mut all) => {
                all.required.retain(|name| fields.required.contains(name));
                for (name, schema) in fields.properties {
                    all.properties.entry(name).or_insert(schema);
                }
                all
            }
        });
    }
    all
}

fn types(schema: &Value) -> (Vec<&str>, bool) {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let nullable = types.contains(&"null");
    (types.into_iter().filter(|name| *name != "null").collect(), nullable)
}

/// Returns the shape of an object. An object with arbitrary names (`additionalProperties` a schema) or without named
/// fields is free.
fn of_object(schema: &Value) -> Shape<'_> {
    let more = schema.get("additionalProperties");
    if more.is_some_and(Value::is_object) {
        return Shape::Free;
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return if more == Some(&Value::Bool(false)) { Shape::Object(Fields::default()) } else { Shape::Free };
    };
    Shape::Object(Fields {
        properties: properties.iter().map(|(name, schema)| (name.as_str(), schema)).collect(),
        required: required_names(schema).collect(),
    })
}

fn required_names(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn of_forms<'a>(contract: &'a Contract, forms: &'a [Value]) -> NullableShape<'a> {
    let is_null = |form: &&Value| contract.resolve(form).get("type").and_then(Value::as_str) == Some("null");
    let nullable = forms.iter().any(|form| is_null(&form));
    let rest: Vec<&Value> = forms.iter().filter(|form| !is_null(form)).collect();
    match rest.as_slice() {
        [only] => {
            let shaped = shape(contract, only);
            NullableShape { nullable: nullable || shaped.nullable, shape: shaped.shape }
        }
        _ => NullableShape { nullable, shape: Shape::Forms(rest) },
    }
}

/// Merges `allOf`: objects contribute their fields; for any other type, the first part counts.
fn of_parts<'a>(contract: &'a Contract, schema: &'a Value, parts: &'a [Value]) -> NullableShape<'a> {
    let mut all = Fields::default();
    let mut other = None;
    for part in parts {
        let shaped = shape(contract, part);
        match shaped.shape {
            Shape::Object(fields) => {
                all.properties.extend(fields.properties);
                all.required.extend(fields.required);
            }
            _ if other.is_none() => other = Some(shaped),
            _ => {}
        }
    }
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        all.properties.extend(properties.iter().map(|(name, schema)| (name.as_str(), schema)));
    }
    all.required.extend(required_names(schema));
    match other {
        Some(other) if all.properties.is_empty() => other,
        _ => NullableShape { nullable: false, shape: Shape::Object(all) },
    }
}
