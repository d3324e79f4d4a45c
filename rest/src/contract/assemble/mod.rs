//! Assembles the contract. It is written in pieces (`contract/root.yaml`, `paths/`, `components/`) and assembled into
//! one file that is committed, embedded and served (docs/decisions/contract.md). A piece contains only decisions of its
//! authors; this module adds everything that follows from a rule.

mod agentic;
mod check;
mod described;
mod overlay;
mod patterns;
mod pieces;
mod rules;
mod schemas;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Map, Value, json};

use super::problem::Problem;
use super::{Contract, GROUPS, yaml};
use described::SdlTypes;
use pieces::{Pieces, SECTIONS};
use rules::Traits;
pub(super) use rules::is_staff_scope;

/// The first line of the assembled file.
const HEAD: &str = "# Generated from the files in this folder. Edit those, then run `make accept`.\n";

/// Methods that a path item may have. The order has no meaning: operations stay in the written order.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The assembled contract.
pub struct Assembled {
    /// OpenAPI 3.1 as a JSON value, keys in the order of the file.
    pub document: Value,
    /// Content of `contract/openapi.yaml`, ending in a newline; deterministic.
    pub yaml: String,
}

/// Assembles the pieces in `dir` (the repository's `contract/`). Schemas are completed with the descriptions of the
/// types in `sdl`, the schema's SDL.
///
/// # Errors
/// All problems of the pieces, each with file and place: unreadable SDL or YAML, duplicate keys, operation ids or
/// components, patterns without a message, dangling references, unused components, ids that do not begin with their
/// group and resource, operations without access, summary or success, examples that do not fit their schemas.
pub fn assemble(dir: &Path, sdl: &str) -> Result<Assembled, Vec<Problem>> {
    let mut problems = Vec::new();
    let descriptions = SdlTypes::read(sdl).map_err(|error| vec![Problem::new("schema/schema.graphql", "", error)])?;
    let mut pieces = pieces::read(dir, &mut problems);
    let sentences = std::mem::take(&mut pieces.patterns);
    let promises = promises(&pieces, &mut problems);
    for promise in &promises {
        check::check_operation(promise, &pieces.root, &mut problems);
        let mut found = Vec::new();
        agentic::check(promise, &descriptions, &mut found);
        problems.extend(found.into_iter().map(|what| promise.problem(what)));
    }
    let mut document = document(pieces, &promises, &descriptions, &mut problems);
    if problems.is_empty() {
        check::check_references(&document, &mut problems);
    }
    if problems.is_empty() {
        check::check_codes(&document, &promises, &mut problems);
        schemas::check_schemas(&document, &mut problems);
    }
    if problems.is_empty() {
        patterns::explain(&mut document, &sentences, &mut problems);
    }
    if !problems.is_empty() {
        problems.sort();
        return Err(problems);
    }
    let text = yaml::write(&document).map_err(|error| vec![Problem::new("contract/openapi.yaml", "", error)])?;
    let yaml = format!("{HEAD}{text}");
    let problems = Contract::from_yaml(&yaml)?.problems_of_examples();
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Assembled { document, yaml })
}

/// One operation as written in its piece.
struct OperationPiece {
    file: String,
    group: String,
    resource: String,
    path: String,
    method: String,
    /// The operation, with the path item's parameters before its own.
    operation: Map<String, Value>,
}

impl OperationPiece {
    /// Returns the name of this operation in problems.
    fn place(&self) -> String {
        match self.operation.get("operationId").and_then(Value::as_str) {
            Some(id) => id.to_owned(),
            None => format!("{} {}", self.method, self.path),
        }
    }

    fn problem(&self, what: impl Into<String>) -> Problem {
        Problem::new(&self.file, self.place(), what)
    }
}

/// Returns all operations in the order of the assembled file.
fn promises(pieces: &Pieces, problems: &mut Vec<Problem>) -> Vec<OperationPiece> {
    let mut promises = Vec::new();
    for piece in &pieces.paths {
        for (path, item) in &piece.items {
            let Some(item) = item.as_object() else {
                problems.push(Problem::new(&piece.file, path, "must be a path item"));
                continue;
            };
            let shared = item.get("parameters").and_then(Value::as_array);
            for (method, operation) in item {
                if method == "parameters" {
                    continue;
                }
                match operation.as_object() {
                    Some(operation) if METHODS.contains(&method.as_str()) => {
                        promises.push(OperationPiece {
                            file: piece.file.clone(),
                            group: piece.group.clone(),
                            resource: piece.resource.clone(),
                            path: path.clone(),
                            method: method.clone(),
                            operation: with_shared(operation.clone(), shared),
                        });
                    }
                    _ => problems.push(Problem::new(
                        &piece.file,
                        path,
                        format!("`{method}` is not an operation; a path item has {METHODS:?} and `parameters`"),
                    )),
                }
            }
        }
    }
    refuse_duplicate(&promises, problems);
    promises
}

fn with_shared(mut operation: Map<String, Value>, shared: Option<&Vec<Value>>) -> Map<String, Value> {
    if let Some(shared) = shared {
        let mut parameters = shared.clone();
        if let Some(Value::Array(own)) = operation.remove("parameters") {
            parameters.extend(own);
        }
        operation.insert("parameters".to_owned(), Value::Array(parameters));
    }
    operation
}

fn refuse_duplicate(promises: &[OperationPiece], problems: &mut Vec<Problem>) {
    let mut addresses = BTreeMap::new();
    let mut ids = BTreeMap::new();
    for promise in promises {
        let address = (&promise.path, &promise.method);
        if let Some(first) = addresses.insert(address, &promise.file) {
            let (path, method) = address;
            problems.push(promise.problem(format!("{method} {path} is also defined in {first}")));
        }
        if let Some(id) = promise.operation.get("operationId").and_then(Value::as_str)
            && let Some(first) = ids.insert(id, &promise.file)
        {
            problems.push(promise.problem(format!("this operationId is also defined in {first}")));
        }
    }
}

fn document(
    pieces: Pieces,
    promises: &[OperationPiece],
    descriptions: &SdlTypes,
    problems: &mut Vec<Problem>,
) -> Value {
    let single_gets = single_gets(promises);
    let mut paths = Map::new();
    for promise in promises {
        let traits = traits_of(promise, &single_gets);
        let operation = rules::complete(&promise.group, &promise.resource, &traits, promise.operation.clone());
        let item = paths.entry(promise.path.as_str()).or_insert_with(|| json!({}));
        if let Some(item) = item.as_object_mut() {
            item.insert(promise.method.clone(), Value::Object(operation));
        }
    }
    let mut root = pieces.root;
    let written = match root.shift_remove("components") {
        Some(Value::Object(components)) => components,
        _ => Map::new(),
    };
    let mut components = merged(pieces.components, written, problems);
    overlay::complete(&mut components, descriptions, problems);
    complete_responses(&mut components, &paths);
    count(&mut root, promises, problems);
    root.insert("paths".to_owned(), Value::Object(paths));
    root.insert("components".to_owned(), Value::Object(components));
    let mut document = Value::Object(root);
    agentic::mark(&mut document, promises, descriptions);
    document
}

fn traits_of(promise: &OperationPiece, single_gets: &BTreeSet<String>) -> Traits {
    Traits::of(&promise.method, &promise.path, &promise.operation, single_gets)
}

/// Returns the paths whose GET returns one JSON resource.
fn single_gets(promises: &[OperationPiece]) -> BTreeSet<String> {
    let none = BTreeSet::new();
    promises
        .iter()
        .filter(|promise| traits_of(promise, &none).is_single_get())
        .map(|promise| promise.path.clone())
        .collect()
}

/// Merges the components of all files by section; those in `root.yaml` (security schemes) come last.
fn merged(
    components: Vec<pieces::Component>,
    written: Map<String, Value>,
    problems: &mut Vec<Problem>,
) -> Map<String, Value> {
    let mut sections: Map<String, Value> = Map::new();
    for section in SECTIONS {
        sections.insert(section.to_owned(), json!({}));
    }
    let mut files: BTreeMap<(String, String), String> = BTreeMap::new();
    for component in components {
        let key = (component.section, component.name);
        if let Some(first) = files.get(&key) {
            let what = format!("a component of this name is also defined in {first}");
            let place = format!("{}/{}", key.0, key.1);
            problems.push(Problem::new(component.file, place, what));
            continue;
        }
        if let Some(section) = sections.get_mut(&key.0).and_then(Value::as_object_mut) {
            section.insert(key.1.clone(), component.value);
        }
        files.insert(key, component.file);
    }
    sections.retain(|_, section| section.as_object().is_some_and(|map| !map.is_empty()));
    for (section, value) in written {
        if sections.contains_key(&section) {
            let what = "is defined in components/ and in root.yaml: keep it in components/";
            problems.push(Problem::new("contract/root.yaml", section, what));
        } else {
            sections.insert(section, value);
        }
    }
    sections
}

/// Adds headers to component responses, depending on the statuses under which operations use them.
fn complete_responses(components: &mut Map<String, Value>, paths: &Map<String, Value>) {
    let mut used: BTreeMap<&str, BTreeSet<u16>> = BTreeMap::new();
    let operations = paths.values().filter_map(Value::as_object).flat_map(Map::values);
    for responses in operations.filter_map(|operation| operation.get("responses")?.as_object()) {
        for (status, response) in responses {
            let name = response
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|reference| reference.strip_prefix("#/components/responses/"));
            if let (Some(name), Ok(status)) = (name, status.parse()) {
                used.entry(name).or_default().insert(status);
            }
        }
    }
    if let Some(responses) = components.get_mut("responses").and_then(Value::as_object_mut) {
        for (name, response) in responses {
            if let Some(statuses) = used.get(name.as_str()) {
                rules::complete_component(response, statuses);
            }
        }
    }
}

/// Writes `info.x-operations`: the number of operations per group and in total.
fn count(root: &mut Map<String, Value>, promises: &[OperationPiece], problems: &mut Vec<Problem>) {
    let Some(info) = root.get_mut("info").and_then(Value::as_object_mut) else {
        let what = "has no `info`: add it with title and version";
        problems.push(Problem::new("contract/root.yaml", "", what));
        return;
    };
    let mut counts = Map::new();
    for group in GROUPS {
        let number = promises.iter().filter(|promise| promise.group == group);
        counts.insert(group.to_owned(), json!(number.count()));
    }
    counts.insert("total".to_owned(), json!(promises.len()));
    info.insert("x-operations".to_owned(), Value::Object(counts));
}
