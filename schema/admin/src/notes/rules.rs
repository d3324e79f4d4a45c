//! Rules for changing a note.

use labs_core::fault::Fault;
use labs_core::plain;
use uuid::Uuid;

/// Rejects a change by anyone but the author.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the caller is not the author.
pub(super) fn ensure_author(author_uuid: Option<Uuid>, caller_uuid: Uuid) -> Result<(), Fault> {
    if author_uuid == Some(caller_uuid) {
        return Ok(());
    }
    Err(Fault::conflict("Another staff member wrote this note, and only its author can change it. Add your own note."))
}

/// Trims surrounding white space and returns the text as it is stored.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for control characters.
pub(super) fn body(text: &str) -> Result<String, Fault> {
    let mut errors = Vec::new();
    let text = plain::paragraphs("/body", text, &mut errors);
    if errors.is_empty() { Ok(text) } else { Err(Fault::invalid(errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    #[test]
    fn only_author_may_change_note() {
        let (author, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert!(ensure_author(Some(author), author).is_ok());
        assert_eq!(ensure_author(Some(author), other).unwrap_err().code(), Code::Conflict);
        assert_eq!(ensure_author(None, other).unwrap_err().code(), Code::Conflict, "nor whose author is gone");
    }

    #[test]
    fn note_allows_line_breaks_but_no_other_control_characters() {
        assert_eq!(body(" one\r\ntwo ").unwrap(), "one\ntwo");
        assert!(body("a\u{7}").is_err());
    }
}
