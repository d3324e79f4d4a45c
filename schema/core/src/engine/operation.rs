//! Prepared operation: a document that was parsed, validated and bound to its operation at startup.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use async_graphql::Positioned;
use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, Field, OperationDefinition, OperationType, Selection, SelectionSet,
};
use serde_json::{Map, Value as Json};

use super::binding::Binding;
use crate::access::Access;
use crate::audit_target::AuditTargetKind;
use crate::operation::{ArgumentSource, Arguments, FindFaults, Run};

/// Query or mutation with one root field, ready to run any number of times: a document that was validated and bound.
pub struct PreparedOperation {
    /// Root field of the document.
    pub root: RootField,
    /// Arguments of the root field.
    arguments: Vec<(String, Binding)>,
    /// The document, which [`super::parity`] executes by the library.
    #[cfg(debug_assertions)]
    document: ExecutableDocument,
    /// Variables whose enum values have other names in the schema, and the function that converts them.
    spelled: (Vec<String>, fn(&str) -> String),
}

/// Root field of the schema, which implements one operation.
#[derive(Clone)]
pub struct RootField {
    /// Name that document, root field, contract and audit record share.
    pub name: String,
    /// Credential or scope that a call needs.
    pub access: Access,
    /// Whether it writes.
    pub is_mutation: bool,
    /// Whether each call leaves an audit record.
    pub is_audited: bool,
    /// Whether concurrent calls are read in one transaction (`@batched`).
    pub(super) is_batched: bool,
    /// Whether a read replica may answer (`@may_lag`).
    pub(super) may_lag: bool,
    /// The topic on whose content the answer depends, if REST may reuse it (`@reusable`).
    pub(super) reuse: Option<Reuse>,
    /// Whether its answer is a file, which only REST can deliver (`@answers_file`).
    pub(super) is_file: bool,
    /// Target of the audit record, if an argument identifies it (`@audit_target`).
    pub(super) target: Option<TargetArgument>,
    /// Argument that identifies the partner concerned (`@audit_partner`).
    pub(super) partner: Option<String>,
    /// Argument in which an e-mail address is recorded as its hash (`@audit_hashed`).
    pub(super) hashed: Option<String>,
    /// The argument whose text the partner concerned may read (`@partner_reads`).
    pub(crate) shown_reason: Option<String>,
    /// Whether calls are hidden from the partner concerned (`@hidden_from_partner`).
    pub(crate) is_hidden: bool,
    /// Finds the faults of a body that the contract rejects ([`crate::operation::Operation::find_faults`]).
    pub(super) find_faults: Option<FindFaults>,
    /// Runs the operation.
    pub(super) run: Run,
}

/// Rule by which an answer may be reused.
#[derive(Clone, Debug)]
pub struct Reuse {
    /// Topic whose revision must be the same.
    pub topic: Arc<str>,
    /// Time for which the answer may be reused.
    pub duration: Duration,
}

/// Argument that identifies the target of an audit record.
#[derive(Clone, Debug)]
pub(super) struct TargetArgument {
    /// Kind of the target.
    pub(super) kind: AuditTargetKind,
    /// The argument's name.
    pub(super) argument: String,
}

impl PreparedOperation {
    /// Creates an operation from a root field and its document.
    pub(super) fn new(
        root: RootField,
        arguments: Vec<(String, Binding)>,
        #[cfg_attr(
            not(debug_assertions),
            expect(unused_variables, reason = "only the check of debug builds needs it")
        )]
        document: ExecutableDocument,
    ) -> Self {
        Self {
            root,
            arguments,
            #[cfg(debug_assertions)]
            document,
            spelled: (Vec::new(), str::to_owned),
        }
    }

    /// Converts the enum values of these variables to the schema's names. Callers and audit records keep the values as
    /// sent.
    pub fn map_enum_words(&mut self, variables: Vec<String>, name_of: fn(&str) -> String) {
        self.spelled = (variables, name_of);
    }

    /// Returns the arguments of the root field with these variables.
    pub(super) fn arguments(&self, variables: &Map<String, Json>) -> Arguments {
        Arguments::new(self.bind(&self.spelled(variables)), ArgumentSource::Contract)
    }

    /// Returns the variables with the schema's names of enum values.
    pub(super) fn spelled<'a>(&self, variables: &'a Map<String, Json>) -> Cow<'a, Map<String, Json>> {
        let (spelled, name_of) = &self.spelled;
        let mut variables = Cow::Borrowed(variables);
        for name in spelled {
            if let Some(Json::String(word)) = variables.get(name) {
                let word = Json::String(name_of(word));
                variables.to_mut().insert(name.clone(), word);
            }
        }
        variables
    }

    /// Binds the arguments to these variables.
    pub(super) fn bind(&self, variables: &Map<String, Json>) -> Map<String, Json> {
        let bound = self.arguments.iter();
        bound.filter_map(|(name, binding)| Some((name.clone(), binding.value(variables)?))).collect()
    }

    /// Returns the document.
    #[cfg(debug_assertions)]
    pub(super) fn document(&self) -> &ExecutableDocument {
        &self.document
    }
}

/// Returns the only operation of a document.
pub(crate) fn only_operation(document: &ExecutableDocument) -> Option<&Positioned<OperationDefinition>> {
    match &document.operations {
        DocumentOperations::Single(operation) => Some(operation),
        DocumentOperations::Multiple(all) if all.len() == 1 => all.values().next(),
        DocumentOperations::Multiple(_) => None,
    }
}

/// Returns an operation's root fields in order, with fragments spread. The document must not contain recursive
/// fragments or too many fields; for external text, both are checked before.
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
