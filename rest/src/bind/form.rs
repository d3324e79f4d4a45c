//! `application/x-www-form-urlencoded` bodies of the token endpoints.

use serde_json::{Map, Value};

use super::refusal::ErrorCollector;
use super::{percent, text};
use crate::contract::{BodyForm, Contract, FieldCode, FieldError, Kind, below};

/// Returns the fields of a form as an object, typed by their schemas; none if they cannot be read.
pub(super) fn read(contract: &Contract, form: &BodyForm, body: &[u8], findings: &mut ErrorCollector) -> Option<Value> {
    let Ok(body) = std::str::from_utf8(body) else {
        findings.add_malformed("The form is not valid UTF-8. Encode its text as UTF-8.");
        return None;
    };
    let mut fields = Map::new();
    let mut readable = true;
    for (name, value) in percent::pairs(body) {
        let (name, value) = match (percent::decode_form(name), percent::decode_form(value)) {
            (Ok(name), Ok(value)) => (name, value),
            (Err(error), _) | (_, Err(error)) => {
                findings.add_malformed(format!("The service cannot decode the form. {}", error.message()));
                readable = false;
                continue;
            }
        };
        if fields.contains_key(&name) {
            findings.add_malformed_at(err_duplicate_field(&name));
            readable = false;
            continue;
        }
        if let Some(value) = field(contract, form, &name, &value, findings) {
            fields.insert(name, value);
        }
    }
    readable.then_some(Value::Object(fields))
}

/// Returns the value of a field in the kind that the form's schema declares.
pub(super) fn field(
    contract: &Contract,
    form: &BodyForm,
    name: &str,
    text: &str,
    findings: &mut ErrorCollector,
) -> Option<Value> {
    let schema = contract.resolve(contract.schema(form.schema));
    let property = schema.get("properties").and_then(|properties| properties.get(name));
    let kind = property.map_or(Kind::Text, |property| contract.kind(property));
    match text::value(kind, text) {
        Ok(value) => Some(value),
        Err((code, message)) => {
            findings.invalid(FieldError::pointer(below("", name), code, message));
            None
        }
    }
}

/// Returns the error of a field that was sent twice.
pub(super) fn err_duplicate_field(name: &str) -> FieldError {
    FieldError::pointer(below("", name), FieldCode::Duplicate, "This field occurs twice. Send it once.")
}
