//! Plain text from users: one line, or paragraphs. Stored trimmed and in NFC.

use crate::fault::FieldError;
use crate::text::{self, TextKind};
use async_graphql::MaybeUndefined;

/// Converts null to an empty text.
pub fn null_as_empty(input: MaybeUndefined<String>) -> Option<String> {
    match input {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(String::new()),
        MaybeUndefined::Value(text) => Some(text),
    }
}

/// Normalises a single-line text and trims it.
pub fn line(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> String {
    let text = text::normalize(text);
    errors.extend(text::find_fault(TextKind::Line, &text).map(|fault| fault.at(pointer)));
    text.trim().to_owned()
}

/// Returns the error of a text with more characters than this. The contract counts the characters as sent.
/// Normalisation can make a text longer, so stored texts are counted again.
pub fn err_too_long(pointer: &str, text: &str, most: usize) -> Option<FieldError> {
    let length = text.chars().count();
    let message = || format!("Send at most {most} characters; in normalized form (NFC) this text has {length}.");
    (length > most).then(|| FieldError::at(pointer, "TOO_LONG", message()))
}

/// Normalises a multi-line text, trims it and unifies its line ends.
pub fn paragraphs(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> String {
    let text = text::normalize(text).replace("\r\n", "\n");
    errors.extend(text::find_fault(TextKind::Lines, &text).map(|fault| fault.at(pointer)));
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_length_is_counted_after_normalization() {
        let mut errors = Vec::new();
        let kept = line("/name", &"\u{fb2c}".repeat(41), &mut errors);
        assert_eq!((kept.chars().count(), errors.len()), (123, 0), "one letter becomes three");
        let error = err_too_long("/name", &kept, 120).unwrap();
        assert_eq!((error.pointer.as_deref(), error.code.as_str()), (Some("/name"), "TOO_LONG"));
        assert!(err_too_long("/name", &kept, 123).is_none());
    }
}
