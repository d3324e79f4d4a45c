//! Derives `x-agentic-access`: what a call by an agent means. It follows from facts that the pieces and the schema
//! declare anyway; a piece adds only what no other fact shows (docs/decisions/agents.md#access-of-agents).

use serde_json::{Map, Value, json};

use super::described::SdlTypes;
use super::{OperationPiece, rules};
use crate::contract::{AgenticAccess, resolve};

/// Extension with the derived value.
pub(super) const AGENTIC_ACCESS: &str = "x-agentic-access";
/// Declares that no other operation undoes a write.
const IRREVERSIBLE: &str = "x-irreversible";
/// Declares that an operation sends an e-mail, at once or later.
const SENDS_MAIL: &str = "x-sends-mail";
/// Marks a field with a secret, for example the token of an e-mail. A password has `format: password`.
const SECRET: &str = "x-secret";
/// Code of an operation that requires a recent password.
const REAUTHENTICATION: &str = "REAUTHENTICATION_REQUIRED";
/// Maximum depth of the search for secrets.
const DEEPEST: usize = 8;

/// Adds the value to each operation of the document.
pub(super) fn mark(document: &mut Value, promises: &[OperationPiece], types: &SdlTypes) {
    let derived: Vec<AgenticAccess> = promises.iter().map(|promise| access_of(document, promise, types)).collect();
    for (promise, access) in promises.iter().zip(derived) {
        let item = document.get_mut("paths").and_then(|paths| paths.get_mut(&promise.path));
        if let Some(Value::Object(operation)) = item.and_then(|item| item.get_mut(&promise.method)) {
            operation.insert(AGENTIC_ACCESS.to_owned(), json!(access.name()));
            *operation = rules::in_order(std::mem::take(operation));
        }
    }
}

/// Checks the declared facts: only a write may have them, and none of them may repeat what follows from a rule.
pub(super) fn check(promise: &OperationPiece, types: &SdlTypes, found: &mut Vec<String>) {
    if promise.operation.contains_key(AGENTIC_ACCESS) {
        found.push(format!("`{AGENTIC_ACCESS}` is derived: remove it"));
    }
    for fact in [IRREVERSIBLE, SENDS_MAIL] {
        match promise.operation.get(fact) {
            None => {}
            Some(Value::Bool(true)) if !is_read(promise, types) => {}
            Some(Value::Bool(true)) => {
                found.push(format!("`{fact}` is allowed only on an operation that changes data"));
            }
            Some(_) => found.push(format!("`{fact}` must be `true` or absent")),
        }
    }
    if promise.operation.contains_key(IRREVERSIBLE) && promise.method == "delete" {
        found.push(format!("`{IRREVERSIBLE}` follows from the method DELETE: remove it, or add a PUT to the path"));
    }
}

fn access_of(document: &Value, promise: &OperationPiece, types: &SdlTypes) -> AgenticAccess {
    let pointer = format!("/paths/{}/{}", promise.path.replace('~', "~0").replace('/', "~1"), promise.method);
    let Some(Value::Object(operation)) = document.pointer(&pointer) else { return AgenticAccess::NeedsAPerson };
    if needs_person(document, operation) {
        AgenticAccess::NeedsAPerson
    } else if is_read(promise, types) {
        AgenticAccess::Read
    } else if operation.contains_key(IRREVERSIBLE) || is_final_delete(document, promise) {
        AgenticAccess::Irreversible
    } else if operation.contains_key(SENDS_MAIL) {
        AgenticAccess::SendsMail
    } else {
        AgenticAccess::ReversibleWrite
    }
}

/// Whether an operation changes no data: a GET, or a POST that a query answers.
fn is_read(promise: &OperationPiece, types: &SdlTypes) -> bool {
    promise.method == "get" || types.has_query(id_of(promise))
}

fn id_of(promise: &OperationPiece) -> &str {
    promise.operation.get("operationId").and_then(Value::as_str).unwrap_or_default()
}

/// Whether a DELETE is final: no PUT of the same path sets the resource again.
fn is_final_delete(document: &Value, promise: &OperationPiece) -> bool {
    let item = document.get("paths").and_then(|paths| paths.get(&promise.path));
    promise.method == "delete" && item.is_none_or(|item| item.get("put").is_none())
}

/// Whether an operation takes a secret that only a person or a program's configuration has, requires a recent password,
/// or returns a secret.
fn needs_person(document: &Value, operation: &Map<String, Value>) -> bool {
    if operation.contains_key("x-access") || operation.contains_key("x-client-credentials") {
        return true;
    }
    let bodies = operation.get("requestBody").into_iter();
    let responses = operation.get("responses").and_then(Value::as_object);
    let responses = responses.into_iter().flat_map(Map::values).map(|response| resolve(document, response));
    let requires_password = responses.clone().any(|response| {
        let codes = response.get("x-codes").and_then(Value::as_array);
        codes.is_some_and(|codes| codes.iter().any(|code| code == REAUTHENTICATION))
    });
    let media = bodies.map(|body| resolve(document, body)).chain(responses);
    let media = media.filter_map(|with| with.get("content")?.as_object()).flat_map(Map::values);
    requires_password || media.filter_map(|media| media.get("schema")).any(|schema| has_secret(document, schema, 0))
}

/// Whether a value with this schema may contain a secret.
fn has_secret(document: &Value, schema: &Value, depth: usize) -> bool {
    if depth > DEEPEST {
        return false;
    }
    let resolved = resolve(document, schema);
    let is_secret =
        |schema: &Value| schema.get(SECRET) == Some(&json!(true)) || schema.get("format") == Some(&json!("password"));
    let members = resolved.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
    let alternatives = ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|word| resolved.get(word)?.as_array());
    is_secret(schema)
        || is_secret(resolved)
        || members
            .chain(alternatives.flatten())
            .chain(resolved.get("items"))
            .any(|inner| has_secret(document, inner, depth + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the access of a POST with these additional members, and the problems of its declared facts.
    fn of(method: &str, more: Value, path_item: Value) -> (AgenticAccess, Vec<String>) {
        let types =
            SdlTypes::read("type Query { things_thing_ask: Int } type Mutation { things_thing_set: Int }").unwrap();
        let mut operation = json!({ "operationId": "things_thing_set", "responses": {} });
        operation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut item = path_item;
        item[method] = operation.clone();
        let document = json!({ "paths": { "/things": item }, "components": { "schemas": {
            "Key": { "type": "string", "x-secret": true },
        } } });
        let promise = OperationPiece {
            file: String::new(),
            group: String::new(),
            resource: String::new(),
            path: "/things".to_owned(),
            method: method.to_owned(),
            operation: operation.as_object().unwrap().clone(),
        };
        let mut found = Vec::new();
        check(&promise, &types, &mut found);
        (access_of(&document, &promise, &types), found)
    }

    fn access(method: &str, more: Value) -> AgenticAccess {
        of(method, more, json!({})).0
    }

    #[test]
    fn access_follows_from_method_query_and_declared_facts() {
        let marked = |mark: &str| json!({ mark: true });
        assert_eq!(access("get", json!({})), AgenticAccess::Read);
        assert_eq!(access("post", json!({ "operationId": "things_thing_ask" })), AgenticAccess::Read);
        assert_eq!(access("post", json!({})), AgenticAccess::ReversibleWrite);
        assert_eq!(access("post", marked(SENDS_MAIL)), AgenticAccess::SendsMail);
        assert_eq!(access("post", json!({ SENDS_MAIL: true, IRREVERSIBLE: true })), AgenticAccess::Irreversible);
        assert_eq!(access("delete", json!({})), AgenticAccess::Irreversible);
        assert_eq!(of("delete", json!({}), json!({ "put": {} })).0, AgenticAccess::ReversibleWrite);
    }

    #[test]
    fn secret_or_recent_password_needs_a_person() {
        let with = |schema: Value| json!({ "content": { "application/json": { "schema": schema } } });
        let key = json!({ "$ref": "#/components/schemas/Key" });
        let nested = json!({ "properties": { "a": { "items": { "oneOf": [key, { "type": "null" }] } } } });
        let password = json!({ "properties": { "p": { "format": "password" } } });
        for more in [
            json!({ "requestBody": with(password) }),
            json!({ "requestBody": with(nested.clone()) }),
            json!({ "responses": { "201": with(nested) } }),
            json!({ "responses": { "403": { "x-codes": ["FORBIDDEN", REAUTHENTICATION] } } }),
            json!({ "x-access": "cookie" }),
            json!({ "x-client-credentials": true }),
        ] {
            assert_eq!(access("post", more.clone()), AgenticAccess::NeedsAPerson, "{more}");
        }
    }

    #[test]
    fn facts_that_do_not_apply_are_reported() {
        let problems = |method: &str, more: Value| of(method, more, json!({})).1.join(" ");
        assert_eq!(problems("post", json!({ SENDS_MAIL: true })), "");
        assert!(problems("get", json!({ SENDS_MAIL: true })).contains("only on an operation that changes data"));
        assert!(problems("post", json!({ SENDS_MAIL: "yes" })).contains("must be `true`"));
        assert!(problems("delete", json!({ IRREVERSIBLE: true })).contains("follows from the method"));
        assert!(problems("post", json!({ AGENTIC_ACCESS: "read" })).contains("is derived"));
    }
}
