//! What one's own account must look like.

use crate::core::fault::{Fault, FieldError};
use crate::core::imitation;
use crate::core::plain::{line, too_long};
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

/// The change with its name in order. A person of a partner is not called like the platform or its staff.
///
/// # Errors
/// [`crate::Code::ValidationFailed`], pointing to the name.
pub(super) fn tidy(change: Change, is_of_partner: bool) -> Result<Change, Fault> {
    let name_of =
        |name: String| if is_of_partner { partner_person_name(&name, "/name") } else { person_name(&name, "/name") };
    let name = change.name.map(name_of).transpose();
    Ok(Change { name: name.map_err(|error| Fault::invalid(vec![error]))?, ..change })
}

/// A person's name: one line, without blanks around it.
pub(crate) fn person_name(name: &str, pointer: &str) -> Result<String, FieldError> {
    let mut errors = Vec::new();
    let name = line(pointer, name, &mut errors);
    if name.is_empty() && errors.is_empty() {
        errors.push(FieldError::at(
            pointer,
            "TOO_SHORT",
            "Send a name with at least one character that is not a blank.",
        ));
    }
    errors.extend(too_long(pointer, &name, LONGEST_NAME));
    errors.into_iter().next().map_or(Ok(name), Err)
}

/// The name of a person of a partner, which does not look like the platform's or its staff's.
pub(crate) fn partner_person_name(name: &str, pointer: &str) -> Result<String, FieldError> {
    let name = person_name(name, pointer)?;
    imitation::of_platform(pointer, &name).map_or(Ok(name), Err)
}

/// Refuses the weekly mail about the board to whoever is of no partner.
///
/// # Errors
/// [`crate::Code::ValidationFailed`], pointing to the wish.
pub(super) fn ensure_board_mail(change: &Change, is_of_partner: bool) -> Result<(), Fault> {
    if change.board_mail == Some(true) && !is_of_partner {
        return Err(Fault::field(
            "/board_mail",
            "UNEXPECTED",
            "This e-mail is sent only to users of partners. Omit the field.",
        ));
    }
    Ok(())
}

/// The name of a time zone as the IANA database spells it.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for a zone that the database does not have.
pub(super) fn known_time_zone(name: &str) -> Result<String, Fault> {
    canonical_name(name).ok_or_else(|| {
        Fault::field("/time_zone", "UNKNOWN_TIME_ZONE", "Send the IANA name of a time zone, for example Europe/Vienna.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_with_something_in_it() {
        let code = |name: &str| person_name(name, "/name").err().map(|error| error.code);
        assert_eq!(person_name("  Ine\u{301}s Ferrer ", "/name").unwrap(), "In\u{e9}s Ferrer");
        assert_eq!(code("   ").as_deref(), Some("BLANK"));
        assert_eq!(code("").as_deref(), Some("TOO_SHORT"));
        assert_eq!(code("\u{3164}").as_deref(), Some("CHARACTER"));
        assert_eq!(code("A\nB").as_deref(), Some("CHARACTER"));
        assert_eq!(code(&"\u{fb2c}".repeat(41)).as_deref(), Some("TOO_LONG"));
    }

    #[test]
    fn staff_alone_may_be_called_like_staff() {
        let change = || Change { name: Some("Labs Support".to_owned()), ..Change::default() };
        assert!(tidy(change(), false).is_ok());
        assert_eq!(tidy(change(), true).unwrap_err().errors()[0].code, "NAME_IMITATES");
    }

    #[test]
    fn what_is_left_out_stays_out() {
        assert_eq!(tidy(Change::default(), true).unwrap(), Change::default());
    }
}
