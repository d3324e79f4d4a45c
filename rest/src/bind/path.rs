//! Path values: decoded, then parsed by their schemas. A value that does not parse names no resource: 404.

use serde_json::{Map, Value};

use super::refusal::Refusal;
use super::{percent, text};
use crate::contract::{Contract, Operation, ParameterIn};

/// Returns the values of an operation's path parameters by name.
///
/// # Errors
/// [`Refusal::NotFound`] if a value is malformed or does not fit its schema.
pub fn path(contract: &Contract, operation: &Operation, raw: &[(&str, &str)]) -> Result<Map<String, Value>, Refusal> {
    let Some(schema) = operation.path_schema() else {
        return Ok(Map::new());
    };
    let mut values = Map::with_capacity(raw.len());
    for parameter in operation.parameters_in(ParameterIn::Path) {
        let raw = raw.iter().find(|(name, _)| *name == parameter.name);
        let (_, raw) = raw.ok_or(Refusal::NotFound)?;
        let decoded = percent::decode(raw).map_err(|_| Refusal::NotFound)?;
        let value = text::value(parameter.kind, &decoded).map_err(|_| Refusal::NotFound)?;
        values.insert(parameter.name.clone(), value);
    }
    let values = Value::Object(values);
    if !contract.fits(schema, &values) {
        return Err(Refusal::NotFound);
    }
    match values {
        Value::Object(values) => Ok(values),
        _ => Err(Refusal::NotFound),
    }
}
