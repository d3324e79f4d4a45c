//! A question: a parsed, validated document of which it is known who may ask it and how its answer is
//! written.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field, FragmentDefinition, OperationDefinition, OperationType, Selection,
    SelectionSet,
};
use async_graphql::{Name, Positioned, Value};

use super::roots::RootObject;

use crate::access::Access;

/// A document with one root field, ready to be asked any number of times.
pub struct Question {
    /// What it asks.
    pub root: RootField,
    pub(super) operation: Positioned<OperationDefinition>,
    pub(super) fragments: HashMap<Name, Positioned<FragmentDefinition>>,
    /// The object that has the root field.
    pub(super) object: Arc<dyn RootObject>,
    pub(super) shape: Shape,
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
}

/// The order in which an object's fields leave, as the document writes them.
///
/// The library resolves fields side by side and keeps the order in which they finished; bodies must be
/// the same bytes every time (ETags).
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape(Vec<(Name, Shape)>);

impl Shape {
    /// The shape of a selection, fragments spread.
    pub(crate) fn of(document: &ExecutableDocument, selection: &SelectionSet) -> Self {
        let mut shape = Self::default();
        shape.add(document, selection);
        shape
    }

    fn add(&mut self, document: &ExecutableDocument, selection: &SelectionSet) {
        for item in &selection.items {
            match &item.node {
                Selection::Field(field) => {
                    let key = field.node.response_key().node.clone();
                    let inner = Self::of(document, &field.node.selection_set.node);
                    match self.0.iter_mut().find(|(known, _)| *known == key) {
                        Some((_, known)) => known.0.extend(inner.0),
                        None => self.0.push((key, inner)),
                    }
                }
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = document.fragments.get(&spread.node.fragment_name.node) {
                        self.add(document, &fragment.node.selection_set.node);
                    }
                }
                Selection::InlineFragment(inline) => self.add(document, &inline.node.selection_set.node),
            }
        }
    }

    /// The response keys of this selection and what is beneath each, in order.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.0.iter().map(|(name, inner)| (name.as_str(), inner))
    }

    /// Beneath the one root field.
    pub(crate) fn into_root(self) -> Self {
        self.0.into_iter().next().map(|(_, inner)| inner).unwrap_or_default()
    }

    /// Writes a value as JSON in this order.
    pub(crate) fn write(&self, value: &Value, out: &mut Vec<u8>) {
        match value {
            Value::Object(fields) if !self.0.is_empty() => {
                out.push(b'{');
                let mut first = true;
                for (key, inner) in &self.0 {
                    if let Some(field) = fields.get(key) {
                        if !std::mem::take(&mut first) {
                            out.push(b',');
                        }
                        write_json(out, key.as_str());
                        out.push(b':');
                        inner.write(field, out);
                    }
                }
                out.push(b'}');
            }
            Value::List(items) => {
                out.push(b'[');
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        out.push(b',');
                    }
                    self.write(item, out);
                }
                out.push(b']');
            }
            // Written whole already.
            Value::Binary(bytes) => out.extend_from_slice(bytes),
            other => write_json(out, other),
        }
    }
}

/// Writing JSON to memory fails only for maps with keys that are no text, of which there are none.
fn write_json<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    if let Err(error) = serde_json::to_writer(&mut *out, value) {
        tracing::error!(cause = %error, "a value could not be written as JSON");
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
