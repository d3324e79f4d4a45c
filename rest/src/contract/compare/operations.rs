//! Compares operations: existence, path, access, parameters and responses.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::schemas::{self, resolve};
use super::{Change, Comparison, ContractLocation, Direction};

struct Operation<'d> {
    method: &'d str,
    path: &'d str,
    /// Parameters of the path and of the operation.
    parameters: BTreeMap<(String, String), &'d Value>,
    body: &'d Value,
}

/// Methods of `OpenAPI`.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Returns the operations of a document by id.
fn operations(document: &Value) -> BTreeMap<&str, Operation<'_>> {
    let mut all = BTreeMap::new();
    for (path, item) in members(&document["paths"]) {
        for (method, body) in members(item).filter(|(method, _)| METHODS.contains(&method.as_str())) {
            let Some(id) = body["operationId"].as_str() else { continue };
            let listed = entries(&item["parameters"]).chain(entries(&body["parameters"]));
            let parameters = listed.map(|parameter| resolve(document, parameter).0).map(|parameter| {
                let text = |key: &str| parameter[key].as_str().unwrap_or_default().to_owned();
                ((text("in"), text("name")), parameter)
            });
            let parameters = parameters.collect();
            all.insert(id, Operation { method, path, parameters, body });
        }
    }
    all
}

/// Compares the operations of both documents.
pub(super) fn compare(comparison: &mut Comparison<'_>) {
    let (former, present) = (operations(comparison.former), operations(comparison.present));
    for (id, before) in &former {
        match present.get(id) {
            Some(now) => compare_operation(comparison, id, before, now),
            None => comparison.note(id, id, Change::Removed, true, "The operation was removed."),
        }
    }
    for id in present.keys().filter(|id| !former.contains_key(*id)) {
        comparison.note(id, id, Change::Added, false, "The operation was added.");
    }
}

fn compare_operation(comparison: &mut Comparison<'_>, id: &str, before: &Operation<'_>, now: &Operation<'_>) {
    if (before.method, before.path) != (now.method, now.path) {
        let from = format!("{} {}", before.method.to_uppercase(), before.path);
        let to = format!("{} {}", now.method.to_uppercase(), now.path);
        comparison.note(id, id, Change::Changed, true, format!("It moved from {from} to {to}."));
    }
    if before.body["deprecated"] != Value::Bool(true) && now.body["deprecated"] == Value::Bool(true) {
        comparison.note(id, id, Change::Changed, false, "It is deprecated.");
    }
    compare_access(comparison, id, before.body, now.body);
    compare_parameters(comparison, id, before, now);
    compare_bodies(comparison, id, &before.body["requestBody"], &now.body["requestBody"]);
    compare_responses(comparison, id, &before.body["responses"], &now.body["responses"]);
}

/// Returns the scopes of each alternative. An empty set means public access.
fn access(document: &Value, body: &Value) -> BTreeSet<String> {
    let security = if body["security"].is_array() { &body["security"] } else { &document["security"] };
    let alternatives = entries(security).flat_map(|alternative| members(alternative).collect::<Vec<_>>());
    let scopes = alternatives.flat_map(|(_, scopes)| {
        let scopes: Vec<String> = entries(scopes).filter_map(|scope| scope.as_str().map(str::to_owned)).collect();
        if scopes.is_empty() { vec![String::new()] } else { scopes }
    });
    scopes.filter(|scope| !scope.is_empty() || security.as_array().is_some_and(|all| all.len() == 1)).collect()
}

/// Whether a scope grants access that needs the other one: a scope grants itself, its sub-scopes, and with `:write` the
/// scope without it. Any token grants access that needs no scope.
fn grants(held: &str, needed: &str) -> bool {
    let (held_name, held_write) = split(held);
    let (needed_name, needed_write) = split(needed);
    let reaches =
        held_name == needed_name || needed_name.strip_prefix(held_name).is_some_and(|rest| rest.starts_with('.'));
    needed.is_empty() || (!held.is_empty() && reaches && (held_write || !needed_write))
}

fn split(scope: &str) -> (&str, bool) {
    scope.strip_suffix(":write").map_or((scope, false), |name| (name, true))
}

fn compare_access(comparison: &mut Comparison<'_>, id: &str, before: &Value, now: &Value) {
    let (held, needed) = (access(comparison.former, before), access(comparison.present, now));
    if held == needed {
        return;
    }
    let stays_open = needed.is_empty()
        || (!held.is_empty() && held.iter().all(|held| needed.iter().any(|needed| grants(held, needed))));
    let say = |scopes: &BTreeSet<String>| match scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" or ") {
        all if scopes.is_empty() && all.is_empty() => "nothing".to_owned(),
        any if any.is_empty() => "any token".to_owned(),
        scopes => scopes,
    };
    let text = format!("It required {} and now requires {}.", say(&held), say(&needed));
    comparison.note(id, id, Change::Changed, !stays_open, text);
}

fn compare_parameters(comparison: &mut Comparison<'_>, id: &str, before: &Operation<'_>, now: &Operation<'_>) {
    let is_required = |parameter: &Value| parameter["required"] == Value::Bool(true);
    for ((place, name), parameter) in &before.parameters {
        let at = format!("{id}:{place}/{name}");
        let Some(present) = now.parameters.get(&(place.clone(), name.clone())) else {
            comparison.note(id, &at, Change::Removed, true, format!("The {place} parameter `{name}` was removed."));
            continue;
        };
        match (is_required(parameter), is_required(present)) {
            (false, true) => comparison.note(id, &at, Change::Changed, true, "It is now required."),
            (true, false) => comparison.note(id, &at, Change::Changed, false, "It is not required any more."),
            _ => {}
        }
        let mut visited = HashSet::new();
        let mut place = ContractLocation { operation: id, direction: Direction::In, at, visited: &mut visited };
        schemas::compare(comparison, &mut place, &parameter["schema"], &present["schema"]);
    }
    for ((place, name), parameter) in &now.parameters {
        if !before.parameters.contains_key(&(place.clone(), name.clone())) {
            let text = format!("The {place} parameter `{name}` was added.");
            comparison.note(id, &format!("{id}:{place}/{name}"), Change::Added, is_required(parameter), text);
        }
    }
}

fn compare_bodies(comparison: &mut Comparison<'_>, id: &str, before: &Value, now: &Value) {
    let (before, now) = (resolve(comparison.former, before).0, resolve(comparison.present, now).0);
    let at = format!("{id}:body");
    let is_required = |body: &Value| body["required"] == Value::Bool(true);
    match (before.is_null(), now.is_null()) {
        (true, true) => {}
        (true, false) => comparison.note(id, &at, Change::Added, is_required(now), "It now takes a body."),
        (false, true) => comparison.note(id, &at, Change::Removed, true, "It no longer takes a body."),
        (false, false) => {
            match (is_required(before), is_required(now)) {
                (false, true) => comparison.note(id, &at, Change::Changed, true, "The body is now required."),
                (true, false) => comparison.note(id, &at, Change::Changed, false, "The body is not required any more."),
                _ => {}
            }
            compare_contents(comparison, id, Direction::In, &at, &before["content"], &now["content"]);
        }
    }
}

/// Compares the contents of each media type.
fn compare_contents(
    comparison: &mut Comparison<'_>,
    id: &str,
    direction: Direction,
    at: &str,
    before: &Value,
    now: &Value,
) {
    for (media_type, content) in members(before) {
        let Some(present) = now.get(media_type) else {
            comparison.note(id, at, Change::Removed, true, format!("The media type {media_type} was removed."));
            continue;
        };
        let mut visited = HashSet::new();
        let mut place = ContractLocation { operation: id, direction, at: at.to_owned(), visited: &mut visited };
        schemas::compare(comparison, &mut place, &content["schema"], &present["schema"]);
    }
    for (media_type, _) in members(now).filter(|(media_type, _)| before.get(media_type.as_str()).is_none()) {
        comparison.note(id, at, Change::Added, false, format!("The media type {media_type} was added."));
    }
}

fn compare_responses(comparison: &mut Comparison<'_>, id: &str, before: &Value, now: &Value) {
    for (status, response) in members(before) {
        let at = format!("{id}:{status}");
        let Some(present) = now.get(status) else {
            // Clients rely on successful responses, not on errors.
            let breaking = !status.starts_with(['4', '5']);
            comparison.note(id, &at, Change::Removed, breaking, format!("It no longer returns {status}."));
            continue;
        };
        let (response, present) = (resolve(comparison.former, response).0, resolve(comparison.present, present).0);
        compare_codes(comparison, id, &at, response, present);
        for (name, _) in
            members(&response["headers"]).filter(|(name, _)| present["headers"].get(name.as_str()).is_none())
        {
            comparison.note(id, &at, Change::Removed, true, format!("The header {name} was removed."));
        }
        for (name, _) in
            members(&present["headers"]).filter(|(name, _)| response["headers"].get(name.as_str()).is_none())
        {
            comparison.note(id, &at, Change::Added, false, format!("The header {name} was added."));
        }
        compare_contents(comparison, id, Direction::Out, &at, &response["content"], &present["content"]);
    }
    for (status, _) in members(now).filter(|(status, _)| before.get(status.as_str()).is_none()) {
        comparison.note(id, &format!("{id}:{status}"), Change::Added, false, format!("It can now return {status}."));
    }
}

/// Compares the error codes. A new code counts like a new value of an enumeration.
fn compare_codes(comparison: &mut Comparison<'_>, id: &str, at: &str, before: &Value, now: &Value) {
    let codes = |response: &Value| -> BTreeSet<String> {
        entries(&response["x-codes"]).filter_map(|code| code.as_str().map(str::to_owned)).collect()
    };
    let (before, now) = (codes(before), codes(now));
    for code in now.difference(&before) {
        comparison.note(id, at, Change::Added, false, format!("It can now return the code {code}."));
    }
    for code in before.difference(&now) {
        comparison.note(id, at, Change::Removed, false, format!("It no longer returns the code {code}."));
    }
}

/// Returns the members of an object; none for any other value.
pub(super) fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// Returns the entries of an array; none for any other value.
pub(super) fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
