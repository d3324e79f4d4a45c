//! Missing optional variables of a query. An argument or a field of an input object with such a variable counts as
//! omitted (GraphQL specification, Coercing Field Arguments; Input Objects, Input Coercion). The library would pass null
//! instead, and an update would erase the field.

use std::collections::HashSet;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned};
use async_graphql_value::Value;
use serde_json::{Map, Value as Json};

/// Removes each missing optional variable without a default, and every argument and field with it. In a list, the
/// variable is null. The nesting of the document's brackets was limited before parsing.
pub(super) fn remove_missing(document: &mut ExecutableDocument, variables: &Map<String, Json>) {
    let mut missing = HashSet::new();
    match &mut document.operations {
        DocumentOperations::Single(operation) => take_missing(operation, variables, &mut missing),
        DocumentOperations::Multiple(operations) => {
            operations.values_mut().for_each(|operation| take_missing(operation, variables, &mut missing));
        }
    }
    if missing.is_empty() {
        return;
    }
    let of_operation = |operation: &mut Positioned<OperationDefinition>| {
        of_selection(&mut operation.node.selection_set.node, &missing);
    };
    match &mut document.operations {
        DocumentOperations::Single(operation) => of_operation(operation),
        DocumentOperations::Multiple(operations) => operations.values_mut().for_each(of_operation),
    }
    document.fragments.values_mut().for_each(|fragment| of_selection(&mut fragment.node.selection_set.node, &missing));
}

/// Removes the definitions of missing variables, and collects their names.
fn take_missing(
    operation: &mut Positioned<OperationDefinition>,
    variables: &Map<String, Json>,
    missing: &mut HashSet<Name>,
) {
    operation.node.variable_definitions.retain(|defined| {
        let (name, defined) = (&defined.node.name.node, &defined.node);
        let is_missing =
            defined.var_type.node.nullable && defined.default_value.is_none() && !variables.contains_key(name.as_str());
        if is_missing {
            missing.insert(name.clone());
        }
        !is_missing
    });
}

fn of_selection(selection: &mut SelectionSet, missing: &HashSet<Name>) {
    for item in &mut selection.items {
        match &mut item.node {
            Selection::Field(field) => {
                field.node.arguments.retain(|(_, value)| !is_missing(&value.node, missing));
                field.node.arguments.iter_mut().for_each(|(_, value)| of_value(&mut value.node, missing));
                of_selection(&mut field.node.selection_set.node, missing);
            }
            Selection::InlineFragment(inline) => of_selection(&mut inline.node.selection_set.node, missing),
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn is_missing(value: &Value, missing: &HashSet<Name>) -> bool {
    matches!(value, Value::Variable(name) if missing.contains(name))
}

fn of_value(value: &mut Value, missing: &HashSet<Name>) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !is_missing(value, missing));
            fields.values_mut().for_each(|value| of_value(value, missing));
        }
        Value::List(values) => {
            for value in values {
                if is_missing(value, missing) {
                    *value = Value::Null;
                }
                of_value(value, missing);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use serde_json::json;

    use super::super::super::operation::{only_operation, root_fields};
    use super::super::asked;
    use super::*;

    #[test]
    fn missing_variable_leaves_its_field_out_and_null_stays() {
        let text = "query ($a: Int, $b: Int = 5, $c: Int, $d: Int!) {
            get(a: $a, b: $b, d: $d, f: {a: $a, c: $c, g: {a: $a}}, l: [$a, $c]) { ...More }
        }
        fragment More on Thing { edge(limit: $a) { uuid } }";
        let Json::Object(variables) = json!({ "c": null, "d": 1 }) else { unreachable!() };
        let mut document = parse_query(text).unwrap();
        remove_missing(&mut document, &variables);
        let operation = &only_operation(&document).unwrap().node;
        let names: Vec<&str> =
            operation.variable_definitions.iter().map(|defined| defined.node.name.node.as_str()).collect();
        assert_eq!(names, ["b", "c", "d"]);
        let arguments = asked::arguments(root_fields(&document, operation)[0], operation, &variables);
        let told = json!({ "b": 5, "d": 1, "f": { "c": null, "g": {} }, "l": [null, null] });
        assert_eq!(Json::Object(arguments), told);
        assert!(!format!("{:?}", document.fragments).contains("limit"));
    }
}
