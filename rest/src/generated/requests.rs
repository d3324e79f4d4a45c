//! The contract's operations as requests with examples, for import by API clients.

use serde_json::{Map, Value};

use super::text_at;
use crate::contract::resolve;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// A group of operations.
pub(super) struct Group<'c> {
    pub(super) name: &'c str,
    pub(super) description: &'c str,
    pub(super) requests: Vec<Request<'c>>,
}

/// An operation as a complete request.
pub(super) struct Request<'c> {
    /// Id of the operation.
    pub(super) id: &'c str,
    /// Display name.
    pub(super) name: &'c str,
    pub(super) description: &'c str,
    pub(super) method: String,
    /// Path as in the contract.
    pub(super) path: &'c str,
    /// Whether the operation needs a token.
    pub(super) needs_token: bool,
    pub(super) parameters: Vec<Parameter<'c>>,
    pub(super) body: Option<Body<'c>>,
}

impl<'c> Request<'c> {
    /// Returns the parameters of a location: `path`, `query` or `header`.
    pub(super) fn parameters_in(&self, place: &str) -> impl Iterator<Item = &Parameter<'c>> {
        self.parameters.iter().filter(move |parameter| parameter.place == place)
    }
}

/// A parameter with an example.
pub(super) struct Parameter<'c> {
    pub(super) name: &'c str,
    pub(super) place: &'c str,
    pub(super) description: &'c str,
    pub(super) required: bool,
    /// Whether the contract lists all possible values.
    pub(super) is_enumerated: bool,
    /// Each value is sent under the same name.
    pub(super) values: Vec<String>,
}

impl Parameter<'_> {
    /// Returns the first value, or an empty text.
    pub(super) fn first(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }
}

/// A body with an example.
pub(super) struct Body<'c> {
    pub(super) media_type: &'c str,
    pub(super) content: Content<'c>,
}

/// Content of a body.
pub(super) enum Content<'c> {
    /// JSON.
    Text(String),
    /// Fields of a form.
    Fields(Vec<Field<'c>>),
    /// Bytes of a file.
    File,
}

/// A field of a form.
pub(super) struct Field<'c> {
    pub(super) name: &'c str,
    pub(super) value: String,
    pub(super) is_file: bool,
}

/// Returns all requests by group, in the contract's order.
pub(super) fn groups(contract: &Value) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = entries(contract.get("tags"))
        .map(|tag| Group { name: text_at(tag, "/name"), description: text_at(tag, "/description"), requests: vec![] })
        .collect();
    for (path, item) in fields(contract.get("paths")) {
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            let group = groups.iter_mut().find(|group| group.name == text_at(operation, "/tags/0"));
            if let Some(group) = group {
                group.requests.push(request(contract, (method, path), operation));
            }
        }
    }
    groups
}

fn request<'c>(contract: &'c Value, (method, path): (&str, &'c str), operation: &'c Value) -> Request<'c> {
    let parameters = entries(operation.get("parameters")).map(|parameter| resolve(contract, parameter));
    let security = operation.get("security").and_then(Value::as_array);
    Request {
        id: text_at(operation, "/operationId"),
        name: text_at(operation, "/summary"),
        description: text_at(operation, "/description"),
        method: method.to_uppercase(),
        path,
        needs_token: security.is_none_or(|alternatives| !alternatives.is_empty()),
        parameters: parameters.map(|parameter| self::parameter(contract, parameter)).collect(),
        body: operation.get("requestBody").and_then(|body| self::body(contract, resolve(contract, body))),
    }
}

fn parameter<'c>(contract: &'c Value, parameter: &'c Value) -> Parameter<'c> {
    let schema = resolve(contract, parameter.get("schema").unwrap_or(&Value::Null));
    let first = schema.pointer("/examples/0").or(schema.get("default")).or(schema.pointer("/enum/0"));
    let values = match example(contract, parameter).or(first) {
        Some(Value::Array(all)) => all.iter().map(plain).collect(),
        Some(one) => vec![plain(one)],
        None => vec![String::new()],
    };
    Parameter {
        name: text_at(parameter, "/name"),
        place: text_at(parameter, "/in"),
        description: text_at(parameter, "/description"),
        required: parameter.get("required") == Some(&Value::Bool(true)),
        is_enumerated: schema.get("enum").is_some(),
        values,
    }
}

fn body<'c>(contract: &'c Value, body: &'c Value) -> Option<Body<'c>> {
    let (media_type, form) = fields(body.get("content")).next()?;
    let example = example(contract, form);
    let content = match media_type {
        "application/octet-stream" => Content::File,
        "application/x-www-form-urlencoded" | "multipart/form-data" => {
            let schema = resolve(contract, form.get("schema").unwrap_or(&Value::Null));
            let of = |name| schema.get("properties").and_then(|all| all.get(name)).map(|one| resolve(contract, one));
            let is_file = |name| of(name).is_some_and(is_binary);
            let field = |(name, value)| Field { name, value: plain(value), is_file: is_file(name) };
            Content::Fields(fields(example).map(field).collect())
        }
        _ => Content::Text(serde_json::to_string_pretty(example.unwrap_or(&Value::Null)).unwrap_or_default()),
    };
    Some(Body { media_type, content })
}

/// Returns the first example next to a schema.
fn example<'c>(contract: &'c Value, of: &'c Value) -> Option<&'c Value> {
    let of_several = || fields(of.get("examples")).next().and_then(|(_, first)| resolve(contract, first).get("value"));
    of.get("example").or_else(of_several)
}

/// Whether a form field is a file.
fn is_binary(schema: &Value) -> bool {
    text_at(schema, "/format") == "binary"
        || schema.get("contentMediaType").is_some()
        || *schema == Value::Object(Map::new())
}

/// Returns a value as text for a form or a query.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the fields of an object, in the written order.
pub(super) fn fields(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    let map: Option<&Map<String, Value>> = value.and_then(Value::as_object);
    map.into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

/// Returns the entries of a list.
pub(super) fn entries(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}
