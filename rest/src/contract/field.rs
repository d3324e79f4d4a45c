//! Errors of single fields and parameters, as shown to the developer who sent the request.
//!
//! Messages say what to do. They never repeat the sent value, which may be a secret, and never contain messages of the
//! validator.

use jsonschema::JsonType;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::alternatives;
use super::nearest::{list_names, nearest};
use super::schema_set::SchemaSet;
use super::text;

/// Maximum number of errors in one response.
pub const MOST: usize = 50;

/// One error of one field or parameter (docs/decisions/api.md#problem-documents).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Place of the error.
    pub place: FieldPlace,
    /// The violated rule.
    pub code: FieldCode,
    /// A sentence that says what to do.
    pub message: String,
}

impl FieldError {
    /// Creates an error in the body at a JSON pointer (RFC 6901); the empty pointer is the whole body.
    pub fn pointer(pointer: impl Into<String>, code: FieldCode, message: impl Into<String>) -> Self {
        let place = FieldPlace::Pointer(truncate(pointer.into(), 512));
        FieldError { place, code, message: truncate(message.into(), 1000) }
    }

    /// Creates an error in a path, query or header parameter.
    pub fn parameter(name: &str, code: FieldCode, message: impl Into<String>) -> Self {
        let place = FieldPlace::Parameter(truncate(quote_name(name), 128));
        FieldError { place, code, message: truncate(message.into(), 1000) }
    }
}

/// Place of an error: in the body, or in a parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldPlace {
    /// A JSON pointer into the body.
    Pointer(String),
    /// Name of a parameter.
    Parameter(String),
}

/// The rule that a field violates: stable codes for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FieldCode {
    /// A required value is missing.
    Required,
    /// The contract has no such body field.
    UnknownField,
    /// The contract has no such query parameter.
    UnknownParameter,
    /// The value has the wrong JSON type.
    Type,
    /// The text is longer than allowed.
    TooLong,
    /// The text is shorter than allowed.
    TooShort,
    /// The text does not match its pattern.
    Pattern,
    /// The text does not have its format (uuid, date-time, idn-email, web-address).
    Format,
    /// The value is not one of the allowed values.
    Enum,
    /// The number is too small, too large or not a multiple.
    Range,
    /// The list or object has more entries than allowed.
    TooMany,
    /// The list or object has fewer entries than allowed.
    TooFew,
    /// The value was sent twice and may be sent only once.
    Duplicate,
    /// The value fits several alternatives and must fit only one.
    Ambiguous,
    /// The value is excluded by its schema.
    NotAllowed,
    /// The text contains a character that is not allowed here: U+0000 anywhere, or an invisible character in a
    /// single-line text, for example.
    Character,
    /// The text has no visible character.
    Blank,
    /// The value violates its syntax (percent-encoding, entity tags).
    Syntax,
}

impl FieldCode {
    /// Returns the code as responses contain it.
    pub fn as_str(self) -> &'static str {
        match self {
            FieldCode::Required => "REQUIRED",
            FieldCode::UnknownField => "UNKNOWN_FIELD",
            FieldCode::UnknownParameter => "UNKNOWN_PARAMETER",
            FieldCode::Type => "TYPE",
            FieldCode::TooLong => "TOO_LONG",
            FieldCode::TooShort => "TOO_SHORT",
            FieldCode::Pattern => "PATTERN",
            FieldCode::Format => "FORMAT",
            FieldCode::Enum => "ENUM",
            FieldCode::Range => "RANGE",
            FieldCode::TooMany => "TOO_MANY",
            FieldCode::TooFew => "TOO_FEW",
            FieldCode::Duplicate => "DUPLICATE",
            FieldCode::Ambiguous => "AMBIGUOUS",
            FieldCode::NotAllowed => "NOT_ALLOWED",
            FieldCode::Character => "CHARACTER",
            FieldCode::Blank => "BLANK",
            FieldCode::Syntax => "SYNTAX",
        }
    }
}

/// Returns the errors of a validation: at most [`MOST`], without duplicates, and only the most informative one if a
/// text violates several rules about its form.
pub(super) fn errors<'a>(book: &SchemaSet, found: impl Iterator<Item = ValidationError<'a>>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for error in found {
        explain(book, &error, &mut errors);
        if errors.len() >= MOST {
            break;
        }
    }
    let mut unique: Vec<FieldError> = Vec::new();
    for error in errors {
        if !unique.contains(&error) {
            unique.push(error);
        }
    }
    let reported: Vec<(FieldPlace, u8)> =
        unique.iter().filter_map(|error| Some((error.place.clone(), weight(error.code)?))).collect();
    let says_most = |error: &FieldError| {
        let heavier = |own: u8| reported.iter().any(|(place, other)| *place == error.place && *other > own);
        weight(error.code).is_none_or(|own| !heavier(own))
    };
    unique.retain(says_most);
    unique.truncate(MOST);
    unique
}

/// Ranks codes for a text that violates several rules about its form at once. An empty address, for example, is too
/// short, not an address, and has no scheme. Other codes are independent errors.
fn weight(code: FieldCode) -> Option<u8> {
    match code {
        FieldCode::Character => Some(4),
        FieldCode::Blank => Some(3),
        FieldCode::TooShort => Some(2),
        FieldCode::Pattern => Some(1),
        FieldCode::Format => Some(0),
        _ => None,
    }
}

/// Converts one validation error; an error of alternatives may become several.
pub(super) fn explain(book: &SchemaSet, error: &ValidationError<'_>, errors: &mut Vec<FieldError>) {
    let pointer = error.instance_path().as_str();
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let message = format!("The required field `{}` is missing. Send it.", quote_name(name));
            errors.push(FieldError::pointer(below(pointer, name), FieldCode::Required, message));
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let known =
                error.absolute_keyword_location().and_then(|location| book.sibling_properties(location.as_str()));
            let names = || known.into_iter().flat_map(|known| known.keys().map(String::as_str));
            // A body may have a hundred thousand unknown fields. The known ones are listed once.
            for (position, name) in unexpected.iter().take(MOST).enumerate() {
                let suggestion = match nearest(name, names()) {
                    Some(near) => format!(" Did you mean `{near}`?"),
                    None if position == 0 => list_names("Known fields", names()),
                    None => String::new(),
                };
                let message = format!("This object has no field `{}`.{suggestion}", quote_name(name));
                let pointer = below(pointer, name);
                errors.push(FieldError::pointer(pointer, FieldCode::UnknownField, message));
            }
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            alternatives::explain(book, pointer, context, errors);
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            let (code, rule) = simple(book, error);
            let message = format!("The name of this field is not allowed. {rule}");
            errors.push(FieldError::pointer(below(pointer, name), code, message));
        }
        _ => {
            let (code, message) = simple(book, error);
            errors.push(FieldError::pointer(pointer, code, message));
        }
    }
}

/// Returns the code and message of an error that concerns only its own place.
fn simple(book: &SchemaSet, error: &ValidationError<'_>) -> (FieldCode, String) {
    match error.kind() {
        Kind::Type { kind } => {
            let expected = types(kind);
            let found = type_of(error.instance());
            (FieldCode::Type, format!("Send {expected}, not {found}."))
        }
        Kind::Enum { options } => (FieldCode::Enum, one_of(options.as_array().into_iter().flatten())),
        Kind::Constant { expected_value } => (FieldCode::Enum, one_of(std::iter::once(expected_value.as_ref()))),
        Kind::Custom { keyword, .. } if keyword == text::KEYWORD => {
            let location = error.absolute_keyword_location().map(|location| location.as_str());
            text::explain(location.and_then(|location| book.text_kind_at(location)), error.instance())
        }
        Kind::Pattern { .. } => {
            let words = error.absolute_keyword_location().and_then(|location| book.sibling_message(location.as_str()));
            (
                FieldCode::Pattern,
                words
                    .unwrap_or("This value does not match the pattern in the contract. Compare it with the schema.")
                    .to_owned(),
            )
        }
        Kind::Format { format } => (FieldCode::Format, format_message(format)),
        Kind::OneOfMultipleValid { .. } => (
            FieldCode::Ambiguous,
            "This value matches several of the allowed forms. Send the fields of one form only.".to_owned(),
        ),
        Kind::UniqueItems => (FieldCode::Duplicate, "An entry occurs twice. Send each entry once.".to_owned()),
        // The pattern says more than the length: "as in 1.4.0" instead of "at least 5 characters".
        Kind::MinLength { limit } if *limit > 1 => {
            let (code, message) = limit_of(error);
            let location = error.absolute_keyword_location();
            let words = location.and_then(|location| book.sibling_message(location.as_str()));
            (code, words.map(|words| format!("{message} {words}")).unwrap_or(message))
        }
        Kind::FalseSchema => (FieldCode::NotAllowed, "This is not allowed here. Omit it.".to_owned()),
        _ => limit_of(error),
    }
}

/// Returns the code and message of length, number and range limits, and of all remaining errors.
fn limit_of(error: &ValidationError<'_>) -> (FieldCode, String) {
    match error.kind() {
        Kind::MaxLength { limit } => (
            FieldCode::TooLong,
            format!("Send at most {limit} characters; this value has {}.", length(error.instance())),
        ),
        Kind::MinLength { limit: 1 } => (FieldCode::TooShort, "This must not be empty.".to_owned()),
        Kind::MinLength { limit } => (
            FieldCode::TooShort,
            format!("Send at least {limit} characters; this value has {}.", length(error.instance())),
        ),
        Kind::Maximum { limit } => (FieldCode::Range, format!("Send at most {limit}.")),
        Kind::Minimum { limit } => (FieldCode::Range, format!("Send at least {limit}.")),
        Kind::ExclusiveMaximum { limit } => (FieldCode::Range, format!("Send less than {limit}.")),
        Kind::ExclusiveMinimum { limit } => (FieldCode::Range, format!("Send more than {limit}.")),
        Kind::MultipleOf { multiple_of } => (FieldCode::Range, format!("Send a multiple of {multiple_of}.")),
        Kind::MaxItems { limit } => (FieldCode::TooMany, format!("Send at most {limit} entries.")),
        Kind::AdditionalItems { limit } => (FieldCode::TooMany, format!("Send at most {limit} entries.")),
        Kind::MinItems { limit } => (FieldCode::TooFew, format!("Send at least {limit} entries.")),
        Kind::Contains => (FieldCode::TooFew, "A required entry is missing. Add it.".to_owned()),
        Kind::MaxProperties { limit } => (FieldCode::TooMany, format!("Send at most {limit} fields.")),
        Kind::MinProperties { limit: 1 } => (FieldCode::TooFew, "Send at least one field.".to_owned()),
        Kind::MinProperties { limit } => (FieldCode::TooFew, format!("Send at least {limit} fields.")),
        Kind::Not { .. } => (FieldCode::NotAllowed, "This value is not allowed here.".to_owned()),
        _ => (FieldCode::NotAllowed, "This value does not match the contract. Compare it with the schema.".to_owned()),
    }
}

/// Returns "Send one of" with the allowed values, at most twenty of them.
pub(super) fn one_of<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let values: Vec<String> = values
        .map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
        .collect();
    let more = values.len().saturating_sub(20);
    match values.as_slice() {
        [only] => format!("Send {only}."),
        _ if more > 0 => {
            let first: Vec<&str> = values.iter().take(20).map(String::as_str).collect();
            format!("Send one of {}, or one of the {more} other values that the contract lists.", first.join(", "))
        }
        _ => format!("Send one of {}.", values.join(", ")),
    }
}

/// Describes a format, with an example.
fn format_message(format: &str) -> String {
    match format {
        "uuid" => "Send a UUID, for example 019aa5c2-7b1e-7c40-9d52-3f8e6a1b0c47.".to_owned(),
        "date-time" => {
            "Send an RFC 3339 date and time with Z or an offset, before the last day of the year 9999, for example \
             2025-11-20T14:03:27Z."
                .to_owned()
        }
        "date" => "Send a date, for example 2025-11-20.".to_owned(),
        "idn-email" => "Send an e-mail address, for example marta@tischwerk.example.".to_owned(),
        "uri" => "Send an absolute URI, for example https://tischwerk.example/help.".to_owned(),
        "language-tag" => "Send a language tag (BCP 47), for example de-AT or zh-Hant.".to_owned(),
        "web-address" => "Send an https address of a public host, without a user name and with a port from 1 to \
                          65535, for example https://tischwerk.example/help. Percent-encode blanks and control \
                          characters."
            .to_owned(),
        "redirect-uri" => "Send an https address of a public host, or an address on localhost, 127.0.0.1 or [::1], \
                           without a user name, fragment or wildcard, for example https://tischwerk.example/callback."
            .to_owned(),
        other => format!("Send a value of the format {other}."),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => name(*kind).to_owned(),
        TypeKind::Multiple(kinds) => {
            let names: Vec<&str> = kinds.iter().map(name).collect();
            names.join(" or ")
        }
    }
}

/// Returns the name of a JSON type with its article.
pub(super) fn name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Null => "null",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Number => "a number",
        JsonType::String => "a string",
        JsonType::Array => "an array",
        JsonType::Object => "an object",
    }
}

pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn length(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.chars().count())
}

/// Returns a pointer one step below another.
pub(crate) fn below(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Makes a sent name safe to repeat: short, and without control characters.
pub(crate) fn quote_name(name: &str) -> String {
    let plain: String = name.chars().take(64).map(|char| if char.is_control() { '\u{FFFD}' } else { char }).collect();
    if plain.len() < name.len() && name.chars().nth(64).is_some() { format!("{plain}…") } else { plain }
}

fn truncate(mut text: String, most: usize) -> String {
    if text.len() > most {
        let mut end = most;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    text
}
