//! Rules for registrations.

use labs_core::fault::{Code, Fault, FieldError};
use labs_crypto::password::PasswordProblem;

/// Seconds until the verification of the address expires.
pub(super) const VERIFY_SECONDS: i64 = 24 * 3600;
/// Most password attempts with one token.
pub(super) const MOST_PASSWORDS: i32 = 10;
/// Most mails that one resend request sends: the number of registrations that [`super::store::waiting_page`] reads.
pub(super) const MOST_RESENT: usize = 3;
/// Longest administrator name, in characters.
pub(super) const LONGEST_NAME: usize = 120;

/// Findings about a registration, except its company and address.
#[derive(Clone, Copy)]
pub(super) struct RegistrationErrors<'a> {
    pub(super) accepts_terms: bool,
    /// Problems of the password.
    pub(super) password: &'a [PasswordProblem],
    /// Whether the tier can be chosen without staff.
    pub(super) tier_is_offered: bool,
}

/// Returns all errors that the contract's schema cannot express, at once.
pub(super) fn errors(found: &RegistrationErrors<'_>) -> Vec<FieldError> {
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

/// The fault for a token that is unknown, used or expired. The detail is the same in all three cases.
pub(super) fn err_void_token() -> Fault {
    let message = "This token is not valid: it is unknown, used or expired. Copy it from the e-mail: it follows the \
                   # of the link. Otherwise register again.";
    Fault::field("/token", "INVALID", message)
}

/// The fault for a token sent with a password that does not match its registration.
pub(super) fn err_wrong_password() -> Fault {
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

    const GOOD: RegistrationErrors<'_> =
        RegistrationErrors { accepts_terms: true, password: &[], tier_is_offered: true };

    #[test]
    fn valid_registration_has_no_errors() {
        assert!(errors(&GOOD).is_empty());
    }

    #[test]
    fn all_registration_errors_are_reported_with_pointers() {
        let found = errors(&RegistrationErrors {
            accepts_terms: false,
            password: &[PasswordProblem::TooCommon],
            tier_is_offered: false,
        });
        let expected = [
            ("/administrator/password", "TOO_COMMON"),
            ("/tier_code", "UNKNOWN_TIER"),
            ("/accept_terms", "NOT_ALLOWED"),
        ];
        assert_eq!(places(&found), expected);
    }
}
