//! Rules for the fields of an account.

use labs_core::fault::{Fault, FieldError};
use labs_core::imitation;
use labs_core::plain::{err_too_long, line};
use labs_core::time_zone::canonical_name;

/// Longest name, in characters.
const LONGEST_NAME: usize = 120;

/// A change of an account. An absent field stays unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AccountChange {
    pub(super) name: Option<String>,
    pub(super) locale: Option<String>,
    pub(super) time_zone: Option<String>,
    pub(super) board_mail: Option<bool>,
    pub(super) quota_mail: Option<bool>,
}

/// Returns the change with a normalised name. A partner's user cannot have a name like the platform or its staff.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], with a pointer to the name.
pub(super) fn normalize(change: AccountChange, is_of_partner: bool) -> Result<AccountChange, Fault> {
    let name_of =
        |name: String| if is_of_partner { partner_person_name(&name, "/name") } else { person_name(&name, "/name") };
    let name = change.name.map(name_of).transpose();
    Ok(AccountChange { name: name.map_err(|error| Fault::invalid(vec![error]))?, ..change })
}

/// Validates a user's name: one line, without leading or trailing blanks.
pub fn person_name(name: &str, pointer: &str) -> Result<String, FieldError> {
    let mut errors = Vec::new();
    let name = line(pointer, name, &mut errors);
    if name.is_empty() && errors.is_empty() {
        errors.push(FieldError::at(
            pointer,
            "TOO_SHORT",
            "Send a name with at least one character that is not a blank.",
        ));
    }
    errors.extend(err_too_long(pointer, &name, LONGEST_NAME));
    errors.into_iter().next().map_or(Ok(name), Err)
}

/// Validates the name of a partner's user, which must not look like the platform's or its staff's.
pub fn partner_person_name(name: &str, pointer: &str) -> Result<String, FieldError> {
    let name = person_name(name, pointer)?;
    imitation::of_platform(pointer, &name).map_or(Ok(name), Err)
}

/// Rejects mails of partners for a user without a partner.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], with a pointer to each field.
pub(super) fn ensure_own_mails(change: &AccountChange, is_of_partner: bool) -> Result<(), Fault> {
    let wanted = [("/board_mail", change.board_mail), ("/quota_mail", change.quota_mail)];
    let wrong = wanted.into_iter().filter(|(_, wanted)| *wanted == Some(true) && !is_of_partner);
    let message = "This e-mail is sent only to users of partners. Omit the field.";
    let errors: Vec<_> = wrong.map(|(pointer, _)| FieldError::at(pointer, "UNEXPECTED", message)).collect();
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}

/// Returns the canonical IANA name of a time zone.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] if the database does not contain the zone.
pub(super) fn known_time_zone(name: &str) -> Result<String, Fault> {
    canonical_name(name).ok_or_else(|| {
        Fault::field("/time_zone", "UNKNOWN_TIME_ZONE", "Send the IANA name of a time zone, for example Europe/Vienna.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn person_name_is_one_non_blank_line() {
        let code = |name: &str| person_name(name, "/name").err().map(|error| error.code);
        assert_eq!(person_name("  Ine\u{301}s Ferrer ", "/name").unwrap(), "In\u{e9}s Ferrer");
        assert_eq!(code("   ").as_deref(), Some("BLANK"));
        assert_eq!(code("").as_deref(), Some("TOO_SHORT"));
        assert_eq!(code("\u{3164}").as_deref(), Some("CHARACTER"));
        assert_eq!(code("A\nB").as_deref(), Some("CHARACTER"));
        assert_eq!(code(&"\u{fb2c}".repeat(41)).as_deref(), Some("TOO_LONG"));
    }

    #[test]
    fn partner_user_cannot_use_staff_like_name() {
        let change = || AccountChange { name: Some("Labs Support".to_owned()), ..AccountChange::default() };
        assert!(normalize(change(), false).is_ok());
        assert_eq!(normalize(change(), true).unwrap_err().errors()[0].code, "NAME_IMITATES");
    }

    #[test]
    fn omitted_fields_stay_unset() {
        assert_eq!(normalize(AccountChange::default(), true).unwrap(), AccountChange::default());
    }
}
