//! Arguments of a fixed document, bound to its variables.

use async_graphql::Positioned;
use async_graphql::parser::types::VariableDefinition;
use async_graphql_value::{ConstValue, Value};
use serde_json::{Map, Value as Json};

/// Value of an argument in a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Binding {
    /// Value of a variable; its default if the request has none.
    Variable { name: String, default: Option<Json> },
    /// Constant.
    Constant(Json),
    /// List of values.
    List(Vec<Self>),
    /// Input object.
    Object(Vec<(String, Self)>),
}

impl Binding {
    /// Binds a value of a document with these variables.
    pub(super) fn of(value: &Value, variables: &[Positioned<VariableDefinition>]) -> Self {
        match value {
            Value::Variable(name) => {
                let defined = variables.iter().find(|defined| defined.node.name.node == *name);
                let default = defined.and_then(|defined| defined.node.default_value.as_ref());
                Self::Variable { name: name.to_string(), default: default.map(|value| to_json(&value.node)) }
            }
            Value::List(values) => Self::List(values.iter().map(|value| Self::of(value, variables)).collect()),
            Value::Object(fields) => {
                let bound = fields.iter().map(|(name, value)| (name.to_string(), Self::of(value, variables)));
                Self::Object(bound.collect())
            }
            constant => Self::Constant(constant.clone().into_const().as_ref().map(to_json).unwrap_or_default()),
        }
    }

    /// Returns the value with these variables; `None` for a missing variable, which leaves its argument or field out.
    pub(super) fn value(&self, variables: &Map<String, Json>) -> Option<Json> {
        match self {
            Self::Variable { name, default } => variables.get(name).cloned().or_else(|| default.clone()),
            Self::Constant(value) => Some(value.clone()),
            Self::List(values) => Some(values.iter().map(|value| value.value(variables).unwrap_or_default()).collect()),
            Self::Object(fields) => {
                let values = fields.iter().filter_map(|(name, value)| Some((name.clone(), value.value(variables)?)));
                Some(Json::Object(values.collect()))
            }
        }
    }
}

/// Converts a constant of a document or a query. An enumeration value becomes its name.
pub(super) fn to_json(value: &ConstValue) -> Json {
    match value {
        ConstValue::Null | ConstValue::Binary(_) => Json::Null,
        ConstValue::Number(number) => Json::Number(number.clone()),
        ConstValue::String(text) => Json::String(text.clone()),
        ConstValue::Boolean(flag) => Json::Bool(*flag),
        ConstValue::Enum(word) => Json::String(word.to_string()),
        ConstValue::List(values) => values.iter().map(to_json).collect(),
        ConstValue::Object(fields) => {
            Json::Object(fields.iter().map(|(name, value)| (name.to_string(), to_json(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;
    use serde_json::json;

    use super::super::operation::{only_operation, root_fields};
    use super::*;

    #[test]
    fn missing_variables_leave_their_arguments_out() {
        let text = "query ($a: Int, $b: Int = 5, $c: [Int]) { get(a: $a, b: $b, f: {a: $a, c: $c, w: WORD}, n: null) }";
        let document = parse_query(text).unwrap();
        let operation = &only_operation(&document).unwrap().node;
        let root = root_fields(&document, operation)[0];
        let value = |variables: Json| {
            let Json::Object(variables) = variables else { unreachable!() };
            let bound = root.arguments.iter().filter_map(|(name, value)| {
                let binding = Binding::of(&value.node, &operation.variable_definitions);
                Some((name.node.to_string(), binding.value(&variables)?))
            });
            Json::Object(bound.collect())
        };
        assert_eq!(value(json!({})), json!({ "b": 5, "f": { "w": "WORD" }, "n": null }));
        let given = json!({ "a": null, "b": 1, "c": [1, 2] });
        let bound = json!({ "a": null, "b": 1, "f": { "a": null, "c": [1, 2], "w": "WORD" }, "n": null });
        assert_eq!(value(given), bound);
    }
}
