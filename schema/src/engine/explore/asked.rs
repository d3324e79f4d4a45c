//! A root field as a query asks it, with the arguments that are its own: each audited one leaves a record of its own.

use async_graphql::Value;
use async_graphql::parser::types::{Field, OperationDefinition};
use serde_json::{Map, Value as Json};

use super::super::RootField;

/// An audited root field of a query.
pub(super) struct Asked {
    /// What is asked.
    pub(super) root: RootField,
    /// Under which name its answer leaves.
    pub(super) key: String,
    /// Its arguments, written out or taken from the query's variables.
    pub(super) arguments: Map<String, Json>,
}

/// The arguments of a field. A variable that was not sent counts as its default, or as null.
pub(super) fn arguments(
    field: &Field,
    operation: &OperationDefinition,
    variables: &Map<String, Json>,
) -> Map<String, Json> {
    let value_of = |name: &str| -> Value {
        if let Some(sent) = variables.get(name) {
            return Value::from_json(sent.clone()).unwrap_or_default();
        }
        let defined = operation.variable_definitions.iter().find(|defined| defined.node.name.node == *name);
        defined.and_then(|defined| defined.node.default_value.clone()).map(|value| value.node).unwrap_or_default()
    };
    let told = field.arguments.iter().map(|(name, value)| {
        let value = value.node.clone().into_const_with(|name| Ok::<_, std::convert::Infallible>(value_of(&name)));
        let json = value.ok().and_then(|value| value.into_json().ok()).unwrap_or_default();
        (name.node.to_string(), json)
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use serde_json::json;

    use super::super::super::question::{only_operation, root_fields};
    use super::*;

    #[test]
    fn each_root_field_has_arguments_of_its_own() {
        let text = r#"query ($id: UUID!, $many: Int = 5, $none: Int) {
            one: thing_get(thing_uuid: $id, limit: $many) { uuid }
            ...Rest
        }
        fragment Rest on Query { two: thing_get(thing_uuid: "b", filter: {of: [$id, 1]}, after: $none) { uuid } }"#;
        let document = parse_query(text).unwrap();
        let operation = &only_operation(&document).unwrap().node;
        let Json::Object(variables) = json!({ "id": "a" }) else { unreachable!() };
        let told: Vec<Json> = root_fields(&document, operation)
            .into_iter()
            .map(|field| Json::Object(arguments(field, operation, &variables)))
            .collect();
        assert_eq!(
            told,
            [
                json!({ "thing_uuid": "a", "limit": 5 }),
                json!({ "thing_uuid": "b", "filter": { "of": ["a", 1] }, "after": null }),
            ]
        );
    }
}
