//! String literals of a query, converted to NFC, the form in which text is compared and stored. An escape such as
//! `\u0301` can produce another form after the whole request was normalised.

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::{Positioned, Value as ConstValue};
use async_graphql_value::Value;

use crate::text;

/// Converts every string of a document to NFC. The nesting of its brackets was limited before parsing.
pub(super) fn normalize(document: &mut ExecutableDocument) {
    match &mut document.operations {
        DocumentOperations::Single(operation) => of_operation(operation),
        DocumentOperations::Multiple(operations) => operations.values_mut().for_each(of_operation),
    }
    document.fragments.values_mut().for_each(|fragment| of_selection(&mut fragment.node.selection_set.node));
}

fn of_operation(operation: &mut Positioned<OperationDefinition>) {
    let defaults = operation.node.variable_definitions.iter_mut();
    defaults.filter_map(|defined| defined.node.default_value.as_mut()).for_each(|value| of_default(&mut value.node));
    of_selection(&mut operation.node.selection_set.node);
}

fn of_selection(selection: &mut SelectionSet) {
    for item in &mut selection.items {
        match &mut item.node {
            Selection::Field(field) => {
                field.node.arguments.iter_mut().for_each(|(_, value)| of_argument(&mut value.node));
                of_selection(&mut field.node.selection_set.node);
            }
            Selection::InlineFragment(inline) => of_selection(&mut inline.node.selection_set.node),
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn of_argument(value: &mut Value) {
    match value {
        Value::String(text) => of_text(text),
        Value::List(values) => values.iter_mut().for_each(of_argument),
        Value::Object(fields) => fields.values_mut().for_each(of_argument),
        _ => {}
    }
}

fn of_default(value: &mut ConstValue) {
    match value {
        ConstValue::String(text) => of_text(text),
        ConstValue::List(values) => values.iter_mut().for_each(of_default),
        ConstValue::Object(fields) => fields.values_mut().for_each(of_default),
        _ => {}
    }
}

fn of_text(text: &mut String) {
    let normalized = text::normalize(text).into_owned();
    *text = normalized;
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    #[test]
    fn strings_are_normalized_at_every_depth() {
        let query = |e: &str| {
            let text = format!(
                r#"query ($a: String = "{e}", $b: [Of!] = [{{of: "{e}"}}]) {{
                    one(q: "{e}", filter: {{of: ["{e}"]}}) {{ two(q: "{e}") {{ uuid }} ... on Thing {{ three(q: "{e}") }} }}
                    ...Rest
                }}
                fragment Rest on Query {{ four(q: "{e}") {{ uuid }} }}"#
            );
            parse_query(text).unwrap()
        };
        let mut escaped = query("e\\u0301");
        assert!(!format!("{escaped:?}").contains('é'));
        normalize(&mut escaped);
        let strings = |document: &ExecutableDocument| format!("{document:?}").matches("\"é\"").count();
        assert_eq!((strings(&escaped), strings(&query("é"))), (7, 7));
    }
}
