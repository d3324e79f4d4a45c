//! Adds the changelog to the contract's text: entries at the operations that they name (`x-changelog`, and a sentence
//! in the description), and a mark at every deprecated element: OpenAPI's `deprecated`, and `x-deprecation` with the
//! sunset, and with the replacement and the changelog entry once an editor has released the entry. OpenAPI has no
//! deprecated values, so `x-deprecated-values` names them.

use std::collections::BTreeMap;

use labs_core::deprecation::{AnnouncedDeprecations, Deprecation, DeprecationTarget, ReleasedEntry};
use serde_json::{Map, Value, json};

use crate::contract::yaml;

/// Path of changelog entries, below the base address.
pub(super) const ENTRY: &str = "/changelog/";

/// Returns the text with its marks. If it cannot be read or written, the text is returned unchanged; this never happens
/// for a built contract.
pub(crate) fn contract(text: &str, announced: &AnnouncedDeprecations) -> String {
    let marked = yaml::read(text).and_then(|mut contract| {
        for deprecation in &announced.deprecations {
            mark(&mut contract, deprecation);
        }
        enter(&mut contract, &announced.entries);
        yaml::write(&contract)
    });
    marked.unwrap_or_else(|error| {
        tracing::error!(error, "the deprecations cannot be written into the contract; it is served without them");
        text.to_owned()
    })
}

/// Adds the entries to each operation that they name.
fn enter(contract: &mut Value, entries: &[ReleasedEntry]) {
    let mut by_operation = BTreeMap::<&str, Vec<&ReleasedEntry>>::new();
    for entry in entries {
        for id in &entry.operations {
            by_operation.entry(id).or_default().push(entry);
        }
    }
    if by_operation.is_empty() {
        return;
    }
    let paths = contract.get_mut("paths").and_then(Value::as_object_mut);
    let methods =
        paths.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    for operation in methods.filter_map(Value::as_object_mut) {
        let id = operation.get("operationId").and_then(Value::as_str);
        let Some(announced) = id.and_then(|id| by_operation.get(id)) else { continue };
        let links =
            announced.iter().map(|entry| format!("[{}: {}]({ENTRY}{})", entry.version, entry.title, entry.slug));
        let sentence = format!("Changelog: {}", links.collect::<Vec<_>>().join(" · "));
        let description = operation.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = format!("{description}\n\n{sentence}").trim_start().to_owned();
        operation.insert("description".to_owned(), Value::String(description));
        let listed = announced.iter().map(|entry| {
            json!({ "version": entry.version, "title": entry.title, "entry": format!("{ENTRY}{}", entry.slug) })
        });
        operation.insert("x-changelog".to_owned(), listed.collect());
    }
}

fn mark(contract: &mut Value, deprecation: &Deprecation) {
    let released = deprecation.released.as_ref();
    let note = json!({
        "deprecated_at": deprecation.deprecated_at,
        "sunset_at": deprecation.sunset_at,
        "replacement": released.map(|released| &released.replacement),
        "changelog": released.map(|released| format!("{ENTRY}{}", released.entry_slug)),
    });
    match &deprecation.target {
        DeprecationTarget::Operation(id) => {
            if let Some(operation) = operation(contract, id) {
                say(operation, None, note);
            }
        }
        DeprecationTarget::Parameter { operation_id, name, value } => {
            let components = contract.pointer("/components/parameters").cloned().unwrap_or_default();
            let parameters = operation(contract, operation_id).and_then(|operation| operation.get_mut("parameters"));
            for parameter in parameters.and_then(Value::as_array_mut).into_iter().flatten() {
                // A parameter that several operations share is written inline in the operation where it is deprecated.
                if let Some(shared) = shared(parameter, &components) {
                    *parameter = shared;
                }
                if parameter["name"] == **name
                    && let Some(parameter) = parameter.as_object_mut()
                {
                    say(parameter, value.as_deref(), note.clone());
                }
            }
        }
        DeprecationTarget::Field { schema, name, value } => {
            if let Some(schema) = contract.pointer_mut(&format!("/components/schemas/{schema}")) {
                fields(schema, name, value.as_deref(), &note);
            }
        }
    }
}

fn operation<'c>(contract: &'c mut Value, id: &str) -> Option<&'c mut Map<String, Value>> {
    let paths = contract.get_mut("paths")?.as_object_mut()?;
    let methods = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    methods
        .filter_map(Value::as_object_mut)
        .find(|operation| operation.get("operationId").is_some_and(|known| known == id))
}

fn shared(parameter: &Value, components: &Value) -> Option<Value> {
    let name = parameter.get("$ref")?.as_str()?.rsplit('/').next()?;
    components.get(name).cloned()
}

/// Marks the fields of a schema, and of its parts.
fn fields(schema: &mut Value, name: &str, value: Option<&str>, note: &Value) {
    if let Some(field) =
        schema.pointer_mut("/properties").and_then(|all| all.get_mut(name)).and_then(Value::as_object_mut)
    {
        say(field, value, note.clone());
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        for inner in schema.get_mut(word).and_then(Value::as_array_mut).into_iter().flatten() {
            fields(inner, name, value, note);
        }
    }
}

/// Writes the mark of an element, or of one of its values.
fn say(marked: &mut Map<String, Value>, value: Option<&str>, note: Value) {
    match value {
        None => {
            marked.insert("deprecated".to_owned(), Value::Bool(true));
            marked.insert("x-deprecation".to_owned(), note);
        }
        Some(value) => {
            let values = marked.entry("x-deprecated-values").or_insert_with(|| json!({}));
            if let Some(values) = values.as_object_mut() {
                values.insert(value.to_owned(), note);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use labs_core::deprecation::ReleasedDeprecation;

    use super::*;

    const TEXT: &str = "paths:
  /a:
    get:
      operationId: a_list
      parameters:
      - $ref: '#/components/parameters/Limit'
      - name: sort
        in: query
    post:
      operationId: a_create
components:
  parameters:
    Limit:
      name: limit
      in: query
  schemas:
    A:
      properties:
        one: {type: string}
        two: {type: string}
      allOf:
      - properties:
          three: {type: string}
";

    fn with(target: DeprecationTarget) -> Value {
        let deprecation = Deprecation {
            uuid: uuid::Uuid::nil(),
            target,
            deprecated_at: "2026-01-01T00:00:00Z".parse().unwrap(),
            sunset_at: "2027-01-01T00:00:00Z".parse().unwrap(),
            released: Some(ReleasedDeprecation {
                replacement: "Nothing.".to_owned(),
                entry_slug: "it-goes".to_owned(),
            }),
        };
        let announced = AnnouncedDeprecations { deprecations: vec![Arc::new(deprecation)], entries: Vec::new() };
        yaml::read(&contract(TEXT, &announced)).unwrap()
    }

    #[test]
    fn changelog_entries_are_attached_to_their_operations() {
        let entry = |slug: &str| ReleasedEntry {
            slug: slug.to_owned(),
            title: format!("About {slug}"),
            version: "1.4.0".to_owned(),
            operations: vec!["a_create".to_owned(), "a_drop".to_owned()],
        };
        let announced = AnnouncedDeprecations { deprecations: Vec::new(), entries: vec![entry("two"), entry("one")] };
        let found = yaml::read(&contract(TEXT, &announced)).unwrap();
        let operation = &found["paths"]["/a"]["post"];
        assert_eq!(operation["x-changelog"][0]["entry"], "/changelog/two");
        let sentence = operation["description"].as_str().unwrap();
        assert!(sentence.starts_with("Changelog: [1.4.0: About two](") && sentence.contains(" · "), "{sentence}");
        assert!(found["paths"]["/a"]["get"].get("x-changelog").is_none());
    }

    #[test]
    fn each_deprecation_kind_marks_only_its_target() {
        let name = |text: &str| text.to_owned();
        let found = with(DeprecationTarget::Operation(name("a_list")));
        assert_eq!(found["paths"]["/a"]["get"]["deprecated"], true);
        assert_eq!(found["paths"]["/a"]["get"]["x-deprecation"]["changelog"], "/changelog/it-goes");
        assert_eq!(found["paths"]["/a"]["post"], yaml::read(TEXT).unwrap()["paths"]["/a"]["post"]);

        let limit = DeprecationTarget::Parameter { operation_id: name("a_list"), name: name("limit"), value: None };
        let found = with(limit);
        let parameters = &found["paths"]["/a"]["get"]["parameters"];
        assert_eq!((&parameters[0]["name"], &parameters[0]["deprecated"]), (&json!("limit"), &json!(true)));
        assert!(parameters[1].get("deprecated").is_none());
        assert!(found["components"]["parameters"]["Limit"].get("deprecated").is_none(), "others share it");

        let value = DeprecationTarget::Field { schema: name("A"), name: name("one"), value: Some(name("X")) };
        let found = with(value);
        assert!(found["components"]["schemas"]["A"]["properties"]["one"]["x-deprecated-values"]["X"].is_object());
        assert!(found["components"]["schemas"]["A"]["properties"]["one"].get("deprecated").is_none());
        let inner = with(DeprecationTarget::Field { schema: name("A"), name: name("three"), value: None });
        assert_eq!(inner["components"]["schemas"]["A"]["allOf"][0]["properties"]["three"]["deprecated"], true);
    }
}
