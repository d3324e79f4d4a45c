//! Checks that each operation has one document and one root field, and that there are no others.

use async_graphql::parser::types::{Field, OperationDefinition, OperationType, Selection};

use super::selection::AnswerComparison;
use super::{Difference, path, variables};
use crate::contract::{Contract, GROUPS, Operation};
use crate::documents::{Document, Documents};
use crate::sdl::{self, Root, Sdl};

/// Compares every operation with its document and root field, and finds leftovers.
pub(super) fn inspect(contract: &Contract, documents: &Documents, sdl: &Sdl, found: &mut Vec<Difference>) {
    let inspection = Inspection { contract, documents, sdl };
    for operation in contract.operations() {
        inspection.inspect_operation(operation, found);
    }
    inspection.find_leftovers(found);
}

struct Inspection<'a> {
    contract: &'a Contract,
    documents: &'a Documents,
    sdl: &'a Sdl,
}

impl Inspection<'_> {
    fn inspect_operation(&self, operation: &Operation, found: &mut Vec<Difference>) {
        let id = operation.id.as_str();
        if let Some(scope) = operation.access.scope()
            && !self.contract.scopes().contains_key(scope)
        {
            let what = format!("{id} needs the scope {scope}, which the security scheme does not list");
            found.push(difference(&operation.file(), what));
        }
        found.extend(path::differences(operation).into_iter().map(|what| difference(&operation.file(), what)));
        let document = self.documents.get(id);
        if operation.direct.is_some() {
            if let Some(document) = document {
                let what = format!("{id} is answered without a document and has one: run `make accept`");
                found.push(difference(&document.file, what));
            }
            return;
        }
        let root = self.sdl.root(id);
        match root {
            Some((root, field)) => self.root_field(operation, root, field, found),
            None => {
                let what = format!("{id} is in the contract: write a root field of this name");
                found.push(difference(&resolvers(operation), what));
            }
        }
        match document {
            Some(document) => self.document(operation, document, root, found),
            None => {
                let what = format!("{id} is in the contract but has no document: run `make accept`");
                found.push(difference(&operation.document_file(), what));
            }
        }
    }

    fn root_field(&self, operation: &Operation, root: Root, field: &sdl::Field, found: &mut Vec<Difference>) {
        let id = &operation.id;
        let file = resolvers(operation);
        let needs = operation.access.name();
        match field.access.as_deref() {
            Some(access) if access == needs => {}
            Some(access) => {
                let what =
                    format!("{id} has @access(needs: \"{access}\"), but the contract says {needs}: make them equal");
                found.push(difference(&file, what));
            }
            None => {
                found.push(difference(&file, format!("{id} declares no access: write @access(needs: \"{needs}\")")));
            }
        }
        if field.internal {
            let what = format!("{id} is marked @internal, but the contract contains it: remove the mark");
            found.push(difference(&file, what));
        }
        let promises_file = operation
            .success_response()
            .is_some_and(|response| !response.media.is_empty() && response.json().is_none());
        if field.answers_file != promises_file {
            let what = format!(
                "{id}: its root field is {}marked @answers_file, but the contract declares {}: make them equal",
                if field.answers_file { "" } else { "not " },
                if promises_file { "a file" } else { "no file" },
            );
            found.push(difference(&file, what));
        }
        if operation.method == http::Method::GET && root == Root::Mutation {
            let what =
                format!("{id} is a GET but its root field is a mutation: a GET changes nothing, so make it a query");
            found.push(difference(&file, what));
        }
    }

    fn document(
        &self,
        operation: &Operation,
        document: &Document,
        root: Option<(Root, &sdl::Field)>,
        found: &mut Vec<Difference>,
    ) {
        let mut tell_of = |file: &str, what: String| found.push(difference(file, format!("{}: {what}", document.name)));
        let mut tell = |what: String| tell_of(&document.file, what);
        if !document.is_in(&operation.group, &operation.resource) {
            tell(format!("it belongs in {}: run `make accept`", operation.document_file()));
        }
        let Some(definition) = document.operation() else {
            return;
        };
        let field = match root_of(definition, &operation.id) {
            Ok(field) => field,
            Err(what) => return tell(what),
        };
        let Some((root, root_field)) = root else {
            return;
        };
        match (definition.ty, root) {
            (OperationType::Query, Root::Query) | (OperationType::Mutation, Root::Mutation) => {}
            (_, Root::Query) => tell("its root field is a query: run `make accept`".to_owned()),
            (_, Root::Mutation) => tell("its root field is a mutation: run `make accept`".to_owned()),
        }
        // The schema defines the arguments and selections of a document: such differences are fixed in the schema or in
        // the contract.
        for what in variables::differences(self.contract, self.sdl, operation, definition) {
            tell_of(&resolvers(operation), what);
        }
        for what in self.answers(operation, document, field, root_field) {
            tell_of(&operation.file(), what);
        }
    }

    /// Compares the selection with every JSON response of a success. A root field may always be null: null means an
    /// error, which never becomes a successful response.
    fn answers(
        &self,
        operation: &Operation,
        document: &Document,
        field: &Field,
        root_field: &sdl::Field,
    ) -> Vec<String> {
        let mut ty = root_field.ty.clone();
        ty.nullable = false;
        let mut answers =
            AnswerComparison { contract: self.contract, sdl: self.sdl, document: &document.parsed, open: Vec::new() };
        let successes = operation.responses.range(200..300).filter_map(|(_, response)| response.json());
        successes
            .flat_map(|schema| answers.differences("", self.contract.schema(schema), &ty, &field.selection_set.node))
            .collect()
    }

    /// Finds documents and root fields without an operation.
    fn find_leftovers(&self, found: &mut Vec<Difference>) {
        for document in self.documents.iter() {
            if self.contract.operation(&document.name).is_none() {
                let what = format!(
                    "{} is not an operation of the contract: run `make accept`, or add it to the contract",
                    document.name
                );
                found.push(difference(&document.file, what));
            }
        }
        for field in self.sdl.root_fields() {
            let name = &field.name;
            if !field.internal && self.contract.operation(name).is_none() {
                let what = format!(
                    "the root field {name} is not an operation of the contract: add it to the contract, or mark it \
                     @internal"
                );
                found.push(difference(&folder_of(name), what));
            }
            if field.access.is_none() && field.internal {
                let what = format!("the root field {name} declares no access: write @access(needs: …)");
                found.push(difference(&folder_of(name), what));
            }
        }
    }
}

/// Returns the only root field of a document: named like the operation, without an alias.
fn root_of<'d>(definition: &'d OperationDefinition, id: &str) -> Result<&'d Field, String> {
    match definition.selection_set.node.items.as_slice() {
        [only] => match &only.node {
            Selection::Field(field) if field.node.name.node != *id => {
                Err(format!("it selects {}: select the root field {id}", field.node.name.node))
            }
            Selection::Field(field) if field.node.alias.is_some() => {
                Err("its root field has an alias: remove it".to_owned())
            }
            Selection::Field(field) => Ok(&field.node),
            _ => Err(format!("it begins with a fragment: select the root field {id}")),
        },
        _ => Err(format!("it selects several root fields: select {id} only")),
    }
}

fn resolvers(operation: &Operation) -> String {
    format!("{}/{}/resolvers.rs", source_of(&operation.group), operation.resource)
}

/// Returns the folder of a group's sources.
fn source_of(group: &str) -> String {
    match group {
        "auth" | "partner" => format!("schema/identity/src/{group}"),
        "system" => "schema/src/system".to_owned(),
        group => format!("schema/{group}/src"),
    }
}

/// Returns the folder of a root field with this name.
fn folder_of(name: &str) -> String {
    let group = GROUPS.into_iter().find(|group| name.starts_with(&format!("{group}_")));
    group.map_or_else(|| "schema/src".to_owned(), source_of)
}

fn difference(file: &str, what: String) -> Difference {
    Difference { file: file.to_owned(), what }
}
