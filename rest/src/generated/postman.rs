//! Collection for Postman (format 2.1): a folder for each group, and in it a request for each operation.
//!
//! The user sets a value once: all requests take it from the variables of the collection. Some responses set them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::requests::{Body, Content, Field, Group, Parameter, Request, groups};
use super::{Versions, id_of, text_at};

const FORMAT: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
/// Script that gets a token for the machine client before a request if no valid one exists. Without a client id and
/// client secret, the token that the user entered is used.
const GET_TOKEN: &str = include_str!("token.js");
const SAVE_TOKEN: &str = include_str!("save_token.js");
const SAVE_PARTNER: &str = include_str!("save_partner.js");
/// Operations whose response sets variables of the collection, with the script that does it.
pub(super) const SCRIPTS: [(&str, &str); 4] = [
    ("auth_sessions_create", SAVE_TOKEN),
    ("auth_sessions_refresh", SAVE_TOKEN),
    ("auth_sessions_verify_mfa", SAVE_TOKEN),
    ("system_me_get", SAVE_PARTNER),
];

/// Returns the collection of all operations.
pub(super) fn collection(contract: &Value, base_url: &str, versions: &Versions<'_>) -> Value {
    let groups = groups(contract);
    let description = format!("{}\n\n{}", text_at(contract, "/info/description"), versions.sentence());
    json!({
        "info": {
            "_postman_id": id_of("postman"),
            "name": text_at(contract, "/info/title"),
            "description": description,
            "version": versions.contract,
            "schema": FORMAT,
        },
        "auth": { "type": "bearer", "bearer": [{ "key": "token", "value": "{{access_token}}", "type": "string" }] },
        "event": [event("prerequest", "token", GET_TOKEN)],
        "variable": variables(&groups, base_url),
        "item": groups.iter().map(folder).collect::<Vec<_>>(),
    })
}

/// Returns a script that Postman runs before (`prerequest`) or after (`test`) a request.
fn event(listen: &str, name: &str, script: &str) -> Value {
    let lines: Vec<&str> = script.lines().collect();
    let id = id_of(&format!("postman {name}"));
    json!({ "listen": listen, "script": { "id": id, "type": "text/javascript", "exec": lines } })
}

/// Returns the variables of the collection: address, credentials, and the path parameters.
fn variables(groups: &[Group<'_>], base_url: &str) -> Vec<Value> {
    let own = [("base_url", base_url), ("client_id", ""), ("client_secret", ""), ("access_token", "")];
    let mut of_paths = BTreeMap::new();
    for request in groups.iter().flat_map(|group| &group.requests) {
        for parameter in request.parameters_in("path").filter(|parameter| is_variable(request.path, parameter)) {
            of_paths.entry(parameter.name).or_insert_with(|| parameter.first());
        }
    }
    let all = own.into_iter().chain(of_paths);
    all.map(|(key, value)| json!({ "id": id_of(&format!("postman {key}")), "key": key, "value": value })).collect()
}

/// Whether a path parameter is a variable of the collection. An enumerated one belongs to its request, because each
/// path has its own values.
fn is_variable(path: &str, parameter: &Parameter<'_>) -> bool {
    !parameter.is_enumerated || is_before_verb(path, parameter.name)
}

/// Whether a path parameter is directly before a custom verb, where Postman has no request variables.
fn is_before_verb(path: &str, name: &str) -> bool {
    path.contains(&format!("{{{name}}}:"))
}

fn folder(group: &Group<'_>) -> Value {
    json!({
        "id": id_of(&format!("postman group {}", group.name)),
        "name": group.name,
        "description": group.description,
        "item": group.requests.iter().map(item).collect::<Vec<_>>(),
    })
}

fn item(request: &Request<'_>) -> Value {
    let mut made = Map::new();
    made.insert("method".to_owned(), json!(request.method));
    if !request.needs_token {
        made.insert("auth".to_owned(), json!({ "type": "noauth" }));
    }
    // The sending program sets a form's media type, with the boundary of its fields.
    let written = request.body.as_ref().filter(|body| !matches!(body.content, Content::Fields(_)));
    let media_type = written.map(|body| json!({ "key": "Content-Type", "value": body.media_type }));
    let sent = request.parameters_in("header").flat_map(pairs);
    made.insert("header".to_owned(), media_type.into_iter().chain(sent).collect());
    made.insert("url".to_owned(), url(request));
    if let Some(sent) = &request.body {
        made.insert("body".to_owned(), body(sent));
    }
    made.insert("description".to_owned(), json!(request.description));
    let scripts = SCRIPTS.iter().filter(|(id, _)| *id == request.id);
    let events: Vec<Value> = scripts.map(|(id, script)| event("test", &format!("after {id}"), script)).collect();
    json!({ "id": id_of(request.id), "name": request.name, "event": events, "request": made, "response": [] })
}

fn url(request: &Request<'_>) -> Value {
    let segments: Vec<String> = request.path.split('/').skip(1).map(segment).collect();
    let query: Vec<Value> = request.parameters_in("query").flat_map(pairs).collect();
    let in_segments = request.parameters_in("path").filter(|parameter| !is_before_verb(request.path, parameter.name));
    let variable: Vec<Value> = in_segments.map(|parameter| variable(request.path, parameter)).collect();
    let sent = query.iter().filter(|pair| pair.get("disabled").is_none());
    let sent: Vec<String> = sent.map(|pair| format!("{}={}", text_at(pair, "/key"), text_at(pair, "/value"))).collect();
    let mark = if sent.is_empty() { "" } else { "?" };
    json!({
        "raw": format!("{{{{base_url}}}}/{}{mark}{}", segments.join("/"), sent.join("&")),
        "host": ["{{base_url}}"],
        "path": segments,
        "query": query,
        "variable": variable,
    })
}

/// Returns a path variable of a request. Its value is the collection's variable of the same name, if there is one.
fn variable(path: &str, parameter: &Parameter<'_>) -> Value {
    let name = parameter.name;
    let value = if is_variable(path, parameter) { format!("{{{{{name}}}}}") } else { parameter.first().to_owned() };
    json!({ "key": name, "value": value, "description": parameter.description })
}

/// Converts a path segment to Postman's form: `:name`, or `{{name}}:verb`.
fn segment(segment: &str) -> String {
    match segment.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
        Some((name, "")) => format!(":{name}"),
        Some((name, verb)) => format!("{{{{{name}}}}}{verb}"),
        None => segment.to_owned(),
    }
}

/// Returns a query parameter or header, once per value; disabled if it is optional.
fn pairs<'p>(parameter: &'p Parameter<'_>) -> impl Iterator<Item = Value> + use<'p> {
    parameter.values.iter().map(|value| {
        let mut pair = json!({ "key": parameter.name, "value": value, "description": parameter.description });
        if let Some(fields) = pair.as_object_mut().filter(|_| !parameter.required) {
            fields.insert("disabled".to_owned(), Value::Bool(true));
        }
        pair
    })
}

fn body(body: &Body<'_>) -> Value {
    match &body.content {
        Content::Text(text) => json!({ "mode": "raw", "raw": text, "options": { "raw": { "language": "json" } } }),
        Content::File => json!({ "mode": "file", "file": { "src": null } }),
        Content::Fields(fields) => {
            let mode = if body.media_type == "multipart/form-data" { "formdata" } else { "urlencoded" };
            json!({ "mode": mode, mode: fields.iter().map(field).collect::<Vec<_>>() })
        }
    }
}

fn field(field: &Field<'_>) -> Value {
    match field.name {
        name if field.is_file => json!({ "key": name, "type": "file", "src": null }),
        name @ ("client_id" | "client_secret") => {
            json!({ "key": name, "type": "text", "value": format!("{{{{{name}}}}}") })
        }
        name => json!({ "key": name, "type": "text", "value": field.value }),
    }
}
