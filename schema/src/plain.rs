//! Plain text that people write: one line, or paragraphs. It is kept without blanks around it and in one form (NFC).

use async_graphql::MaybeUndefined;
use unicode_normalization::UnicodeNormalization;

use crate::fault::FieldError;

/// Null empties a text.
pub(crate) fn emptied(said: MaybeUndefined<String>) -> Option<String> {
    match said {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(String::new()),
        MaybeUndefined::Value(text) => Some(text),
    }
}

/// A text of one line, without blanks around it.
pub(crate) fn line(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> String {
    if text.chars().any(char::is_control) {
        errors.push(FieldError::at(
            pointer,
            "CHARACTER",
            "This is one line of text. Remove line breaks and control characters.",
        ));
    }
    text.trim().nfc().collect()
}

/// A text of any number of lines, without blanks around it; lines end as they do on the web's better half.
pub(crate) fn paragraphs(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> String {
    let text = text.replace("\r\n", "\n");
    if text.chars().any(|letter| letter.is_control() && letter != '\n' && letter != '\t') {
        errors.push(FieldError::at(
            pointer,
            "CHARACTER",
            "Remove control characters; only line breaks and tabs may stand in a text.",
        ));
    }
    text.trim().nfc().collect()
}
