//! Compares a document's selection with the contract's response: every declared field is selected, every selected field
//! is declared, types agree, and a field is nullable only if the contract allows null.
//!
//! A response contains all plain fields of its types, so each of them has to be selected, and therefore declared.

use std::collections::BTreeMap;

use async_graphql::Positioned;
use async_graphql::parser::types::{ExecutableDocument, Field, Selection, SelectionSet, Type};
use serde_json::Value;

use super::leaf;
use super::shape::{Fields, NullableShape, Shape, merge_fields, shape};
use crate::contract::Contract;
use crate::sdl::{Kind, Object, Sdl, entries, innermost, named_type};

/// Compares responses with one document.
pub(super) struct AnswerComparison<'a> {
    pub(super) contract: &'a Contract,
    pub(super) sdl: &'a Sdl,
    pub(super) document: &'a ExecutableDocument,
    /// Object types on the current path, starting with the root's.
    pub(super) open: Vec<&'a str>,
}

/// The fields of a selection, by their response key.
type SelectedFields<'a> = BTreeMap<&'a str, &'a Field>;

impl<'a> AnswerComparison<'a> {
    /// Returns the differences at `place` between a schema and a field of type `ty` with this selection.
    pub(super) fn differences(
        &mut self,
        place: &str,
        schema: &'a Value,
        ty: &'a Type,
        selection: &'a SelectionSet,
    ) -> Vec<String> {
        let NullableShape { nullable, shape } = shape(self.contract, schema);
        let mut found = Vec::new();
        if ty.nullable && !nullable {
            found.push(format!("{place} can be null in the schema ({ty}), but not in the contract"));
        }
        match (shape, entries(ty), named_type(ty)) {
            (Shape::List(items), Some(entry), _) => {
                found.extend(self.differences(&format!("{place}[]"), items, entry, selection));
            }
            (Shape::List(_), None, _) => {
                found.push(format!("{place} is a list in the contract, but {ty} is not a list"));
            }
            (_, Some(_), _) => found.push(format!("{place} is {ty} in the schema, but not a list in the contract")),
            (shape, None, Some(name)) => found.extend(self.check_named_type(place, shape, name, selection)),
            (_, None, None) => {}
        }
        found
    }

    fn check_named_type(
        &mut self,
        place: &str,
        shape: Shape<'a>,
        name: &'a str,
        selection: &'a SelectionSet,
    ) -> Vec<String> {
        match self.sdl.kind(name) {
            Some(Kind::Object(object)) if !object.interface => self.object(place, shape, name, object, selection),
            Some(Kind::Object(_) | Kind::Union(_)) => self.abstract_type(place, shape, name, selection),
            _ => leaf::find_misfit(self.sdl, &shape, name)
                .map(|misfit| format!("{place}: {misfit}"))
                .into_iter()
                .collect(),
        }
    }

    /// Checks that each object type of an interface or union fits one of the contract's alternatives.
    fn abstract_type(&mut self, place: &str, shape: Shape<'a>, name: &str, selection: &'a SelectionSet) -> Vec<String> {
        let forms: Vec<&Value> = match shape {
            Shape::Forms(forms) => forms,
            Shape::Object(fields) => return self.each_member(place, name, selection, &fields),
            _ => return vec![format!("{place} is one of several types ({name}), but not an object in the contract")],
        };
        let mut found = Vec::new();
        for member in self.sdl.members(name) {
            let Some(Kind::Object(object)) = self.sdl.kind(member) else {
                continue;
            };
            let best = forms
                .iter()
                .map(|form| self.object(place, shape_of(self.contract, form), member, object, selection))
                .min_by_key(Vec::len)
                .unwrap_or_default();
            if let Some(first) = best.first() {
                found.push(format!("{place}: {member} matches none of the contract's forms; nearest: {first}"));
            }
        }
        found
    }

    fn each_member(
        &mut self,
        place: &str,
        name: &str,
        selection: &'a SelectionSet,
        fields: &Fields<'a>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        for member in self.sdl.members(name) {
            if let Some(Kind::Object(object)) = self.sdl.kind(member) {
                found.extend(self.object(place, Shape::Object(copy(fields)), member, object, selection));
            }
        }
        found
    }

    fn object(
        &mut self,
        place: &str,
        shape: Shape<'a>,
        name: &'a str,
        object: &'a Object,
        selection: &'a SelectionSet,
    ) -> Vec<String> {
        let fields = match shape {
            Shape::Object(fields) => Some(fields),
            Shape::Forms(forms) => merge_fields(self.contract, &forms),
            _ => None,
        };
        let Some(fields) = fields else {
            return vec![format!("{place} is an object ({name}), but not an object with named fields in the contract")];
        };
        let mut found = Vec::new();
        let mut selected = SelectedFields::new();
        self.collect(name, object, selection, &mut selected, &mut found);
        self.open.push(name);
        for (key, field) in &selected {
            let place = below(place, key);
            let asked = field.name.node.as_str();
            match (fields.properties.get(key), object.field(asked)) {
                (_, Some(definition)) if !definition.is_plain() => found.push(format!(
                    "{place}: {name}.{asked} is an edge or takes arguments, and only staff queries may follow it: \
                     run `make accept`"
                )),
                (None, _) => found.push(find_leak(&place, name, asked)),
                (Some(_), _) if asked == "__typename" => {}
                (Some(schema), Some(definition)) => {
                    let selection = &field.selection_set.node;
                    found.extend(self.differences(&place, schema, &definition.ty, selection));
                }
                (Some(_), None) => found.push(format!("{place}: the type {name} has no field {asked}")),
            }
        }
        found.extend(self.find_missing(place, name, object, &fields, &selected));
        self.open.pop();
        found
    }

    /// Returns the fields at `place` that are declared or returned and not selected. For a recursive type, a document
    /// selects only some levels; the response contains all levels, because it is written from the whole value.
    fn find_missing(
        &self,
        place: &str,
        name: &str,
        object: &Object,
        fields: &Fields<'a>,
        selected: &SelectedFields<'a>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        for key in fields.properties.keys().filter(|key| !selected.contains_key(*key)) {
            let place = below(place, key);
            found.push(match object.field(key) {
                None => format!(
                    "{place} is in the contract, but {name} has no such field: add the field, or remove it from the \
                     contract"
                ),
                Some(field) if !field.is_plain() => format!(
                    "{place} is in the contract, but {name}.{key} is an edge or takes arguments, which documents do \
                     not follow: make it a plain field, or remove it from the contract"
                ),
                Some(field) if self.sdl.is_leaf(innermost(&field.ty), &self.open) => continue,
                Some(_) => {
                    format!("{place} is in the contract, but the document does not select it: run `make accept`")
                }
            });
        }
        let answered = object.plain_fields().map(|field| field.name.as_str());
        let unpromised = answered.filter(|key| !selected.contains_key(key) && !fields.properties.contains_key(key));
        found.extend(unpromised.map(|key| find_leak(&below(place, key), name, key)));
        found
    }

    /// Collects the selected fields of the object type `name`, with resolved fragments.
    fn collect(
        &self,
        name: &str,
        object: &Object,
        selection: &'a SelectionSet,
        selected: &mut SelectedFields<'a>,
        found: &mut Vec<String>,
    ) {
        for item in &selection.items {
            if !item.node.directives().is_empty() {
                found.push(format!(
                    "line {}: a document must not depend on directives; remove the directive",
                    item.pos.line
                ));
            }
            let (condition, inner) = match &item.node {
                Selection::Field(field) => {
                    selected.insert(field.node.response_key().node.as_str(), &field.node);
                    continue;
                }
                Selection::InlineFragment(inline) => {
                    let condition = inline.node.type_condition.as_ref().map(|on| on.node.on.node.as_str());
                    (condition, &inline.node.selection_set)
                }
                Selection::FragmentSpread(spread) => {
                    let Some(fragment) = self.document.fragments.get(&spread.node.fragment_name.node) else {
                        continue;
                    };
                    (Some(fragment.node.type_condition.node.on.node.as_str()), &fragment.node.selection_set)
                }
            };
            if self.applies(condition, name, object) {
                let Positioned { node, .. } = inner;
                self.collect(name, object, node, selected, found);
            }
        }
    }

    /// Whether a fragment on `condition` applies to the object type `name`.
    fn applies(&self, condition: Option<&str>, name: &str, object: &Object) -> bool {
        condition.is_none_or(|condition| {
            condition == name
                || object.implements.iter().any(|interface| interface == condition)
                || self.sdl.members(condition).contains(&name)
        })
    }
}

fn shape_of<'a>(contract: &'a Contract, schema: &'a Value) -> Shape<'a> {
    shape(contract, schema).shape
}

/// Describes a field that is returned and not declared.
fn find_leak(place: &str, name: &str, field: &str) -> String {
    format!("{place}: {name}.{field} is returned, but the contract does not declare it: declare it, or mark it @edge")
}

fn copy<'a>(fields: &Fields<'a>) -> Fields<'a> {
    Fields { properties: fields.properties.clone(), required: fields.required.clone() }
}

fn below(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}
