//! What a registration must be like.

use crate::core::crypto::password::PasswordProblem;
use crate::core::fault::{Code, Fault, FieldError};

/// Seconds in which the address must be verified.
pub(super) const VERIFY_SECONDS: i64 = 24 * 3600;
/// Passwords that may be tried with one token.
pub(super) const MOST_PASSWORDS: i32 = 10;
/// Mails that one wish to have them again sends at most: as many registrations as [`super::store::waiting_page`] reads.
pub(super) const MOST_RESENT: usize = 3;
/// Characters of the administrator's name at most.
pub(super) const LONGEST_NAME: usize = 120;

/// What was found out about a registration beside its company and its address.
#[derive(Clone, Copy)]
pub(super) struct Findings<'a> {
    pub(super) accepts_terms: bool,
    /// Why the password is refused.
    pub(super) password: &'a [PasswordProblem],
    /// Whether anybody may choose the tier alone.
    pub(super) tier_is_offered: bool,
}

/// What is wrong with it that the contract's schema cannot say, all of it at once.
pub(super) fn errors(found: &Findings<'_>) -> Vec<FieldError> {
    let password = found.password.iter().map(|problem| (problem.code(), problem.message()));
    let mut errors: Vec<_> =
        password.map(|(code, message)| FieldError::at("/administrator/password", code, message)).collect();
    if !found.tier_is_offered {
        let message = "Choose a tier with self_service from GET /v1/subscription/public/tiers.";
        errors.push(FieldError::at("/tier_code", "UNKNOWN_TIER", message));
    }
    if !found.accepts_terms {
        errors.push(FieldError::at("/accept_terms", "NOT_ALLOWED", "You must accept the terms. Send true."));
    }
    errors
}

/// The refusal of a token that is unknown, used or past its time: the same words for all three.
pub(super) fn void_token() -> Fault {
    let message = "This token is not valid: it is unknown, used or expired. Copy it from the e-mail: it follows the \
                   # of the link. Otherwise register again.";
    Fault::field("/token", "INVALID", message)
}

/// The refusal of a token that came with another password than its registration.
pub(super) fn wrong_password() -> Fault {
    Fault::new(
        Code::InvalidCredentials,
        "This is not the password of this registration. Each e-mail names the company and the hour of its \
         registration: use the token of your own registration. A token becomes invalid after ten wrong passwords. If \
         you have forgotten the password, register again.",
    )
    .keep_writes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(errors: &[FieldError]) -> Vec<(&str, &str)> {
        errors.iter().map(|error| (error.pointer.as_deref().unwrap_or_default(), error.code.as_str())).collect()
    }

    const GOOD: Findings<'_> = Findings { accepts_terms: true, password: &[], tier_is_offered: true };

    #[test]
    fn a_good_registration_has_no_errors() {
        assert!(errors(&GOOD).is_empty());
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once_and_where() {
        let found =
            errors(&Findings { accepts_terms: false, password: &[PasswordProblem::TooCommon], tier_is_offered: false });
        let expected = [
            ("/administrator/password", "TOO_COMMON"),
            ("/tier_code", "UNKNOWN_TIER"),
            ("/accept_terms", "NOT_ALLOWED"),
        ];
        assert_eq!(places(&found), expected);
    }
}
