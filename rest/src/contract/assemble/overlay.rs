//! Completes the schemas of the components files with the descriptions of the types. A component with the name of a
//! type, or with `x-type`, contains only keywords that the type lacks or that replace a keyword of the type.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::described::{SchemaMaker, SdlTypes};
use crate::contract::problem::Problem;

/// Names the type of a component that has another name.
const TYPE: &str = "x-type";

/// Most entries on a page of a list: the maximum of the parameter `limit`.
const LONGEST_PAGE: u32 = 100;

/// Keywords of a component that is complete as written.
const COMPLETE: [&str; 3] = ["$ref", "allOf", "oneOf"];

/// Completes all schemas of `components`.
pub(super) fn complete(components: &mut Map<String, Value>, descriptions: &SdlTypes, problems: &mut Vec<Problem>) {
    let Some(Value::Object(schemas)) = components.get_mut("schemas") else { return };
    let written = std::mem::take(schemas);
    let types = types_of(&written, descriptions, problems);
    let mut by_type: BTreeMap<&str, &str> = types.iter().map(|(component, ty)| (*ty, *component)).collect();
    // A type's own name has precedence over `x-type`.
    by_type.extend(types.iter().filter(|(component, ty)| component == ty).map(|(component, ty)| (*ty, *component)));
    let maker = SchemaMaker::new(descriptions, by_type, &written);
    for (name, overlay) in &written {
        let is_complete = COMPLETE.iter().any(|keyword| overlay.get(keyword).is_some());
        let ty = types.get(name.as_str()).filter(|_| !is_complete);
        let described = ty.and_then(|ty| maker.schema(ty));
        let mut schema = match described {
            Some(described) => {
                let described = Value::Object(described);
                report_repetition(&described, overlay, name, problems);
                merge(described, overlay)
            }
            None => overlay.clone(),
        };
        if let Value::Object(schema) = &mut schema {
            schema.shift_remove(TYPE);
            limit_page(schema);
        }
        add_formats(&mut schema);
        schemas.insert(name.clone(), schema);
    }
}

/// Returns the type of each component that has one.
fn types_of<'a>(
    schemas: &'a Map<String, Value>,
    descriptions: &SdlTypes,
    problems: &mut Vec<Problem>,
) -> BTreeMap<&'a str, &'a str> {
    let mut types = BTreeMap::new();
    for (component, schema) in schemas {
        let named = schema.get(TYPE).and_then(Value::as_str);
        let ty = named.unwrap_or(component);
        if descriptions.describes(ty) {
            types.insert(component.as_str(), ty);
        } else if named.is_some() {
            problems.push(problem(component, format!("`{TYPE}` names {ty}, which is not an object or enumeration")));
        }
    }
    types
}

/// Returns the described schema with the keywords of its components file.
fn merge(described: Value, written: &Value) -> Value {
    let (Value::Object(mut schema), Value::Object(written)) = (described, written) else {
        return written.clone();
    };
    if replaces(&schema, written) {
        schema.retain(|keyword, _| keyword == "description");
    }
    for (keyword, value) in written {
        let merged = match (keyword.as_str(), schema.remove_entry(keyword)) {
            ("properties", Some((_, Value::Object(mut fields)))) => {
                for (name, field) in value.as_object().into_iter().flatten() {
                    let merged = fields.get_mut(name).map(Value::take);
                    fields.insert(name.clone(), merged.map_or_else(|| field.clone(), |merged| merge(merged, field)));
                }
                Value::Object(fields)
            }
            ("items", Some((_, items))) => merge(items, value),
            _ => value.clone(),
        };
        schema.insert(keyword.clone(), merged);
    }
    Value::Object(schema)
}

/// Whether the written keywords are another type of value, so that no keyword of the described one remains.
fn replaces(described: &Map<String, Value>, written: &Map<String, Value>) -> bool {
    if COMPLETE.iter().any(|keyword| written.contains_key(*keyword)) {
        return true;
    }
    let Some(ty) = written.get("type") else { return false };
    match described.get("type") {
        Some(before) => described.contains_key("properties") && before != ty,
        None => true,
    }
}

/// Reports each keyword that is written although the type says the same.
fn report_repetition(described: &Value, written: &Value, place: &str, problems: &mut Vec<Problem>) {
    let (Some(schema), Some(written)) = (described.as_object(), written.as_object()) else { return };
    if replaces(schema, written) {
        return;
    }
    for (keyword, value) in written {
        match (keyword.as_str(), schema.get(keyword)) {
            ("properties", Some(fields)) => {
                for (name, field) in value.as_object().into_iter().flatten() {
                    if let Some(described) = fields.get(name) {
                        report_repetition(described, field, &format!("{place}/{name}"), problems);
                    }
                }
            }
            ("items", Some(items)) => report_repetition(items, value, &format!("{place}/items"), problems),
            (_, Some(said)) if said == value => {
                problems.push(problem(place, format!("the type says `{keyword}` too: remove it here")));
            }
            _ => {}
        }
    }
}

/// Limits the entries of a page.
fn limit_page(schema: &mut Map<String, Value>) {
    let Some(Value::Object(fields)) = schema.get_mut("properties") else { return };
    if fields.len() == 2
        && fields.contains_key("page")
        && let Some(Value::Object(data)) = fields.get_mut("data")
    {
        data.entry("maxItems").or_insert_with(|| json!(LONGEST_PAGE));
    }
}

/// Adds the format of each integer that has none: `int32` if its maximum fits, otherwise `int64`.
fn add_formats(schema: &mut Value) {
    match schema {
        Value::Object(schema) => {
            let is_integer = match schema.get("type") {
                Some(Value::Array(names)) => names.iter().any(|name| name == "integer"),
                Some(name) => name == "integer",
                None => false,
            };
            if is_integer && !schema.contains_key("format") {
                let maximum = schema.get("maximum").and_then(Value::as_i64);
                let is_small = maximum.is_some_and(|maximum| i32::try_from(maximum).is_ok());
                schema.insert("format".to_owned(), json!(if is_small { "int32" } else { "int64" }));
            }
            for (keyword, value) in schema {
                match keyword.as_str() {
                    "properties" => value.as_object_mut().into_iter().flat_map(Map::values_mut).for_each(add_formats),
                    "examples" | "default" | "const" | "enum" => {}
                    _ => add_formats(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(add_formats),
        _ => {}
    }
}

fn problem(component: &str, what: String) -> Problem {
    Problem::new("contract/components", format!("schemas/{component}"), what)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SDL: &str = r#"
        enum State {
            "In preparation."
            DRAFT
            """
            On the
            storefront.
            """
            LISTED
        }
        enum Side { "The partner." PARTNER }
        type App {
            "UUID of the app."
            uuid: UUID!
            name: String!
            "State of the app."
            state: State
            "Side that acts next."
            side: Side
            downloads: Int!
            listed_at: Time
            owner: App! @edge
        }
        input AppPatch { name: String published_at: Time state: State! }
        type AppPage { data: [App!]! page: Page! }
        type Page { next_cursor: String }
    "#;

    fn completed(mut schemas: Value) -> Result<Value, Vec<String>> {
        let scalars = json!({
            "Uuid": {"type": "string", "format": "uuid"},
            "Time": {"type": "string", "format": "date-time", "pattern": "Z$", "description": "A time."},
            "DateTime": {"type": "string", "format": "date-time", "maxLength": 64},
        });
        schemas.as_object_mut().unwrap().extend(scalars.as_object().unwrap().clone());
        let mut components = Map::from_iter([("schemas".to_owned(), schemas)]);
        let mut problems = Vec::new();
        complete(&mut components, &SdlTypes::read(SDL).unwrap(), &mut problems);
        match problems.as_slice() {
            [] => Ok(components["schemas"].take()),
            _ => Err(problems.iter().map(ToString::to_string).collect()),
        }
    }

    #[test]
    fn response_has_all_plain_fields_with_type_null_and_text() {
        let schemas = completed(json!({"App": {}, "State": {}})).unwrap();
        let expected = json!({
            "type": "object",
            "required": ["uuid", "name", "state", "side", "downloads", "listed_at"],
            "properties": {
                "uuid": {"$ref": "#/components/schemas/Uuid", "description": "UUID of the app."},
                "name": {"type": "string"},
                "state": {
                    "oneOf": [{"$ref": "#/components/schemas/State"}, {"type": "null"}],
                    "description": "State of the app.",
                },
                "side": {
                    "type": ["string", "null"],
                    "enum": ["PARTNER", null],
                    "description": "Side that acts next.\n- `PARTNER`: The partner.",
                },
                "downloads": {"type": "integer", "format": "int64"},
                "listed_at": {"type": ["string", "null"], "format": "date-time", "pattern": "Z$"},
            },
        });
        assert_eq!(schemas["App"], expected);
        assert_eq!(
            schemas["State"],
            json!({
                "type": "string",
                "enum": ["DRAFT", "LISTED"],
                "description": "- `DRAFT`: In preparation.\n- `LISTED`: On the storefront.",
            })
        );
    }

    #[test]
    fn request_requires_fields_that_are_never_null_and_takes_times_with_offset() {
        let schemas = completed(json!({"AppPatch": {}, "State": {}})).unwrap();
        assert_eq!(schemas["AppPatch"]["required"], json!(["state"]));
        assert_eq!(
            schemas["AppPatch"]["properties"]["published_at"],
            json!({"type": ["string", "null"], "format": "date-time", "maxLength": 64})
        );
    }

    #[test]
    fn written_keywords_are_added_and_replace() {
        let written = json!({"State": {}, "App": {"examples": [], "properties": {
            "name": {"maxLength": 60, "description": "Name of the app."},
            "downloads": {"maximum": 1000},
            "listed_at": {"type": "string"},
            "state": {"$ref": "#/components/schemas/Word"},
            "more": {"type": "boolean"},
        }}});
        let schemas = completed(written).unwrap();
        let fields = &schemas["App"]["properties"];
        assert_eq!(fields["name"], json!({"type": "string", "maxLength": 60, "description": "Name of the app."}));
        assert_eq!(fields["downloads"], json!({"type": "integer", "maximum": 1000, "format": "int32"}));
        assert_eq!(fields["listed_at"]["type"], "string");
        assert_eq!(fields["state"], json!({"$ref": "#/components/schemas/Word", "description": "State of the app."}));
        assert_eq!(fields["more"], json!({"type": "boolean"}));
        assert_eq!(schemas["App"]["examples"], json!([]));
    }

    #[test]
    fn component_with_another_name_declares_its_type_and_is_referenced() {
        let schemas = completed(json!({"ListedApp": {"x-type": "App"}, "Apps": {"x-type": "AppPage"}})).unwrap();
        let data = &schemas["Apps"]["properties"]["data"];
        assert_eq!(data["items"], json!({"$ref": "#/components/schemas/ListedApp"}));
        assert_eq!(data["maxItems"], 100);
        assert!(schemas["Apps"].get("x-type").is_none());
        let problems = completed(json!({"App": {"x-type": "Apple"}})).unwrap_err();
        assert!(problems[0].contains("Apple, which is not an object"), "{problems:?}");
    }

    #[test]
    fn complete_component_stays_as_written() {
        let written = json!({"oneOf": [{"type": "string"}]});
        assert_eq!(completed(json!({"App": written})).unwrap()["App"], written);
    }

    #[test]
    fn repetition_of_the_type_is_reported() {
        let written = json!({"App": {"properties": {"name": {"type": "string", "maxLength": 60}}}});
        let problems = completed(written).unwrap_err();
        assert_eq!(problems, ["contract/components: schemas/App/name: the type says `type` too: remove it here"]);
    }
}
