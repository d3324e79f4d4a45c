//! TypeScript types in the format of `openapi-typescript`, so that `openapi-fetch` and other libraries for that format
//! work with them: paths refer to operations, operations to named schemas.

use std::fmt::Write as _;

use serde_json::Value;

use super::requests::{entries, fields};
use super::{Versions, text_at};
use crate::contract::resolve;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const PLACES: [&str; 4] = ["query", "header", "path", "cookie"];
/// Type of response headers; callers read the headers that they know.
const HEADERS: &str = "headers: { [name: string]: unknown };";

/// Returns the types of all paths, operations and named schemas.
pub(super) fn types(contract: &Value, versions: &Versions<'_>) -> String {
    let title = text_at(contract, "/info/title");
    let mut file = format!("/** {title}. {} */\n\n", versions.sentence());
    paths(contract, &mut file);
    file.push_str("export type webhooks = Record<string, never>;\n");
    components(contract, &mut file);
    file.push_str("export type $defs = Record<string, never>;\n");
    operations(contract, &mut file);
    file
}

fn paths(contract: &Value, file: &mut String) {
    file.push_str("export interface paths {\n");
    for (path, item) in fields(contract.get("paths")) {
        line(file, 1, &format!("{}: {{", quote(path)));
        line(file, 2, "parameters: { query?: never; header?: never; path?: never; cookie?: never };");
        for method in METHODS {
            match item.get(method) {
                Some(operation) => {
                    document(file, 2, operation);
                    let id = quote(text_at(operation, "/operationId"));
                    line(file, 2, &format!("{method}: operations[{id}];"));
                }
                None => line(file, 2, &format!("{method}?: never;")),
            }
        }
        line(file, 1, "};");
    }
    file.push_str("}\n");
}

fn components(contract: &Value, file: &mut String) {
    file.push_str("export interface components {\n");
    line(file, 1, "schemas: {");
    for (name, schema) in fields(contract.pointer("/components/schemas")) {
        document(file, 2, schema);
        line(file, 2, &format!("{}: {};", key(name), type_of(schema, 2)));
    }
    line(file, 1, "};");
    line(file, 1, "responses: {");
    for (name, response) in fields(contract.pointer("/components/responses")) {
        document(file, 2, response);
        line(file, 2, &format!("{}: {};", key(name), response_type(contract, response)));
    }
    line(file, 1, "};");
    line(file, 1, "parameters: {");
    for (name, parameter) in fields(contract.pointer("/components/parameters")) {
        document(file, 2, parameter);
        line(file, 2, &format!("{}: {};", key(name), type_of(schema_of(parameter), 2)));
    }
    line(file, 1, "};");
    for section in ["requestBodies", "headers", "pathItems"] {
        line(file, 1, &format!("{section}: never;"));
    }
    file.push_str("}\n");
}

fn operations(contract: &Value, file: &mut String) {
    file.push_str("export interface operations {\n");
    for (_, item) in fields(contract.get("paths")) {
        for operation in METHODS.into_iter().filter_map(|method| item.get(method)) {
            line(file, 1, &format!("{}: {{", key(text_at(operation, "/operationId"))));
            parameters(contract, operation, file);
            request_body(contract, operation, file);
            line(file, 2, "responses: {");
            for (status, response) in fields(operation.get("responses")) {
                document(file, 3, response);
                line(file, 3, &format!("{status}: {};", response_type(contract, response)));
            }
            line(file, 2, "};");
            line(file, 1, "};");
        }
    }
    file.push_str("}\n");
}

fn parameters(contract: &Value, operation: &Value, file: &mut String) {
    line(file, 2, "parameters: {");
    for place in PLACES {
        let all = || {
            let written = entries(operation.get("parameters")).map(|written| (written, resolve(contract, written)));
            written.filter(|(_, parameter)| text_at(parameter, "/in") == place)
        };
        if all().next().is_none() {
            line(file, 3, &format!("{place}?: never;"));
            continue;
        }
        let optional = if all().any(|(_, parameter)| is_required(parameter)) { "" } else { "?" };
        line(file, 3, &format!("{place}{optional}: {{"));
        for (written, parameter) in all() {
            document(file, 4, parameter);
            let optional = if is_required(parameter) { "" } else { "?" };
            let of = reference_type(written).unwrap_or_else(|| type_of(schema_of(parameter), 4));
            line(file, 4, &format!("{}{optional}: {of};", key(text_at(parameter, "/name"))));
        }
        line(file, 3, "};");
    }
    line(file, 2, "};");
}

fn request_body(contract: &Value, operation: &Value, file: &mut String) {
    let Some(body) = operation.get("requestBody").map(|body| resolve(contract, body)) else {
        return line(file, 2, "requestBody?: never;");
    };
    let optional = if is_required(body) { "" } else { "?" };
    line(file, 2, &format!("requestBody{optional}: {{ content: {{ {} }} }};", media(body, 2)));
}

fn response_type(contract: &Value, response: &Value) -> String {
    if let Some(name) = reference_type(response) {
        return name;
    }
    let response = resolve(contract, response);
    match response.get("content") {
        Some(_) => format!("{{ {HEADERS} content: {{ {} }} }}", media(response, 3)),
        None => format!("{{ {HEADERS} content?: never }}"),
    }
}

/// Returns the media types of a body or a response, each with its type.
fn media(of: &Value, depth: usize) -> String {
    let forms = fields(of.get("content"));
    let forms = forms.map(|(name, form)| format!("{}: {}", quote(name), type_of(schema_of(form), depth)));
    forms.collect::<Vec<_>>().join("; ")
}

/// Returns the type of a schema.
fn type_of(schema: &Value, depth: usize) -> String {
    if let Some(name) = reference_type(schema) {
        return name;
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let joined = |word: &str, sign: &str| {
        let parts: Vec<String> = entries(schema.get(word)).map(|part| type_of(part, depth)).collect();
        (!parts.is_empty()).then(|| format!("({})", parts.join(sign)))
    };
    let mut all: Vec<String> =
        [joined("oneOf", " | "), joined("anyOf", " | "), joined("allOf", " & ")].into_iter().flatten().collect();
    if all.is_empty() || schema.get("properties").is_some() {
        all.push(plain_type(schema, depth));
    }
    all.join(" & ")
}

/// Returns the type of a schema that is not composed of others.
fn plain_type(schema: &Value, depth: usize) -> String {
    let of = |name: &str| match name {
        "string" => "string".to_owned(),
        "integer" | "number" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" => schema.get("items").map_or("unknown[]".to_owned(), |items| format!("({})[]", type_of(items, depth))),
        "object" => object(schema, depth),
        _ => "unknown".to_owned(),
    };
    match schema.get("type") {
        Some(Value::String(name)) => of(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(of).collect::<Vec<_>>().join(" | "),
        _ if schema.get("properties").is_some() => object(schema, depth),
        _ => "unknown".to_owned(),
    }
}

fn object(schema: &Value, depth: usize) -> String {
    let others = match schema.get("additionalProperties") {
        Some(others @ Value::Object(_)) => Some(format!("{{ [key: string]: {} }}", type_of(others, depth))),
        _ => None,
    };
    let Some(properties) = schema.get("properties") else {
        return others.unwrap_or_else(|| "{ [key: string]: unknown }".to_owned());
    };
    let required: Vec<&Value> = entries(schema.get("required")).collect();
    let mut text = "{\n".to_owned();
    for (name, property) in fields(Some(properties)) {
        document(&mut text, depth + 1, property);
        let optional = if required.iter().any(|known| known.as_str() == Some(name)) { "" } else { "?" };
        line(&mut text, depth + 1, &format!("{}{optional}: {};", key(name), type_of(property, depth + 1)));
    }
    text.push_str(&"    ".repeat(depth));
    text.push('}');
    match others {
        Some(others) => format!("{text} & {others}"),
        None => text,
    }
}

/// Returns the target of a `$ref`: `components["schemas"]["Time"]`.
fn reference_type(schema: &Value) -> Option<String> {
    let steps = schema.get("$ref")?.as_str()?.strip_prefix("#/components/")?;
    let (section, name) = steps.split_once('/')?;
    Some(format!("components[{}][{}]", quote(section), quote(name)))
}

fn schema_of(value: &Value) -> &Value {
    value.get("schema").unwrap_or(&Value::Null)
}

fn is_required(value: &Value) -> bool {
    value.get("required") == Some(&Value::Bool(true))
}

/// Writes a comment with the contract's description.
fn document(file: &mut String, depth: usize, of: &Value) {
    let mut lines: Vec<&str> =
        [text_at(of, "/summary"), text_at(of, "/description")].into_iter().flat_map(str::lines).collect();
    if of.get("deprecated") == Some(&Value::Bool(true)) {
        lines.push("@deprecated");
    }
    match lines.as_slice() {
        [] => {}
        [only] => line(file, depth, &format!("/** {} */", escape_comment(only))),
        lines => {
            line(file, depth, "/**");
            lines.iter().for_each(|text| line(file, depth, format!(" * {}", escape_comment(text)).trim_end()));
            line(file, depth, " */");
        }
    }
}

/// Escapes a text so that it does not end the comment around it.
fn escape_comment(text: &str) -> String {
    text.replace("*/", "*\\/")
}

fn line(file: &mut String, depth: usize, text: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(file, "{}{text}", "    ".repeat(depth));
}

fn quote(name: &str) -> String {
    Value::from(name).to_string()
}

/// Returns a name as a type's key, quoted only if necessary.
fn key(name: &str) -> String {
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_plain { name.to_owned() } else { quote(name) }
}
