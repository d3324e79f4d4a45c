//! The keyword `x-text`: a string's kind of text. The service's common text rule is applied for this kind.

use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError};
use labs_core::text::{TextFault, TextKind, find_fault};
use serde_json::{Map, Value};

use super::field::FieldCode;

pub(super) const KEYWORD: &str = "x-text";

/// Checks one string.
struct TextRule(TextKind);

impl TextRule {
    fn find_fault(&self, instance: &Value) -> Option<TextFault> {
        instance.as_str().and_then(|text| find_fault(self.0, text))
    }
}

impl<'i> Keyword<'i> for TextRule {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        self.find_fault(instance).map_or(Ok(()), |fault| Err(ValidationError::custom(fault.message())))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        self.find_fault(instance).is_none()
    }
}

/// Returns the rule that a schema declares.
///
/// # Errors
/// If the value is not a kind of text.
pub(super) fn compile<'a>(
    _parent: &'a Map<String, Value>,
    declared: &'a Value,
    _path: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let kind = declared.as_str().and_then(TextKind::of);
    kind.map(|kind| -> Box<dyn for<'i> Keyword<'i>> { Box::new(TextRule(kind)) })
        .ok_or_else(|| ValidationError::schema("`x-text` must be line, lines or opaque"))
}

/// Returns the code and message of a text that violates the rule of its kind.
pub(super) fn explain(kind: Option<TextKind>, instance: &Value) -> (FieldCode, String) {
    let fault = TextRule(kind.unwrap_or(TextKind::Line)).find_fault(instance).unwrap_or(TextFault::Blank);
    let code = match fault {
        TextFault::Blank => FieldCode::Blank,
        TextFault::Character(..) => FieldCode::Character,
    };
    (code, fault.message())
}
