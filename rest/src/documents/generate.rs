//! Generates the documents from contract and schema.
//!
//! The contract names the root field of an operation, the schema its arguments and result; so no document is written by
//! hand. An operation passes every argument and selects every plain field of the result, recursively. Each object type
//! has one fragment: in the file of the only resource that returns it, or in [`SHARED`].

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::SHARED;
use crate::contract::{Contract, Operation};
use crate::sdl::{Field, Object, Root, Sdl, innermost};

/// The first line of every file.
const HEAD: &str = "# Made from contract and schema by `make accept`: rest/documents/README.md says how.\n";
/// Maximum line length, as in the code.
const WIDTH: usize = 120;

/// Returns the text of every file by its path below `rest/documents`. An operation with a direct answer has no
/// document, and an operation without a root field cannot have one yet.
///
/// # Errors
/// The reason why the schema's SDL cannot be read.
pub fn generate(contract: &Contract, sdl: &str) -> Result<BTreeMap<String, String>, String> {
    let sdl = Sdl::read(sdl)?;
    let mut fragments = Fragments { sdl: &sdl, texts: BTreeMap::new() };
    let mut definitions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for operation in contract.operations() {
        let Some((root, field)) = sdl.root(&operation.id) else { continue };
        if operation.direct.is_some() {
            continue;
        }
        let file = format!("{}/{}.graphql", operation.group, operation.resource);
        let mut writer = Writer::new(&sdl);
        writer.selection(innermost(&field.ty), "    ");
        let asked = writer.written;
        definitions.entry(file.clone()).or_default().push(operation_text(&sdl, operation, (root, field), &asked.text));
        for name in fragments.reached_types(asked.spread) {
            used.entry(name).or_default().insert(file.clone());
        }
    }
    for (name, files) in used {
        let file = match files.first() {
            Some(only) if files.len() == 1 => only.clone(),
            _ => SHARED.to_owned(),
        };
        let text = fragments.texts.remove(&name).unwrap_or_default().text;
        definitions.entry(file).or_default().push(text);
    }
    Ok(definitions.into_iter().map(|(file, texts)| (file, format!("{HEAD}\n{}", texts.join("\n")))).collect())
}

/// Writes the GraphQL operation of a contract operation.
fn operation_text(sdl: &Sdl, operation: &Operation, (root, field): (Root, &Field), selection: &str) -> String {
    let kind = match root {
        Root::Query => "query",
        Root::Mutation => "mutation",
    };
    let inputs = sdl.inputs(field);
    let variables = inputs.iter().map(|(name, ty)| {
        let of_own = field.arguments.iter().find(|argument| argument.name == *name);
        let default = of_own.and_then(|argument| argument.default.as_ref());
        format!("${name}: {ty}{}", default.map(|value| format!(" = {value}")).unwrap_or_default())
    });
    let passed = |name: &str| format!("{name}: ${name}");
    let arguments = field.arguments.iter().map(|argument| match sdl.filters(argument) {
        Some(fields) => {
            let fields: Vec<String> = fields.keys().map(|name| passed(name)).collect();
            format!("{}: {{{}}}", argument.name, fields.join(", "))
        }
        None => passed(&argument.name),
    });
    let id = &operation.id;
    let (head, asked) = (lay_out("", &format!("{kind} {id}"), variables), lay_out("  ", id, arguments));
    if selection.is_empty() {
        return format!("{head} {{\n{asked}\n}}\n");
    }
    format!("{head} {{\n{asked} {{\n{selection}  }}\n}}\n")
}

/// Writes a name with its bracketed entries: on one line, or each entry on a separate line.
fn lay_out(indent: &str, name: &str, entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<String> = entries.collect();
    if entries.is_empty() {
        return format!("{indent}{name}");
    }
    let line = format!("{indent}{name}({})", entries.join(", "));
    // An opening brace follows.
    if line.len() + 2 <= WIDTH {
        return line;
    }
    let between = format!("\n{indent}  ");
    format!("{indent}{name}({between}{}\n{indent})", entries.join(&between))
}

/// The fragments that were needed so far.
struct Fragments<'a> {
    sdl: &'a Sdl,
    texts: BTreeMap<String, DocumentPart>,
}

impl Fragments<'_> {
    /// Returns the types of these fragments and of all fragments that they spread, recursively.
    fn reached_types(&mut self, first: BTreeSet<String>) -> BTreeSet<String> {
        let (mut reached, mut waiting) = (first.clone(), Vec::from_iter(first));
        while let Some(name) = waiting.pop() {
            let sdl = self.sdl;
            let fragment = self.texts.entry(name).or_insert_with_key(|name| Writer::new(sdl).fragment(name));
            waiting.extend(fragment.spread.iter().filter(|name| reached.insert((*name).clone())).cloned());
        }
        reached
    }
}

/// A part of a document.
#[derive(Default)]
struct DocumentPart {
    text: String,
    /// Types whose fragments it spreads.
    spread: BTreeSet<String>,
}

/// Writes selections of a schema.
struct Writer<'a> {
    sdl: &'a Sdl,
    written: DocumentPart,
    /// Object types on the path to the next field, starting with the type of the fragment.
    open: Vec<&'a str>,
}

impl<'a> Writer<'a> {
    fn new(sdl: &'a Sdl) -> Self {
        Writer { sdl, written: DocumentPart::default(), open: Vec::new() }
    }

    /// Writes the fragment of an object type.
    fn fragment(mut self, name: &str) -> DocumentPart {
        self.line("", &format!("fragment {name}Fields on {name} {{"));
        if let Some(&name) = self.sdl.objects(name).first() {
            self.fields(name, "  ");
        }
        self.line("", "}");
        self.written
    }

    /// Writes the selection of a type: the fragments of its possible object types, and nothing for a scalar. A fragment
    /// cannot spread itself, so a recursive type is written out.
    fn selection(&mut self, name: &str, indent: &str) {
        let home = self.open.first().copied();
        let leads_back = home.is_some_and(|home| self.sdl.contains_type(name, home));
        for member in self.sdl.objects(name) {
            if !leads_back {
                self.line(indent, &format!("...{member}Fields"));
                self.written.spread.insert(member.to_owned());
            } else if member == name {
                self.fields(member, indent);
            } else {
                self.line(indent, &format!("... on {member} {{"));
                self.fields(member, &format!("{indent}  "));
                self.line(indent, "}");
            }
        }
    }

    /// Writes the plain fields of an object type.
    fn fields(&mut self, name: &'a str, indent: &str) {
        self.open.push(name);
        for field in self.sdl.object(name).into_iter().flat_map(Object::plain_fields) {
            let beneath = innermost(&field.ty);
            if self.sdl.objects(beneath).is_empty() {
                self.line(indent, &field.name);
            } else if !self.sdl.is_leaf(beneath, &self.open) {
                self.line(indent, &format!("{} {{", field.name));
                self.selection(beneath, &format!("{indent}  "));
                self.line(indent, "}");
            }
        }
        self.open.pop();
    }

    fn line(&mut self, indent: &str, words: &str) {
        for part in [indent, words, "\n"] {
            self.written.text.push_str(part);
        }
    }
}
