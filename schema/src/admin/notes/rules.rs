//! Who may change a note.

use uuid::Uuid;

use crate::core::fault::{Fault, FieldError};

/// Refuses to change what somebody else wrote.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn ensure_author(author_uuid: Option<Uuid>, caller_uuid: Uuid) -> Result<(), Fault> {
    if author_uuid == Some(caller_uuid) {
        return Ok(());
    }
    Err(Fault::conflict("Somebody else wrote this note, and only its author changes it. Add a note of your own."))
}

/// The text as it is kept: without blanks around it.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for control characters.
pub(super) fn body(text: &str) -> Result<String, Fault> {
    let text = text.replace("\r\n", "\n");
    if text.chars().any(|letter| letter.is_control() && letter != '\n' && letter != '\t') {
        let message = "Remove control characters; only line breaks and tabs may stand in a note.";
        return Err(Fault::invalid(vec![FieldError::at("/body", "CHARACTER", message)]));
    }
    Ok(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    #[test]
    fn a_note_is_its_authors() {
        let (author, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        assert!(ensure_author(Some(author), author).is_ok());
        assert_eq!(ensure_author(Some(author), other).unwrap_err().code(), Code::Conflict);
        assert_eq!(ensure_author(None, other).unwrap_err().code(), Code::Conflict, "nor whose author is gone");
    }

    #[test]
    fn lines_may_break_and_nothing_else_may() {
        assert_eq!(body(" one\r\ntwo ").unwrap(), "one\ntwo");
        assert!(body("a\u{7}").is_err());
    }
}
