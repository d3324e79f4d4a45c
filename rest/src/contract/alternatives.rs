//! What to say when a value fits none of several forms (`oneOf`, `anyOf`): the errors of the form
//! that was most likely meant, not those of all.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::field::{self, FieldCode, FieldError};
use super::schema_set::SchemaSet;

/// The errors of one form each.
type Form = Vec<ValidationError<'static>>;

/// Says why the value at `pointer` fits none of `forms`.
pub(super) fn explain(book: &SchemaSet, pointer: &str, forms: &[Form], errors: &mut Vec<FieldError>) {
    let possible: Vec<&Form> =
        forms.iter().filter(|form| !form.iter().any(|error| is_type_error_at(error, pointer))).collect();
    if possible.is_empty() {
        errors.push(no_type(pointer, forms));
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

/// Whether the value itself, not something within it, is of another type.
fn is_type_error_at(error: &ValidationError<'_>, pointer: &str) -> bool {
    matches!(error.kind(), Kind::Type { .. }) && error.instance_path().as_str() == pointer
}

/// One error that names the types of all forms.
fn no_type(pointer: &str, forms: &[Form]) -> FieldError {
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

/// The error of a fixed field (`kind: {const: APP}`) just below `pointer`, which tells that this
/// form was not meant.
fn discriminator<'a>(form: &'a Form, pointer: &str) -> Option<&'a ValidationError<'static>> {
    form.iter().find(|error| {
        let fixed = matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. });
        let below = error.instance_path().as_str().strip_prefix(pointer);
        fixed && below.is_some_and(|rest| rest.rfind('/') == Some(0))
    })
}

/// The place of the fixed field, when it is the same in every form.
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
