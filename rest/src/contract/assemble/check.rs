//! Checks of each contract piece, and of all pieces together.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{OperationPiece, rules};
use crate::contract::problem::Problem;

const ASSEMBLED: &str = "contract/openapi.yaml";

/// Checks one operation as written: its name, access, summary, parameters, responses and extensions.
pub(super) fn check_operation(promise: &OperationPiece, root: &Map<String, Value>, problems: &mut Vec<Problem>) {
    let mut found = Vec::new();
    check_name(promise, &mut found);
    check_access(promise, root, &mut found);
    check_path_parameters(promise, &mut found);
    check_responses(promise, &mut found);
    check_marks(promise, &mut found);
    problems.extend(found.into_iter().map(|what| promise.problem(what)));
}

fn check_name(promise: &OperationPiece, found: &mut Vec<String>) {
    let prefix = format!("{}_{}_", promise.group, promise.resource);
    match promise.operation.get("operationId").and_then(Value::as_str) {
        None => found.push("has no operationId".to_owned()),
        Some(id) => {
            let plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
            if !id.chars().all(plain) {
                found.push("an operationId may contain only lower-case letters, digits and _".to_owned());
            }
            if id.strip_prefix(&prefix).is_none_or(str::is_empty) {
                found.push(format!(
                    "in this file, an operationId must begin with `{prefix}`: rename it, or move the operation"
                ));
            }
        }
    }
    if !promise.path.starts_with('/') {
        found.push(format!("the path {} must start with /", promise.path));
    }
    let summary = promise.operation.get("summary").and_then(Value::as_str);
    if summary.is_none_or(|summary| summary.trim().is_empty()) {
        found.push("has no summary".to_owned());
    }
    for key in ["tags", "x-resource"] {
        if promise.operation.contains_key(key) {
            found.push(format!("`{key}` is derived from the path of the file: remove it"));
        }
    }
}

/// Checks `security: []`, `[{labs: []}]` or `[{labs: [scope]}]`; `x-check_access` is allowed only with the first.
fn check_access(promise: &OperationPiece, root: &Map<String, Value>, found: &mut Vec<String>) {
    let Some(security) = promise.operation.get("security").and_then(Value::as_array) else {
        found.push(
            "declares no access: write `security: []`, `security: [{labs: []}]` or `security: [{labs: [scope]}]`"
                .to_owned(),
        );
        return;
    };
    if let Some(other) = promise.operation.get("x-access") {
        if !matches!(other.as_str(), Some("cookie" | "client")) {
            found.push("`x-access` must be `cookie` or `client`".to_owned());
        }
        if !security.is_empty() {
            found.push("`x-access` is allowed only together with `security: []`".to_owned());
        }
    }
    let Some(requirement) = security.first() else {
        return;
    };
    let scopes = requirement.get("labs").and_then(Value::as_array);
    let one_scheme = requirement.as_object().is_some_and(|map| map.len() == 1);
    match scopes {
        Some(scopes) if security.len() == 1 && one_scheme && scopes.len() <= 1 => {}
        _ => {
            found.push("`security` must name the scheme `labs` with at most one scope".to_owned());
            return;
        }
    }
    let known = Value::Object(root.clone());
    let known = known.pointer("/components/securitySchemes/labs/flows/password/scopes");
    if let Some(scope) = rules::scope_of(&promise.operation)
        && !scope.is_empty()
        && known.and_then(|scopes| scopes.get(scope)).is_none()
    {
        found.push(format!("the scope {scope} is not listed in the security scheme in contract/root.yaml"));
    }
}

/// Checks that the parameters in the path's braces are the declared ones with `in: path`.
fn check_path_parameters(promise: &OperationPiece, found: &mut Vec<String>) {
    let in_template: BTreeSet<&str> =
        promise.path.split('{').skip(1).filter_map(|part| part.split('}').next()).collect();
    let parameters = promise.operation.get("parameters").and_then(Value::as_array);
    let mut names = BTreeSet::new();
    for parameter in parameters.into_iter().flatten() {
        let Some(name) = parameter.get("name").and_then(Value::as_str) else {
            continue;
        };
        let place = parameter.get("in").and_then(Value::as_str).unwrap_or_default();
        if !names.insert((place, name)) {
            found.push(format!("the {place} parameter {name} is declared twice"));
        }
        if place == "path" && !in_template.contains(name) {
            found.push(format!("the path has no {{{name}}}: remove the parameter"));
        }
        if place == "path" && parameter.get("required") != Some(&Value::Bool(true)) {
            found.push(format!("the path parameter {name} must have `required: true`"));
        }
    }
}

fn check_responses(promise: &OperationPiece, found: &mut Vec<String>) {
    let Some(responses) = promise.operation.get("responses").and_then(Value::as_object) else {
        found.push("has no responses: add the successful one".to_owned());
        return;
    };
    let mut successes = 0;
    for (status, response) in responses {
        let Some(code) = status.parse::<u16>().ok().filter(|code| (200..600).contains(code)) else {
            found.push(format!("`{status}` is not a status: write a number from 200 to 599"));
            continue;
        };
        let reference = response.get("$ref").is_some();
        if (200..300).contains(&code) {
            successes += 1;
            if reference {
                found.push(format!("define the {status} response inline: its headers differ by operation"));
            }
        }
        if !reference && response.get("description").and_then(Value::as_str).is_none() {
            found.push(format!("the {status} response has no description"));
        }
        if code >= 400 && !reference && response.get("x-codes").is_none() {
            found.push(format!("the {status} response has no `x-codes`"));
        }
    }
    if successes == 0 {
        found.push("declares no successful response: add a 2xx response".to_owned());
    }
}

fn check_marks(promise: &OperationPiece, found: &mut Vec<String>) {
    if let Some(list) = promise.operation.get("x-list") {
        if promise.method != "get" {
            found.push("`x-list` is allowed only on a GET".to_owned());
        }
        if *list != Value::Bool(true) && list.as_str() != Some("staff") {
            found.push("`x-list` must be `true` or `staff`".to_owned());
        }
    }
    if promise.operation.contains_key("x-followable") && !promise.operation.contains_key("x-list") {
        found.push("`x-followable` is allowed only with `x-list`".to_owned());
    }
    if let Some(idempotency) = promise.operation.get("x-idempotency") {
        if promise.method != "post" {
            found.push("`x-idempotency` is allowed only on a POST: other methods take no idempotency key".to_owned());
        }
        if idempotency.as_str() != Some("none") {
            found.push("`x-idempotency` must be `none` or absent".to_owned());
        }
    }
}

/// Checks that every `$ref` names a component and that every component is used.
pub(super) fn check_references(document: &Value, problems: &mut Vec<Problem>) {
    let mut waiting = Vec::new();
    if let Some(paths) = document.get("paths") {
        collect(paths, &mut waiting);
    }
    let mut seen = BTreeSet::new();
    while let Some(reference) = waiting.pop() {
        if !seen.insert(reference) {
            continue;
        }
        let pointer = reference.strip_prefix('#').unwrap_or_default();
        let target = pointer.strip_prefix("/components/").and_then(|_| document.pointer(pointer));
        match target {
            Some(target) => collect(target, &mut waiting),
            None => problems.push(Problem::new(
                "contract/components",
                reference,
                "a $ref names this component, but no components file defines it",
            )),
        }
    }
    let sections = document.get("components").and_then(Value::as_object);
    for (section, entries) in sections.into_iter().flatten() {
        if section == "securitySchemes" {
            continue;
        }
        for name in entries.as_object().into_iter().flat_map(Map::keys) {
            if !seen.contains(format!("#/components/{section}/{name}").as_str()) {
                problems.push(Problem::new(
                    "contract/components",
                    format!("{section}/{name}"),
                    "no operation uses this component: remove it",
                ));
            }
        }
    }
}

/// Collects all `$ref`s in a value, except in examples, which are data.
fn collect<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match (key.as_str(), value) {
                    ("$ref", Value::String(reference)) => found.push(reference),
                    ("properties", Value::Object(properties)) => {
                        properties.values().for_each(|value| collect(value, found));
                    }
                    ("example" | "default" | "const" | "enum", _) => {}
                    _ => collect(value, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// Checks `x-codes` against the schema `ProblemCode`, and path parameters against the template, after the references
/// were checked.
pub(super) fn check_codes(document: &Value, promises: &[OperationPiece], problems: &mut Vec<Problem>) {
    let known = document.pointer("/components/schemas/ProblemCode/enum").and_then(Value::as_array);
    for promise in promises {
        let pointer = format!("/paths/{}/{}", promise.path.replace('~', "~0").replace('/', "~1"), promise.method);
        let Some(operation) = document.pointer(&pointer) else {
            continue;
        };
        missing_path_parameters(document, operation, promise, problems);
        let responses = operation.get("responses").and_then(Value::as_object);
        for (status, response) in responses.into_iter().flatten() {
            let codes = response.get("x-codes").and_then(Value::as_array);
            for code in codes.into_iter().flatten() {
                if known.is_some_and(|known| !known.contains(code)) {
                    problems.push(promise.problem(format!(
                        "the {status} response names the code {code}, which is missing from the schema ProblemCode"
                    )));
                }
            }
        }
    }
    if document.pointer("/info/version").is_none() {
        problems.push(Problem::new(ASSEMBLED, "info", "has no version"));
    }
}

fn missing_path_parameters(document: &Value, operation: &Value, promise: &OperationPiece, problems: &mut Vec<Problem>) {
    let parameters = operation.get("parameters").and_then(Value::as_array);
    let declared: BTreeSet<&str> = parameters
        .into_iter()
        .flatten()
        .map(|parameter| crate::contract::resolve(document, parameter))
        .filter(|parameter| parameter.get("in").and_then(Value::as_str) == Some("path"))
        .filter_map(|parameter| parameter.get("name").and_then(Value::as_str))
        .collect();
    for name in promise.path.split('{').skip(1) {
        let name = name.split('}').next().unwrap_or_default();
        if !declared.contains(name) {
            problems.push(promise.problem(format!("declares no path parameter {name}")));
        }
    }
}
