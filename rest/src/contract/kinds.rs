//! Determines how the text of a parameter or form field is converted to JSON, by the type in its schema.

use serde_json::Value;

use super::{Kind, resolve};

/// Returns the kind of a schema: from its type, or from its first alternative with a type. `document` contains the
/// targets of its `$ref`s.
pub(super) fn kind(document: &Value, schema: &Value) -> Kind {
    let schema = resolve(document, schema);
    let types = [("integer", Kind::Integer), ("number", Kind::Number), ("boolean", Kind::Boolean)];
    if let Some((_, kind)) = types.into_iter().find(|(name, _)| is_type(schema, name)) {
        return kind;
    }
    ["allOf", "oneOf", "anyOf"]
        .iter()
        .filter_map(|keyword| schema.get(*keyword)?.as_array())
        .flatten()
        .map(|schema| kind(document, schema))
        .find(|kind| *kind != Kind::Text)
        .unwrap_or(Kind::Text)
}

/// Whether a schema's `type` is this one, or contains it.
pub(super) fn is_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == name,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == name),
        _ => false,
    }
}
