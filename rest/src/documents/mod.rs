//! The fixed documents of the operations (ARCHITECTURE.md).
//!
//! `rest/documents/<group>/<resource>.graphql` contains one GraphQL operation for each operation of the contract, and
//! the fragments of the types that only its resource returns; the other fragments are in
//! `rest/documents/types.graphql`. [`generate()`] makes all of them from contract and schema. They are committed, so
//! that changes of the selections are reviewed. Each operation becomes a separate document with only the fragments that
//! it reaches. The public API parses no GraphQL after startup.

mod generate;
mod split;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use async_graphql::parser::types::{ExecutableDocument, OperationDefinition};
use rust_embed::RustEmbed;

use crate::contract::{GROUPS, Problem};

pub use generate::generate;

/// File of the fragments that several files use.
const SHARED: &str = "types.graphql";

/// Folder of the files in the repository.
const FOLDER: &str = "rest/documents";

/// The files at build time of the binary.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/documents"]
#[include = "**/*.graphql"]
struct Files;

/// The document of one operation.
#[derive(Clone, Debug)]
pub struct Document {
    /// Name of the operation: its id in the contract.
    pub name: String,
    /// File of the document: `rest/documents/<group>/<resource>.graphql`.
    pub file: String,
    /// Line on which the operation begins.
    pub line: usize,
    /// The reachable fragments and the operation, as written.
    pub text: String,
    /// Parsed text. Positions are positions in the files, so that errors name the right line.
    pub parsed: ExecutableDocument,
}

impl Document {
    /// Returns the only operation.
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
    /// Returns the documents that are embedded in this binary.
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
    /// All problems, with file and line: text that is not GraphQL, operations without a name or with a duplicate one,
    /// names that do not begin with the file's group and resource, fragments that are missing, unused or recursive.
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

    /// Returns the document with this name.
    pub fn get(&self, name: &str) -> Option<&Document> {
        self.documents.get(name)
    }

    /// Returns all documents, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = &Document> {
        self.documents.values()
    }
}

/// Returns the required prefix of a file's operation names; none for a path without a group.
fn prefix(path: &str) -> Option<String> {
    let (group, file) = path.split_once('/')?;
    let resource = file.strip_suffix(".graphql")?;
    let known = GROUPS.contains(&group) && !resource.contains('/') && !resource.is_empty();
    known.then(|| format!("{group}_{resource}_"))
}
