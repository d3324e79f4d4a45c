//! Selects the errors to report when a value fits none of several alternatives (`oneOf`, `anyOf`): those from the most
//! likely alternative, not all of them.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::field::{self, FieldCode, FieldError};
use super::schema_set::SchemaSet;

/// Errors of one alternative.
type Form = Vec<ValidationError<'static>>;

/// Explains why the value at `pointer` fits none of `forms`.
pub(super) fn explain(book: &SchemaSet, pointer: &str, forms: &[Form], errors: &mut Vec<FieldError>) {
    let possible: Vec<&Form> =
        forms.iter().filter(|form| !form.iter().any(|error| is_type_error_at(error, pointer))).collect();
    if possible.is_empty() {
        errors.push(err_no_type(pointer, forms));
        return;
    }
    let undecided = possible.iter().all(|form| discriminator(form, pointer).is_some());
    if possible.len() > 1
        && undecided
        && let Some(place) = common_discriminator(&possible, pointer)
    {
        let values = possible.iter().filter_map(|form| discriminator(form, pointer)).flat_map(allowed_values);
        errors.push(FieldError::pointer(place, FieldCode::Enum, field::one_of(values)));
        return;
    }
    let meant = possible.iter().min_by_key(|form| (discriminator(form, pointer).is_some(), form.len()));
    for error in meant.into_iter().flat_map(|form| form.iter()) {
        field::explain(book, error, errors);
    }
}

/// Whether the value itself, not a value within it, has another type.
fn is_type_error_at(error: &ValidationError<'_>, pointer: &str) -> bool {
    matches!(error.kind(), Kind::Type { .. }) && error.instance_path().as_str() == pointer
}

/// Returns one error that names the types of all alternatives.
fn err_no_type(pointer: &str, forms: &[Form]) -> FieldError {
    let mut names: Vec<&str> = Vec::new();
    let mut found = "this";
    for error in forms.iter().flatten() {
        if let Kind::Type { kind } = error.kind()
            && error.instance_path().as_str() == pointer
        {
            found = field::type_of(error.instance());
            match kind {
                TypeKind::Single(kind) => names.push(field::name(*kind)),
                TypeKind::Multiple(kinds) => names.extend(kinds.iter().map(field::name)),
            }
        }
    }
    names.dedup();
    let message = format!("Send {}, not {found}.", names.join(" or "));
    FieldError::pointer(pointer, FieldCode::Type, message)
}

/// Returns the error of a fixed field (`kind: {const: APP}`) directly below `pointer`. It shows that the caller did not
/// mean this alternative.
fn discriminator<'a>(form: &'a Form, pointer: &str) -> Option<&'a ValidationError<'static>> {
    form.iter().find(|error| {
        let fixed = matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. });
        let below = error.instance_path().as_str().strip_prefix(pointer);
        fixed && below.is_some_and(|rest| rest.rfind('/') == Some(0))
    })
}

/// Returns the place of the fixed field, if it is the same in every alternative.
fn common_discriminator(forms: &[&Form], pointer: &str) -> Option<String> {
    let mut places = forms.iter().map(|form| discriminator(form, pointer).map(|error| error.instance_path().as_str()));
    let first = places.next()??;
    places.all(|place| place == Some(first)).then(|| first.to_owned())
}

fn allowed_values<'a>(error: &'a ValidationError<'static>) -> Vec<&'a Value> {
    match error.kind() {
        Kind::Constant { expected_value } => vec![expected_value.as_ref()],
        Kind::Enum { options } => options.as_array().into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}
