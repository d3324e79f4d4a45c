//! An operation that is ready to be asked: a document that was parsed, validated and bound to its root field at start-up.

use std::sync::Arc;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field, OperationDefinition, OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned, Request, Value, Variables};
use serde_json::{Map, Value as Json};

use crate::core::access::Access;
use crate::core::audit_target::AuditTargetKind;
use crate::core::context::RequestContext;

/// A document with one root field, ready to be asked any number of times.
pub struct PreparedOperation {
    /// What it asks.
    pub root: RootField,
    /// The root field with its arguments, and nothing beneath it: what it answers is written whole.
    pub(super) document: ExecutableDocument,
    /// The variables whose words the schema spells differently, and how it spells them.
    spelled: (Vec<String>, fn(&str) -> String),
}

/// A root field: what an operation is on the inside.
#[derive(Clone, Debug)]
pub struct RootField {
    /// The operation: document, root field, contract and audit record share this name.
    pub name: String,
    /// Who may ask.
    pub access: Access,
    /// Whether it writes.
    pub is_mutation: bool,
    /// Whether each call leaves an audit record.
    pub is_audited: bool,
    /// Whether calls at the same moment are read in one transaction (`@batched`).
    pub(super) is_batched: bool,
    /// Whether its answer may be as old as what a read replica shows (`@may_lag`).
    pub(super) may_lag: bool,
    /// Whether its answer is a file, which only REST can deliver (`@answers_file`).
    pub(super) is_file: bool,
    /// What the audit record is about, as far as the arguments say (`@audit_target`).
    pub(super) target: Option<TargetArgument>,
    /// The argument that names the partner concerned (`@audit_partner`).
    pub(super) partner: Option<String>,
    /// The argument of which an e-mail address is recorded as its hash (`@audit_hashed`).
    pub(super) hashed: Option<String>,
    /// The argument whose text the partner concerned may read (`@partner_reads`).
    pub(crate) shown_reason: Option<String>,
    /// Whether the partner concerned does not learn of a call (`@hidden_from_partner`).
    pub(crate) is_hidden: bool,
}

/// The argument that names the thing which an audit record is about.
#[derive(Clone, Debug)]
pub(super) struct TargetArgument {
    /// The kind of the thing.
    pub(super) kind: AuditTargetKind,
    /// The argument's name.
    pub(super) argument: String,
}

impl PreparedOperation {
    /// A document that asks a root field.
    pub(super) fn new(root: RootField, document: ExecutableDocument) -> Self {
        Self { root, document, spelled: (Vec::new(), str::to_owned) }
    }

    /// Has the schema be asked for the words of these variables as it spells them. Callers, and the audit record, keep to
    /// the words that were sent.
    pub fn spell(&mut self, variables: Vec<String>, name_of: fn(&str) -> String) {
        self.spelled = (variables, name_of);
    }

    /// A request to the library's executor.
    pub(super) fn request(&self, variables: &Map<String, Json>, cx: &Arc<RequestContext>) -> Request {
        let mut taken = variables_of(variables);
        let (spelled, name_of) = &self.spelled;
        for name in spelled {
            if let Some(Value::String(word)) = taken.get_mut(name.as_str()) {
                *word = name_of(word);
            }
        }
        let mut request = Request::new("").variables(taken).data(Arc::clone(cx)).disable_introspection();
        request.set_parsed_query(self.document.clone());
        request
    }
}

/// The variables as the library takes them.
fn variables_of(variables: &Map<String, Json>) -> Variables {
    let mut taken = Variables::default();
    taken.extend(variables.iter().map(|(name, value)| (Name::new(name), value_of(value))));
    taken
}

fn value_of(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::Number(number) => Value::Number(number.clone()),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(value_of).collect()),
        Json::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (Name::new(name), value_of(value))).collect())
        }
    }
}

/// The one operation of a document.
pub(crate) fn only_operation(document: &ExecutableDocument) -> Option<&Positioned<OperationDefinition>> {
    match &document.operations {
        DocumentOperations::Single(operation) => Some(operation),
        DocumentOperations::Multiple(all) if all.len() == 1 => all.values().next(),
        DocumentOperations::Multiple(_) => None,
    }
}

/// An operation's root fields, fragments spread, in order. The document has no fragment that spreads itself, and few
/// fields: of a text from outside, that is measured before.
pub(crate) fn root_fields<'a>(document: &'a ExecutableDocument, operation: &'a OperationDefinition) -> Vec<&'a Field> {
    fn collect<'a>(document: &'a ExecutableDocument, selection: &'a SelectionSet, fields: &mut Vec<&'a Field>) {
        for item in &selection.items {
            match &item.node {
                Selection::Field(field) => fields.push(&field.node),
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = document.fragments.get(&spread.node.fragment_name.node) {
                        collect(document, &fragment.node.selection_set.node, fields);
                    }
                }
                Selection::InlineFragment(inline) => collect(document, &inline.node.selection_set.node, fields),
            }
        }
    }
    let mut fields = Vec::new();
    collect(document, &operation.selection_set.node, &mut fields);
    fields
}

/// Whether an operation writes.
pub(crate) fn is_mutation(operation: &OperationDefinition) -> bool {
    operation.ty == OperationType::Mutation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_arrive_as_the_library_reads_them_itself() {
        let json = serde_json::json!({
            "text": "ü", "none": null, "flag": true, "whole": -7, "part": 0.25, "large": u64::MAX,
            "list": [1, "two", [null]], "object": {"de-AT": {"inner": []}, "": 1},
        });
        let Json::Object(map) = json.clone() else { unreachable!() };
        assert_eq!(variables_of(&map), Variables::from_json(json));
    }
}
