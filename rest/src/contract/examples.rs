//! Checks each example against its schema: a wrong example is worse than none.

use serde_json::{Map, Value};

use super::schema_set::SchemaSet;
use super::{Contract, FieldPlace, Problem, resolve, yaml};

const FILE: &str = "contract/openapi.yaml";

impl Contract {
    /// Returns every example of a body, response, parameter or component schema that does not fit its schema
    /// (docs/decisions/contract.md).
    pub fn problems_of_examples(&self) -> Vec<Problem> {
        let Ok(document) = yaml::read(self.text()) else {
            return Vec::new();
        };
        let mut check = Check {
            document: &document,
            book: SchemaSet::new(document.pointer("/components/schemas").cloned().unwrap_or_default()),
            problems: Vec::new(),
        };
        for (path, item) in object(document.get("paths")) {
            for (method, operation) in object(Some(item)) {
                let id = operation.get("operationId").and_then(Value::as_str);
                let place = id.map_or_else(|| format!("{method} {path}"), str::to_owned);
                check.walk(&place, operation);
            }
        }
        for (section, entries) in object(document.get("components")) {
            for (name, value) in object(Some(entries)) {
                let place = format!("{section}/{name}");
                if section == "schemas" {
                    check.schema_examples(&place, value);
                } else {
                    check.walk(&place, value);
                }
            }
        }
        check.problems
    }
}

struct Check<'a> {
    document: &'a Value,
    book: SchemaSet,
    problems: Vec<Problem>,
}

impl Check<'_> {
    /// Visits everything with a schema and examples: media types, parameters, headers.
    fn walk(&mut self, place: &str, value: &Value) {
        let Some(map) = value.as_object() else {
            let items = value.as_array().into_iter().flatten();
            for (number, item) in items.enumerate() {
                self.walk(&format!("{place}/{number}"), item);
            }
            return;
        };
        if let Some(schema) = map.get("schema") {
            self.schema_examples(&format!("{place}/schema"), schema);
            self.one(place, schema, map.get("example"));
            for (name, example) in object(map.get("examples")) {
                let example = resolve(self.document, example);
                self.one(&format!("{place}/{name}"), schema, example.get("value"));
            }
        }
        for (key, value) in map {
            if !matches!(key.as_str(), "schema" | "example" | "examples") {
                self.walk(&format!("{place}/{key}"), value);
            }
        }
    }

    /// Checks a schema's own `examples`, and the examples of its properties.
    fn schema_examples(&mut self, place: &str, schema: &Value) {
        for (number, example) in schema.get("examples").and_then(Value::as_array).into_iter().flatten().enumerate() {
            self.one(&format!("{place}/examples/{number}"), schema, Some(example));
        }
        self.one(place, schema, schema.get("default"));
        for (name, property) in object(schema.get("properties")) {
            self.schema_examples(&format!("{place}/{name}"), property);
        }
        if let Some(items) = schema.get("items") {
            self.schema_examples(&format!("{place}/items"), items);
        }
    }

    fn one(&mut self, place: &str, schema: &Value, example: Option<&Value>) {
        let Some(example) = example else {
            return;
        };
        let id = self.book.add(place, schema);
        let errors = match self.book.check(id, example) {
            Ok(errors) => errors,
            Err(reason) => {
                self.problems.push(Problem::new(FILE, place, reason));
                return;
            }
        };
        for error in errors {
            let pointer = match error.place {
                FieldPlace::Pointer(pointer) => pointer,
                FieldPlace::Parameter(name) => name,
            };
            let what = format!("the example does not match the schema at `{pointer}`: {}", error.message);
            self.problems.push(Problem::new(FILE, place, what));
        }
    }
}

fn object(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    let map: Option<&Map<String, Value>> = value.and_then(Value::as_object);
    map.into_iter().flatten()
}
