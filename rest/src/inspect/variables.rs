//! Compares the parameters and body of an operation with the variables of its document, which are the arguments of its
//! root field: both sides have the same ones, with the same types, and they are optional if the contract says so.

use std::collections::BTreeMap;

use async_graphql::parser::types::{OperationDefinition, Type};
use serde_json::Value;

use super::leaf;
use super::shape::{Fields, Shape, merge_fields, shape};
use crate::contract::{BodyKind, Contract, Operation, ParameterIn};
use crate::sdl::{Input, Kind, Sdl, entries, named_type};

/// Returns the differences between an operation's inputs and its document's variables.
pub(super) fn differences(
    contract: &Contract,
    sdl: &Sdl,
    operation: &Operation,
    document: &OperationDefinition,
) -> Vec<String> {
    let mut compare = Compare { contract, sdl, found: Vec::new(), open: Vec::new() };
    let variables: BTreeMap<&str, (&Type, bool)> = document
        .variable_definitions
        .iter()
        .map(|variable| {
            let has_default = variable.node.default_value.is_some();
            (variable.node.name.node.as_str(), (&variable.node.var_type.node, has_default))
        })
        .collect();
    let mut known = Vec::new();
    for parameter in &operation.parameters {
        let name = parameter.variable();
        let variable = variables.get(name.as_str());
        known.push(name.clone());
        match variable {
            Some((ty, has_default)) => {
                let always = parameter.required || parameter.default.is_some() || parameter.place == ParameterIn::Path;
                let presence = Presence { required: parameter.required, always, has_default: *has_default };
                compare.input(&format!("${name}"), &parameter.schema, ty, presence);
            }
            None if parameter.place == ParameterIn::Header => {}
            None => compare.found.push(format!(
                "the contract declares the parameter {name}, but the root field does not take it: add the argument \
                 {name}"
            )),
        }
    }
    compare.body(operation, variables.get("body").copied());
    known.push("body".to_owned());
    for name in variables.keys().filter(|name| !known.iter().any(|known| known == *name)) {
        compare.found.push(format!(
            "the root field takes ${name}, which is not a parameter of the contract: remove the argument, or declare \
             the parameter"
        ));
    }
    compare.found
}

/// Whether a value is required, always bound, or optional.
#[derive(Clone, Copy)]
struct Presence {
    /// The contract requires it.
    required: bool,
    /// It is always bound, because it is required or has a default.
    always: bool,
    /// The GraphQL side has its own default.
    has_default: bool,
}

struct Compare<'a> {
    contract: &'a Contract,
    sdl: &'a Sdl,
    found: Vec<String>,
    /// Pairs of schema and type that are being compared, so that recursive types end.
    open: Vec<(*const Value, String)>,
}

impl<'a> Compare<'a> {
    fn body(&mut self, operation: &'a Operation, variable: Option<(&Type, bool)>) {
        let mut expected = false;
        for form in operation.body.iter().flat_map(|body| &body.forms) {
            let schema = self.contract.schema(form.schema);
            let required = operation.body.as_ref().is_some_and(|body| body.required);
            let fields = match form.kind {
                BodyKind::Binary => continue,
                BodyKind::Multipart => self.without_files(schema),
                BodyKind::Json | BodyKind::MergePatch | BodyKind::Form => None,
            };
            expected = true;
            let Some((ty, has_default)) = variable else {
                self.found.push(
                    "the operation has a body, but the root field does not take it: add the argument body".to_owned(),
                );
                continue;
            };
            match (fields, named_type(ty)) {
                (Some(fields), Some(name)) => self.check_named_type("$body", schema, Shape::Object(fields), name),
                _ => self.input("$body", schema, ty, Presence { required, always: required, has_default }),
            }
        }
        if variable.is_some() && !expected {
            self.found.push("the operation has no body or a binary one, but the root field takes $body".to_owned());
        }
        self.found.dedup();
    }

    /// Returns the fields of a form without its files, which are passed separately from the variables.
    fn without_files(&self, schema: &'a Value) -> Option<Fields<'a>> {
        let Shape::Object(mut fields) = shape(self.contract, schema).shape else {
            return None;
        };
        fields.properties.retain(|_, property| !self.contract.is_file(property));
        Some(fields)
    }

    fn input(&mut self, place: &str, schema: &'a Value, ty: &Type, presence: Presence) {
        let shaped = shape(self.contract, schema);
        let may_be_null = shaped.nullable || !presence.always;
        if may_be_null && !ty.nullable && !presence.has_default {
            self.found.push(format!("{place} can be absent or null in the contract, but not in {ty}: drop its `!`"));
        }
        if presence.required && !shaped.nullable && ty.nullable {
            self.found.push(format!("{place} is required in the contract, but {ty} is not: write `{ty}!`"));
        }
        match shaped.shape {
            Shape::List(items) => match entries(ty) {
                Some(entry) => {
                    let presence = Presence { required: true, always: true, has_default: false };
                    self.input(&format!("{place}[]"), items, entry, presence);
                }
                None => self.found.push(format!("{place} is a list in the contract, but {ty} is not a list")),
            },
            shape => match named_type(ty) {
                Some(name) => self.check_named_type(place, schema, shape, name),
                None => self.found.push(format!("{place} is {ty} in the schema, but not a list in the contract")),
            },
        }
    }

    fn check_named_type(&mut self, place: &str, schema: &'a Value, shape: Shape<'a>, name: &str) {
        let inputs = match self.sdl.kind(name) {
            Some(Kind::Input(inputs)) => Some(inputs),
            _ => None,
        };
        let fields = match (shape, inputs) {
            (Shape::Object(fields), Some(_)) => fields,
            (Shape::Forms(forms), Some(_)) => match merge_fields(self.contract, &forms) {
                Some(fields) => fields,
                None => {
                    self.found.push(format!("{place} has forms that are not objects, but {name} is an input object"));
                    return;
                }
            },
            (shape, _) => {
                if let Some(misfit) = leaf::find_misfit(self.sdl, &shape, name) {
                    self.found.push(format!("{place}: {misfit}"));
                }
                return;
            }
        };
        let pair = (std::ptr::from_ref(self.contract.resolve(schema)), name.to_owned());
        if self.open.contains(&pair) {
            return;
        }
        self.open.push(pair);
        if let Some(inputs) = inputs {
            self.fields(place, name, fields, inputs);
        }
        self.open.pop();
    }

    fn fields(&mut self, place: &str, name: &str, fields: Fields<'a>, inputs: &BTreeMap<String, Input>) {
        for (field, schema) in &fields.properties {
            let place = format!("{place}.{field}");
            match inputs.get(*field) {
                Some(input) => {
                    let required = fields.required.contains(field);
                    let presence = Presence { required, always: required, has_default: input.has_default };
                    self.input(&place, schema, &input.ty, presence);
                }
                None => self.found.push(format!("{place} is in the contract, but the input {name} lacks it")),
            }
        }
        for field in inputs.keys().filter(|field| !fields.properties.contains_key(field.as_str())) {
            self.found.push(format!("{place}.{field} is in the input {name}, but the contract lacks it"));
        }
    }
}
