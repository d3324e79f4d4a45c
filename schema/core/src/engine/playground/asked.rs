//! Root fields of a query with their arguments: each audited one leaves a separate record.

use std::collections::HashSet;
use std::convert::Infallible;

use async_graphql::parser::types::{ExecutableDocument, Field, OperationDefinition, Selection, SelectionSet};
use async_graphql::{Name, Value};
use serde_json::{Map, Value as Json};

use super::super::RootField;

/// Audited root field of a query, or the root field of an edge.
#[derive(Clone)]
pub(super) struct AuditedField {
    /// The root field.
    pub(super) root: RootField,
    /// Response name of its answer.
    pub(super) key: String,
    /// Arguments, as literals or from the query's variables.
    pub(super) arguments: Map<String, Json>,
}

impl AuditedField {
    /// Creates the entry of an edge. Its objects are unknown before it is followed, and it has no response name of a
    /// root field.
    pub(super) fn edge(root: RootField) -> Self {
        Self { root, key: String::new(), arguments: Map::new() }
    }
}

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

/// Returns the value of a variable. A missing variable counts as its default, or as null.
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

/// Whether directives at the root decide which fields run. They are rejected, because the record must match the query.
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

/// Finds a response name that two root fields share. Their answers, and therefore their records, would be merged.
pub(super) fn find_duplicate_name<'a>(roots: &[&'a Field]) -> Option<&'a str> {
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
    fn each_root_field_has_its_arguments() {
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
