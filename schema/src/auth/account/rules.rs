//! What one's own account must look like.

use unicode_normalization::UnicodeNormalization;

use crate::core::fault::{Fault, FieldError};
use crate::core::plain::too_long;
use crate::core::time_zone::canonical_name;

/// Longest name, in characters.
const LONGEST_NAME: usize = 120;

/// What is to become of an account: each field its new content, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) name: Option<String>,
    pub(super) locale: Option<String>,
    pub(super) time_zone: Option<String>,
    pub(super) board_mail: Option<bool>,
}

/// The change with its name in order.
///
/// # Errors
/// [`crate::Code::ValidationFailed`], pointing to the name.
pub(super) fn tidy(change: Change) -> Result<Change, Fault> {
    let name = change.name.map(|name| person_name(&name, "/name")).transpose();
    Ok(Change { name: name.map_err(|error| Fault::invalid(vec![error]))?, ..change })
}

/// A person's name: one line, without blanks around it.
pub(crate) fn person_name(name: &str, pointer: &str) -> Result<String, FieldError> {
    let name: String = name.trim().nfc().collect();
    if name.is_empty() {
        return Err(FieldError::at(pointer, "TOO_SHORT", "A name has at least one character, blanks aside."));
    }
    if name.chars().any(char::is_control) {
        return Err(FieldError::at(
            pointer,
            "CHARACTER",
            "A name is one line. Remove line breaks and control characters.",
        ));
    }
    too_long(pointer, &name, LONGEST_NAME).map_or(Ok(name), Err)
}

/// Refuses the weekly mail about the board to whoever is of no partner.
///
/// # Errors
/// [`crate::Code::ValidationFailed`], pointing to the wish.
pub(super) fn ensure_board_mail(change: &Change, is_of_partner: bool) -> Result<(), Fault> {
    if change.board_mail == Some(true) && !is_of_partner {
        return Err(Fault::field("/board_mail", "UNEXPECTED", "This mail goes to people of partners. Leave it out."));
    }
    Ok(())
}

/// The name of a time zone as the IANA database spells it.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for a zone that the database does not have.
pub(super) fn known_time_zone(name: &str) -> Result<String, Fault> {
    canonical_name(name).ok_or_else(|| {
        Fault::field("/time_zone", "UNKNOWN_TIME_ZONE", "Send the IANA name of a time zone, Europe/Vienna for example.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_with_something_in_it() {
        let code = |name: &str| person_name(name, "/name").err().map(|error| error.code);
        assert_eq!(person_name("  Ine\u{301}s Ferrer ", "/name").unwrap(), "In\u{e9}s Ferrer");
        assert_eq!(code("   ").as_deref(), Some("TOO_SHORT"));
        assert_eq!(code("A\nB").as_deref(), Some("CHARACTER"));
        assert_eq!(code(&"\u{fb2c}".repeat(41)).as_deref(), Some("TOO_LONG"));
    }

    #[test]
    fn what_is_left_out_stays_out() {
        assert_eq!(tidy(Change::default()).unwrap(), Change::default());
    }
}
