//! Plain text that people write: one line, or paragraphs. It is kept without blanks around it and in one form (NFC).

use crate::core::fault::FieldError;
use crate::core::text::{self, TextKind};
use async_graphql::MaybeUndefined;

/// Null empties a text.
pub(crate) fn null_as_empty(said: MaybeUndefined<String>) -> Option<String> {
    match said {
        MaybeUndefined::Undefined => None,
        MaybeUndefined::Null => Some(String::new()),
        MaybeUndefined::Value(text) => Some(text),
    }
}

/// A text of one line, without blanks around it.
pub(crate) fn line(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> String {
    let text = text::normalize(text);
    errors.extend(text::find_fault(TextKind::Line, &text).map(|fault| fault.at(pointer)));
    text.trim().to_owned()
}

/// What is wrong with a text that has more characters than this. The contract counts them as they come; bringing a text
/// into one form can make it longer, so whatever is kept is counted again.
pub(crate) fn too_long(pointer: &str, text: &str, most: usize) -> Option<FieldError> {
    let length = text.chars().count();
    let message = || format!("Send at most {most} characters; in normalized form (NFC) this text has {length}.");
    (length > most).then(|| FieldError::at(pointer, "TOO_LONG", message()))
}

/// A text of any number of lines, without blanks around it; lines end as they do on the web's better half.
pub(crate) fn paragraphs(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> String {
    let text = text::normalize(text).replace("\r\n", "\n");
    errors.extend(text::find_fault(TextKind::Lines, &text).map(|fault| fault.at(pointer)));
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_grows_in_one_form_is_counted_as_it_is_kept() {
        let mut errors = Vec::new();
        let kept = line("/name", &"\u{fb2c}".repeat(41), &mut errors);
        assert_eq!((kept.chars().count(), errors.len()), (123, 0), "one letter becomes three");
        let error = too_long("/name", &kept, 120).unwrap();
        assert_eq!((error.pointer.as_deref(), error.code.as_str()), (Some("/name"), "TOO_LONG"));
        assert!(too_long("/name", &kept, 123).is_none());
    }
}
