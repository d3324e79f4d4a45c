//! Takes a file of fragments and operations apart into one document per operation.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_graphql::Name;
use async_graphql::parser::types::{
    DocumentOperations, ExecutableDocument, FragmentDefinition, OperationDefinition, Selection, SelectionSet,
};
use async_graphql::parser::{self, Pos, Positioned};

use super::Document;
use crate::contract::Problem;

/// The documents of one file, in the order written.
pub(super) fn documents(file: &str, text: &str, problems: &mut Vec<Problem>) -> Vec<Document> {
    let parsed = match parser::parse_query(text) {
        Ok(parsed) => parsed,
        Err(error) => {
            problems.push(unreadable(file, &error));
            return Vec::new();
        }
    };
    let source = Source::new(text, &parsed);
    let file = File { file, source, parsed: &parsed };
    let mut operations = Vec::new();
    for (name, operation) in parsed.operations.iter() {
        match name {
            Some(name) => operations.push((name, operation)),
            None => problems.push(file.problem(operation.pos, "this operation has no name; give it its promise's id")),
        }
    }
    operations.sort_by_key(|(_, operation)| (operation.pos.line, operation.pos.column));
    let mut used = BTreeSet::new();
    let documents: Vec<Document> =
        operations.into_iter().map(|(name, operation)| file.document(name, operation, &mut used, problems)).collect();
    file.refuse_unused(&used, problems);
    documents
}

/// One file, parsed.
struct File<'a> {
    file: &'a str,
    source: Source<'a>,
    parsed: &'a ExecutableDocument,
}

impl<'a> File<'a> {
    fn document(
        &self,
        name: &'a Name,
        operation: &'a Positioned<OperationDefinition>,
        used: &mut BTreeSet<&'a str>,
        problems: &mut Vec<Problem>,
    ) -> Document {
        let mut reached = Reached::default();
        self.reach(&operation.node.selection_set.node, &mut reached, problems);
        let mut starts: Vec<Pos> = reached.fragments.values().map(|fragment| fragment.pos).collect();
        starts.push(operation.pos);
        starts.sort_by_key(|pos| (pos.line, pos.column));
        let texts: Vec<&str> = starts.into_iter().map(|pos| self.source.definition(pos)).collect();
        used.extend(reached.fragments.keys().copied());
        let fragments: HashMap<Name, Positioned<FragmentDefinition>> =
            reached.fragments.into_iter().map(|(name, fragment)| (Name::new(name), fragment.clone())).collect();
        let operations = HashMap::from([(name.clone(), operation.clone())]);
        Document {
            name: name.to_string(),
            file: self.file.to_owned(),
            line: operation.pos.line,
            text: format!("{}\n", texts.join("\n\n")),
            parsed: ExecutableDocument { operations: DocumentOperations::Multiple(operations), fragments },
        }
    }

    /// Follows the fragments of a selection, those within fragments too.
    fn reach(&self, selection: &'a SelectionSet, reached: &mut Reached<'a>, problems: &mut Vec<Problem>) {
        for item in &selection.items {
            match &item.node {
                Selection::Field(field) => self.reach(&field.node.selection_set.node, reached, problems),
                Selection::InlineFragment(inline) => {
                    self.reach(&inline.node.selection_set.node, reached, problems);
                }
                Selection::FragmentSpread(spread) => {
                    let name = spread.node.fragment_name.node.as_str();
                    if reached.open.contains(&name) {
                        let what = format!("the fragment {name} leads back to itself");
                        problems.push(self.problem(item.pos, what));
                        continue;
                    }
                    let Some((name, fragment)) = self.parsed.fragments.get_key_value(name) else {
                        let what = format!("there is no fragment {name} in this file");
                        problems.push(self.problem(item.pos, what));
                        continue;
                    };
                    if reached.fragments.insert(name.as_str(), fragment).is_none() {
                        reached.open.push(name.as_str());
                        self.reach(&fragment.node.selection_set.node, reached, problems);
                        reached.open.pop();
                    }
                }
            }
        }
    }

    fn refuse_unused(&self, used: &BTreeSet<&str>, problems: &mut Vec<Problem>) {
        let mut unused: Vec<_> =
            self.parsed.fragments.iter().filter(|(name, _)| !used.contains(name.as_str())).collect();
        unused.sort_by_key(|(_, fragment)| fragment.pos.line);
        for (name, fragment) in unused {
            let what = format!("no operation of this file uses the fragment {name}; remove it");
            problems.push(self.problem(fragment.pos, what));
        }
    }

    fn problem(&self, pos: Pos, what: impl Into<String>) -> Problem {
        Problem::new(self.file, format!("line {}", pos.line), what)
    }
}

/// The fragments that an operation reaches, and those that are being followed.
#[derive(Default)]
struct Reached<'a> {
    fragments: BTreeMap<&'a str, &'a Positioned<FragmentDefinition>>,
    open: Vec<&'a str>,
}

/// The text of a file, cut where its definitions begin.
struct Source<'a> {
    /// Each definition's text by its first line and column.
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
            definitions.insert(start, without_comments_behind(text.get(from..end).unwrap_or_default()));
            end = from;
        }
        Source { definitions }
    }

    fn definition(&self, pos: Pos) -> &'a str {
        self.definitions.get(&(pos.line, pos.column)).copied().unwrap_or_default()
    }
}

/// The place of a line and column (both from 1, columns in characters) in bytes.
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

/// A definition without the blank lines and comments behind it, which belong to the next one.
fn without_comments_behind(definition: &str) -> &str {
    let mut definition = definition.trim_end();
    loop {
        let last = definition.rfind('\n').map_or(0, |end| end + 1);
        let is_comment = definition.get(last..).is_some_and(|line| line.trim_start().starts_with('#'));
        if !is_comment || last == 0 {
            return definition;
        }
        definition = definition.get(..last).unwrap_or_default().trim_end();
    }
}

fn unreadable(file: &str, error: &parser::Error) -> Problem {
    let place = error.positions().next().map(|pos| format!("line {}", pos.line));
    Problem::new(file, place.unwrap_or_default(), error.to_string())
}
