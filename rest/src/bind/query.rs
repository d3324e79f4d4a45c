//! The query: strictly decoded, only known names, every value typed by its schema (docs/decisions/api.md#filters).

use serde_json::{Map, Value};

use super::refusal::ErrorCollector;
use super::{percent, text};
use crate::contract::{FieldCode, FieldError, Operation, Parameter, ParameterIn, list_names, nearest, quote_name};

/// Returns the query's values by parameter, with defaults. They are typed and not yet validated.
pub(super) fn read(operation: &Operation, query: Option<&str>, findings: &mut ErrorCollector) -> Map<String, Value> {
    let mut sent: Vec<(String, String)> = Vec::new();
    for (name, value) in percent::pairs(query.unwrap_or_default()) {
        match (percent::decode_form(name), percent::decode_form(value)) {
            (Ok(name), Ok(value)) => sent.push((name, value)),
            (Ok(name), Err(error)) => {
                findings.add_malformed_at(FieldError::parameter(&name, FieldCode::Syntax, error.message()));
            }
            (Err(error), _) => {
                findings.add_malformed(format!(
                    "The service cannot decode a parameter name in the query. {}",
                    error.message()
                ));
            }
        }
    }
    refuse_unknown(operation, &sent, findings);
    let mut values = Map::new();
    for parameter in operation.parameters_in(ParameterIn::Query) {
        let texts: Vec<&str> =
            sent.iter().filter(|(name, _)| *name == parameter.name).map(|(_, value)| value.as_str()).collect();
        if let Some(value) = of_parameter(parameter, &texts, findings) {
            values.insert(parameter.name.clone(), value);
        }
    }
    values
}

fn refuse_unknown(operation: &Operation, sent: &[(String, String)], findings: &mut ErrorCollector) {
    let known = || operation.parameters_in(ParameterIn::Query).map(|parameter| parameter.name.as_str());
    let mut reported: Vec<&str> = Vec::new();
    for (name, _) in sent {
        if reported.contains(&name.as_str()) || known().any(|known| known == name) {
            continue;
        }
        reported.push(name);
        let suggestion = match nearest(name, known()) {
            Some(near) => format!(" Did you mean `{near}`?"),
            None => list_names("Known parameters", known()),
        };
        let message = format!("This operation has no query parameter `{}`.{suggestion}", quote_name(name));
        findings.parameter(name, FieldCode::UnknownParameter, message);
    }
}

fn of_parameter(parameter: &Parameter, texts: &[&str], findings: &mut ErrorCollector) -> Option<Value> {
    match texts {
        [] => {
            if parameter.required && parameter.default.is_none() {
                let message = format!("The required query parameter `{}` is missing. Send it.", parameter.name);
                findings.parameter(&parameter.name, FieldCode::Required, message);
            }
            parameter.default.clone()
        }
        texts if parameter.array => array(parameter, texts, findings),
        [text] => one(parameter, text, findings),
        _ => {
            let message = format!("`{}` accepts one value. Send it once.", parameter.name);
            findings.parameter(&parameter.name, FieldCode::Duplicate, message);
            None
        }
    }
}

/// Reads several values: a repeated parameter, or commas if no value can contain one.
fn array(parameter: &Parameter, texts: &[&str], findings: &mut ErrorCollector) -> Option<Value> {
    let items: Vec<&str> =
        if parameter.splits_commas { texts.iter().flat_map(|text| text.split(',')).collect() } else { texts.to_vec() };
    let mut values = Vec::with_capacity(items.len());
    for item in items {
        values.push(one(parameter, item, findings)?);
    }
    Some(Value::Array(values))
}

fn one(parameter: &Parameter, text: &str, findings: &mut ErrorCollector) -> Option<Value> {
    match text::value(parameter.kind, text) {
        Ok(value) => Some(value),
        Err((code, message)) => {
            findings.parameter(&parameter.name, code, message);
            None
        }
    }
}
