//! A root field as a query asks it, with the arguments that are its own: each audited one leaves a record of its own.

use std::collections::HashSet;
use std::convert::Infallible;

use async_graphql::parser::types::{ExecutableDocument, Field, OperationDefinition, Selection, SelectionSet};
use async_graphql::{Name, Value};
use serde_json::{Map, Value as Json};

use super::super::RootField;

/// An audited root field of a query, or an edge that stands for one.
#[derive(Clone)]
pub(super) struct Asked {
    /// What is asked.
    pub(super) root: RootField,
    /// Under which name its answer leaves.
    pub(super) key: String,
    /// Its arguments, written out or taken from the query's variables.
    pub(super) arguments: Map<String, Json>,
}

impl Asked {
    /// An edge. What it would have led to is not known before it is followed, and its answer stands under no root's name.
    pub(super) fn edge(root: RootField) -> Self {
        Self { root, key: String::new(), arguments: Map::new() }
    }
}

/// The arguments of a field.
pub(super) fn arguments(
    field: &Field,
    operation: &OperationDefinition,
    variables: &Map<String, Json>,
) -> Map<String, Json> {
    let told = field.arguments.iter().map(|(name, value)| {
        let value = value.node.clone().into_const_with(|name| value_of(operation, variables, &name));
        let json = value.ok().and_then(|value| value.into_json().ok()).unwrap_or_default();
        (name.node.to_string(), json)
    });
    told.collect()
}

/// What a variable stands for. One that was not sent counts as its default, or as null.
pub(super) fn value_of(
    operation: &OperationDefinition,
    variables: &Map<String, Json>,
    name: &Name,
) -> Result<Value, Infallible> {
    if let Some(sent) = variables.get(name.as_str()) {
        return Ok(Value::from_json(sent.clone()).unwrap_or_default());
    }
    let defined = operation.variable_definitions.iter().find(|defined| defined.node.name.node == *name);
    Ok(defined.and_then(|defined| defined.node.default_value.clone()).map(|value| value.node).unwrap_or_default())
}

/// Whether directives decide at the root what is asked: what is recorded must be what was asked.
pub(super) fn is_steered(document: &ExecutableDocument, selection: &SelectionSet) -> bool {
    selection.items.iter().any(|item| match &item.node {
        Selection::Field(field) => !field.node.directives.is_empty(),
        Selection::InlineFragment(inline) => {
            !inline.node.directives.is_empty() || is_steered(document, &inline.node.selection_set.node)
        }
        Selection::FragmentSpread(spread) => {
            let fragment = document.fragments.get(&spread.node.fragment_name.node);
            !spread.node.directives.is_empty()
                || fragment.is_some_and(|fragment| is_steered(document, &fragment.node.selection_set.node))
        }
    })
}

/// The name under which two root fields would answer. Their answers would be one, and so would their records.
pub(super) fn find_doubled_name<'a>(roots: &[&'a Field]) -> Option<&'a str> {
    let mut names = HashSet::new();
    roots.iter().map(|field| field.response_key().node.as_str()).find(|name| !names.insert(*name))
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use serde_json::json;

    use super::super::super::operation::{only_operation, root_fields};
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
