//! The fixed documents of the operations (ARCHITECTURE.md).
//!
//! `rest/documents/<group>/<resource>.graphql` holds one GraphQL operation for each of the contract, and the fragments of the types that
//! only its resource answers; those of the others stand in `rest/documents/types.graphql`. [`generate()`] makes all of them
//! from contract and schema, and they are committed, so that a change of what is asked is read before it is taken. Each
//! operation becomes a document of its own with only the fragments that it reaches. The public side parses no GraphQL
//! after start.

mod generate;
mod split;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use async_graphql::parser::types::{ExecutableDocument, OperationDefinition};
use rust_embed::RustEmbed;

use crate::contract::{GROUPS, Problem};

pub use generate::generate;

/// The operations that have no document.
pub const SERVED_DIRECTLY: &[&str] = &[
    "system_health_get",
    "system_readiness_get",
    "system_contract_get",
    "publication_api_reference_get",
    "system_me_explain",
];

/// The file of the fragments that several files use.
const SHARED: &str = "types.graphql";

/// Where the files stand in the repository.
const FOLDER: &str = "rest/documents";

/// The files, as they were when the binary was built.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/documents"]
#[include = "**/*.graphql"]
struct Files;

/// The document of one operation.
#[derive(Clone, Debug)]
pub struct Document {
    /// The operation's name: its id in the contract.
    pub name: String,
    /// The file it stands in: `rest/documents/<group>/<resource>.graphql`.
    pub file: String,
    /// The line on which the operation begins.
    pub line: usize,
    /// The reachable fragments and the operation, as written.
    pub text: String,
    /// The same, parsed. Positions are those in the files, so that an error leads there.
    pub parsed: ExecutableDocument,
}

impl Document {
    /// The one operation.
    pub fn operation(&self) -> Option<&OperationDefinition> {
        self.parsed.operations.iter().next().map(|(_, operation)| &operation.node)
    }

    /// Whether an operation of this group and resource has its document in this file.
    pub fn is_in(&self, group: &str, resource: &str) -> bool {
        self.file == format!("{FOLDER}/{group}/{resource}.graphql")
    }
}

/// All documents by name.
#[derive(Clone, Debug, Default)]
pub struct Documents {
    documents: BTreeMap<String, Document>,
}

impl Documents {
    /// The documents that this binary carries.
    ///
    /// # Errors
    /// As [`Documents::read`].
    pub fn load() -> Result<Documents, Vec<Problem>> {
        let files = Files::iter().filter_map(|path| {
            let file = Files::get(&path)?;
            Some((path.into_owned(), String::from_utf8_lossy(&file.data).into_owned()))
        });
        Documents::read(files)
    }

    /// Reads documents from files, given by their path below `rest/documents` and their text.
    ///
    /// # Errors
    /// Everything that is wrong, with file and line: text that is not GraphQL, operations without
    /// name or with another's, names that do not begin with the file's group and resource,
    /// fragments that are missing, unused or lead back to themselves.
    pub fn read(files: impl IntoIterator<Item = (String, String)>) -> Result<Documents, Vec<Problem>> {
        let mut documents: BTreeMap<String, Document> = BTreeMap::new();
        let (mut problems, mut sources, mut prefixes) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (path, text) in files {
            let file = format!("{FOLDER}/{path}");
            match prefix(&path) {
                _ if path == SHARED => sources.push((file, text)),
                Some(prefix) => {
                    prefixes.insert(file.clone(), prefix);
                    sources.push((file, text));
                }
                None => problems.push(Problem::new(file, "", "a document must be in <group>/<resource>.graphql")),
            }
        }
        for document in split::documents(&sources, &mut problems) {
            let place = format!("line {}", document.line);
            let Some(prefix) = prefixes.get(&document.file) else {
                let what = format!("{} is an operation, but this file may contain only fragments", document.name);
                problems.push(Problem::new(&document.file, &place, what));
                continue;
            };
            if document.name.strip_prefix(prefix.as_str()).is_none_or(str::is_empty) {
                let what =
                    format!("in this file, an operation's name must begin with `{prefix}`, unlike {}", document.name);
                problems.push(Problem::new(&document.file, &place, what));
            }
            if let Some(first) = documents.get(&document.name) {
                let what = format!("{} is also defined in {}", document.name, first.file);
                problems.push(Problem::new(&document.file, &place, what));
                continue;
            }
            documents.insert(document.name.clone(), document);
        }
        if problems.is_empty() { Ok(Documents { documents }) } else { Err(problems) }
    }

    /// The document of this name.
    pub fn get(&self, name: &str) -> Option<&Document> {
        self.documents.get(name)
    }

    /// All documents, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Document> {
        self.documents.values()
    }
}

/// What the names of a file's operations begin with. None when the path is no address.
fn prefix(path: &str) -> Option<String> {
    let (group, file) = path.split_once('/')?;
    let resource = file.strip_suffix(".graphql")?;
    let known = GROUPS.contains(&group) && !resource.contains('/') && !resource.is_empty();
    known.then(|| format!("{group}_{resource}_"))
}
