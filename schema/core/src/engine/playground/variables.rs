//! Variables of a query, compared with their types (GraphQL specification, Coercing Variable Values). The library
//! reports a wrong value at the field that uses it, without its place in the variables.

use async_graphql::parser::types::{BaseType, OperationDefinition, Type};
use serde_json::{Map, Value as Json};

use super::super::graph::to_value;
use super::super::signature::Signature;
use super::QUERY;
use crate::describe::{DescribedField, TypeKind, TypeRef, Types};
use crate::fault::FieldError;

/// Maximum number of reported errors.
const MOST_ERRORS: usize = 100;

/// Lists the variables that are missing or do not have their type, each with a pointer into the request.
pub(super) fn find_errors(
    types: &Types,
    operation: &OperationDefinition,
    variables: &Map<String, Json>,
) -> Vec<FieldError> {
    let mut check = Check { types, errors: Vec::new() };
    for defined in &operation.variable_definitions {
        let (name, ty) = (defined.node.name.node.as_str(), reference_of(&defined.node.var_type.node));
        match variables.get(name) {
            Some(value) => check.check_value(&format!("/variables/{name}"), &ty, value),
            None if matches!(ty, TypeRef::NonNull(_)) && defined.node.default_value.is_none() => {
                let message = format!("The variable `${name}` is missing. It has the type `{ty}`.");
                check.report(&format!("/variables/{name}"), "REQUIRED", message);
            }
            None => {}
        }
    }
    check.errors
}

/// Lists the arguments of a root field that do not have their type. The library accepts a list in the place of an input
/// object.
pub(super) fn find_argument_errors(signature: &Signature, arguments: &Map<String, Json>) -> Vec<FieldError> {
    let mut check = Check { types: signature.types(), errors: Vec::new() };
    for (name, ty) in signature.arguments() {
        // The validation reports missing arguments.
        if let Some(value) = arguments.get(name).filter(|value| !value.is_null()) {
            check.check_value(name, ty, value);
        }
    }
    let at_query = |error: FieldError| {
        let place = error.pointer.unwrap_or_default();
        FieldError::at(QUERY, "QUERY", format!("The argument `{place}` is not valid. {}", error.message))
    };
    check.errors.into_iter().map(at_query).collect()
}

fn reference_of(ty: &Type) -> TypeRef {
    let base = match &ty.base {
        BaseType::Named(name) => TypeRef::named(name.as_str()),
        BaseType::List(inner) => TypeRef::List(Box::new(reference_of(inner))),
    };
    if ty.nullable { base } else { TypeRef::NonNull(Box::new(base)) }
}

struct Check<'a> {
    types: &'a Types,
    errors: Vec<FieldError>,
}

impl Check<'_> {
    fn report(&mut self, pointer: &str, code: &str, message: String) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(FieldError::at(pointer, code, message));
        }
    }

    fn check_value(&mut self, pointer: &str, ty: &TypeRef, value: &Json) {
        match (ty, value) {
            (TypeRef::NonNull(_), Json::Null) => {
                self.report(pointer, "TYPE", format!("The value must not be null. It has the type `{ty}`."));
            }
            (_, Json::Null) => {}
            (TypeRef::NonNull(inner), value) => self.check_value(pointer, inner, value),
            (TypeRef::List(inner), Json::Array(values)) => {
                for (place, value) in values.iter().enumerate() {
                    self.check_value(&format!("{pointer}/{place}"), inner, value);
                }
            }
            // A single value is equivalent to a list with this value.
            (TypeRef::List(inner), value) => self.check_value(pointer, inner, value),
            (TypeRef::Named(name), value) => self.check_named(pointer, name, value),
        }
    }

    fn check_named(&mut self, pointer: &str, name: &str, value: &Json) {
        let types = self.types;
        match types.named.get(name).map(|ty| &ty.kind) {
            Some(TypeKind::Object { fields, .. }) => match value {
                Json::Object(sent) => self.check_fields(pointer, name, fields, sent),
                _ => self.report(pointer, "TYPE", format!("The value must be an object of the type `{name}`.")),
            },
            Some(TypeKind::Enum(words))
                if !value.as_str().is_some_and(|sent| words.iter().any(|(word, _)| *word == sent)) =>
            {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                self.report(pointer, "ENUM", format!("The value must be one of {}.", words.join(", ")));
            }
            Some(TypeKind::Scalar { accepts, .. }) if !accepts(&to_value(value)) => {
                self.report(pointer, "TYPE", format!("The value does not have the type `{name}`."));
            }
            Some(TypeKind::Enum(_) | TypeKind::Scalar { .. } | TypeKind::Union(_)) => {}
            None if !has_built_in_type(name, value) => {
                self.report(pointer, "TYPE", format!("The value does not have the type `{name}`."));
            }
            None => {}
        }
    }

    fn check_fields(&mut self, pointer: &str, name: &str, fields: &[DescribedField], sent: &Map<String, Json>) {
        for unknown in sent.keys().filter(|key| !fields.iter().any(|field| field.name == key.as_str())) {
            let place = format!("{pointer}/{}", unknown.replace('~', "~0").replace('/', "~1"));
            self.report(&place, "UNKNOWN_FIELD", format!("The type `{name}` has no field with this name."));
        }
        for field in fields {
            let place = format!("{pointer}/{}", field.name);
            match sent.get(field.name) {
                Some(value) => self.check_value(&place, &field.ty, value),
                None if matches!(field.ty, TypeRef::NonNull(_)) => {
                    self.report(&place, "REQUIRED", format!("The field is missing. It has the type `{}`.", field.ty));
                }
                None => {}
            }
        }
    }
}

/// Whether a value has this type of the GraphQL specification.
fn has_built_in_type(name: &str, value: &Json) -> bool {
    match name {
        TypeRef::STRING => value.is_string(),
        TypeRef::BOOLEAN => value.is_boolean(),
        TypeRef::INT => value.is_i64() || value.is_u64(),
        TypeRef::FLOAT => value.is_number(),
        TypeRef::ID => value.is_string() || value.is_i64() || value.is_u64(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use serde_json::json;

    use super::super::super::operation::only_operation;
    use super::*;
    use crate::describe::{Member, Object, ObjectKind};

    const MEMBERS: &[Member] = &[
        Member::Field { name: "text", description: "", ty: |_| TypeRef::named_nn(TypeRef::STRING) },
        Member::Field {
            name: "state",
            description: "",
            ty: |types| types.enumeration("State", "", &[("OPEN", ""), ("CLOSED", "")]),
        },
        Member::Field { name: "notes", description: "", ty: |_| TypeRef::named_list(TypeRef::STRING) },
    ];

    /// Returns the pointer and code of each error.
    fn errors(definitions: &str, variables: Json) -> Vec<(String, String)> {
        let mut types = Types::default();
        types.object(&Object {
            name: "Finding",
            description: "",
            kind: ObjectKind::Input,
            parameter: None,
            members: MEMBERS,
        });
        <uuid::Uuid as crate::describe::Described>::reference(&mut types);
        let document = parse_query(format!("query ({definitions}) {{ a }}")).unwrap();
        let Json::Object(variables) = variables else { unreachable!() };
        let found = find_errors(&types, &only_operation(&document).unwrap().node, &variables);
        found.into_iter().map(|error| (error.pointer.unwrap(), error.code)).collect()
    }

    fn error(pointer: &str, code: &str) -> Vec<(String, String)> {
        vec![(pointer.to_owned(), code.to_owned())]
    }

    #[test]
    fn missing_and_null_variables_are_named() {
        assert_eq!(errors("$a: Int!", json!({})), error("/variables/a", "REQUIRED"));
        assert_eq!(errors("$a: Int!", json!({ "a": null })), error("/variables/a", "TYPE"));
        assert_eq!(errors("$a: Int! = 5, $b: Int", json!({})), []);
        assert_eq!(errors("$a: Int", json!({ "a": null, "unused": 1 })), []);
    }

    #[test]
    fn values_must_have_the_type_of_their_variable() {
        assert_eq!(errors("$a: Int", json!({ "a": "5" })), error("/variables/a", "TYPE"));
        assert_eq!(errors("$a: Int", json!({ "a": 1.5 })), error("/variables/a", "TYPE"));
        assert_eq!(errors("$a: Boolean", json!({ "a": 1 })), error("/variables/a", "TYPE"));
        assert_eq!(errors("$a: UUID", json!({ "a": "no" })), error("/variables/a", "TYPE"));
        assert_eq!(errors("$a: [Int!]", json!({ "a": [1, null] })), error("/variables/a/1", "TYPE"));
        assert_eq!(errors("$a: [Int!]", json!({ "a": 1 })), []);
    }

    #[test]
    fn fields_of_input_objects_are_checked() {
        let good = json!({ "text": "a", "state": "OPEN", "notes": [null, "b"] });
        assert_eq!(errors("$f: [Finding!]!", json!({ "f": [good] })), []);
        let bad = json!({ "state": "AJAR", "no/tes": 1 });
        let found = errors("$f: Finding", json!({ "f": bad }));
        let places = [
            ("/variables/f/no~1tes", "UNKNOWN_FIELD"),
            ("/variables/f/text", "REQUIRED"),
            ("/variables/f/state", "ENUM"),
        ];
        assert_eq!(found, places.map(|(pointer, code)| (pointer.to_owned(), code.to_owned())));
    }
}
