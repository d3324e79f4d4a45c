//! Splits the files of fragments and operations into one document per operation.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_graphql::Name;
use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, FragmentDefinition, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::parser::{self, Pos, Positioned};

use super::{Document, FOLDER, SHARED};
use crate::contract::Problem;

/// Name of a placeholder operation: the parser rejects a text without operations, so it is appended to files with only
/// fragments.
const PLACEHOLDER: &str = "placeholder";

/// Returns the documents of all files, given by their names and texts, in the written order. Each fragment is defined
/// once, in any file.
pub(super) fn documents(files: &[(String, String)], problems: &mut Vec<Problem>) -> Vec<Document> {
    let files: Vec<File<'_>> = files
        .iter()
        .filter_map(|(name, text)| File::read(name, text).map_err(|error| problems.push(error)).ok())
        .collect();
    let mut known = KnownFragments::new();
    for file in &files {
        for (name, fragment) in &file.parsed.fragments {
            if let Some((first, _)) = known.insert(name.as_str(), (file, fragment)) {
                let what = format!(
                    "the fragment {name} is also defined in {}; a fragment is available in all files",
                    first.name
                );
                problems.push(file.problem(fragment.pos, what));
            }
        }
    }
    let (mut used, mut documents) = (BTreeSet::new(), Vec::new());
    for file in &files {
        let mut operations = Vec::new();
        for (name, operation) in file.parsed.operations.iter() {
            match name {
                Some(name) => operations.push((name, operation)),
                None => {
                    problems.push(
                        file.problem(operation.pos, "this operation has no name; name it after its operation id"),
                    );
                }
            }
        }
        operations.sort_by_key(|(_, operation)| (operation.pos.line, operation.pos.column));
        for (name, operation) in operations {
            let mut reached = ReachedFragments { known: &known, fragments: BTreeMap::new(), open: Vec::new() };
            reached.follow(file, &operation.node.selection_set.node, problems);
            used.extend(reached.fragments.keys().copied());
            documents.push(reached.document(file, name, operation));
        }
    }
    let mut unused: Vec<_> = known.iter().filter(|(name, _)| !used.contains(*name)).collect();
    unused.sort_by_key(|(_, (file, fragment))| (file.name, fragment.pos.line));
    for (name, (file, fragment)) in unused {
        problems.push(file.problem(fragment.pos, format!("no operation uses the fragment {name}; remove it")));
    }
    documents
}

/// Every fragment by its name, with its file.
type KnownFragments<'a> = HashMap<&'a str, (&'a File<'a>, &'a Positioned<FragmentDefinition>)>;

/// One file, parsed.
struct File<'a> {
    name: &'a str,
    source: Source<'a>,
    parsed: ExecutableDocument,
}

impl<'a> File<'a> {
    fn read(name: &'a str, text: &'a str) -> Result<Self, Problem> {
        let parse = |text: &str| parser::parse_query(text).map_err(|error| unreadable(name, &error));
        let parsed = if name == format!("{FOLDER}/{SHARED}") {
            let mut parsed = parse(&format!("{text}\nquery {PLACEHOLDER} {{ __typename }}\n"))?;
            if let DocumentOperations::Multiple(operations) = &mut parsed.operations {
                operations.remove(PLACEHOLDER);
            }
            parsed
        } else {
            parse(text)?
        };
        Ok(Self { name, source: Source::new(text, &parsed), parsed })
    }

    fn problem(&self, pos: Pos, what: impl Into<String>) -> Problem {
        Problem::new(self.name, format!("line {}", pos.line), what)
    }
}

/// The fragments that an operation reaches, and the fragments on the current path.
struct ReachedFragments<'a> {
    known: &'a KnownFragments<'a>,
    fragments: BTreeMap<&'a str, (&'a File<'a>, &'a Positioned<FragmentDefinition>)>,
    open: Vec<&'a str>,
}

impl<'a> ReachedFragments<'a> {
    /// Follows the fragments of a selection in this file, including nested fragments.
    fn follow(&mut self, file: &'a File<'a>, selection: &'a SelectionSet, problems: &mut Vec<Problem>) {
        for item in &selection.items {
            match &item.node {
                Selection::Field(field) => self.follow(file, &field.node.selection_set.node, problems),
                Selection::InlineFragment(inline) => self.follow(file, &inline.node.selection_set.node, problems),
                Selection::FragmentSpread(spread) => {
                    let name = spread.node.fragment_name.node.as_str();
                    if self.open.contains(&name) {
                        problems.push(file.problem(item.pos, format!("the fragment {name} includes itself")));
                        continue;
                    }
                    let Some((name, (home, fragment))) = self.known.get_key_value(name) else {
                        problems.push(file.problem(item.pos, format!("the documents define no fragment {name}")));
                        continue;
                    };
                    if self.fragments.insert(name, (home, fragment)).is_none() {
                        self.open.push(name);
                        self.follow(home, &fragment.node.selection_set.node, problems);
                        self.open.pop();
                    }
                }
            }
        }
    }

    /// Builds the document of an operation in this file: fragments of other files, fragments of this file, and the
    /// operation, each as written.
    fn document(self, file: &File<'_>, name: &Name, operation: &Positioned<OperationDefinition>) -> Document {
        let mut starts: Vec<(&File<'_>, Pos)> =
            self.fragments.values().map(|(home, fragment)| (*home, fragment.pos)).collect();
        starts.push((file, operation.pos));
        starts.sort_by_key(|(home, pos)| (home.name == file.name, home.name, pos.line, pos.column));
        let texts: Vec<&str> = starts.into_iter().map(|(home, pos)| home.source.definition(pos)).collect();
        let fragments: HashMap<Name, Positioned<FragmentDefinition>> =
            self.fragments.into_iter().map(|(name, (_, fragment))| (Name::new(name), fragment.clone())).collect();
        let operations = HashMap::from([(name.clone(), operation.clone())]);
        Document {
            name: name.to_string(),
            file: file.name.to_owned(),
            line: operation.pos.line,
            text: format!("{}\n", texts.join("\n\n")),
            parsed: ExecutableDocument { operations: DocumentOperations::Multiple(operations), fragments },
        }
    }
}

/// Text of a file, split at the start of each definition.
struct Source<'a> {
    /// Text of each definition by its first line and column.
    definitions: BTreeMap<(usize, usize), &'a str>,
}

impl<'a> Source<'a> {
    fn new(text: &'a str, parsed: &ExecutableDocument) -> Source<'a> {
        let operations = parsed.operations.iter().map(|(_, operation)| operation.pos);
        let fragments = parsed.fragments.values().map(|fragment| fragment.pos);
        let mut starts: Vec<(usize, usize)> = operations.chain(fragments).map(|pos| (pos.line, pos.column)).collect();
        starts.sort_unstable();
        let mut definitions = BTreeMap::new();
        let mut end = text.len();
        for start in starts.into_iter().rev() {
            let from = offset(text, start);
            definitions.insert(start, text.get(from..end).unwrap_or_default().trim_end());
            end = from;
        }
        Source { definitions }
    }

    fn definition(&self, pos: Pos) -> &'a str {
        self.definitions.get(&(pos.line, pos.column)).copied().unwrap_or_default()
    }
}

/// Converts a line and column (both from 1, columns in characters) to a byte offset.
fn offset(text: &str, (line, column): (usize, usize)) -> usize {
    let mut before = 0;
    for (number, content) in text.split_inclusive('\n').enumerate() {
        if number + 1 == line {
            let in_line = content.char_indices().nth(column - 1).map_or(content.len(), |(place, _)| place);
            return before + in_line;
        }
        before += content.len();
    }
    text.len()
}

fn unreadable(file: &str, error: &parser::Error) -> Problem {
    let place = error.positions().next().map(|pos| format!("line {}", pos.line));
    Problem::new(file, place.unwrap_or_default(), error.to_string())
}
