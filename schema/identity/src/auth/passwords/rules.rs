//! Rules for new passwords, and the lifetime of a reset.

use labs_core::fault::{Fault, FieldError, SpentBudget};
use labs_crypto::password::PasswordProblem;

/// Seconds until a reset expires.
pub(super) const RESET_SECONDS: i64 = 3600;

/// Returns the errors of a new password, at its pointer in the body.
pub(in crate::auth) fn new_password(pointer: &str, problems: &[PasswordProblem]) -> Vec<FieldError> {
    problems.iter().map(|problem| FieldError::at(pointer, problem.code(), problem.message())).collect()
}

/// The fault for a new password that equals the current one.
pub(super) fn err_same_password() -> Fault {
    Fault::field("/new_password", "SAME", "This is your current password. Choose another one.")
}

/// The fault for a token that is unknown, used or expired. The detail is the same in all three cases.
pub(super) fn err_void_token() -> Fault {
    let message = "This token is not valid: it is unknown, used or expired. Copy it from the e-mail: it follows the \
                   # of the link. Otherwise request a new e-mail.";
    Fault::field("/token", "INVALID", message)
}

/// The fault after too many mails: the spent limit, and the seconds after which it has room again.
pub(super) fn err_too_many_mails(budget: SpentBudget, wait_seconds: u64) -> Fault {
    let detail = "This address has received the maximum number of password-reset e-mails for this hour or day. Try \
                  again later.";
    Fault::rate_limited(budget, wait_seconds, detail)
}

/// The fault for a change after a concurrent change of the password.
pub(super) fn err_stale() -> Fault {
    Fault::conflict("Another request changed the password at the same time. If it was not yours, reset the password.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn password_problems_are_reported_at_their_pointer() {
        let errors = new_password("/password", &[PasswordProblem::TooShort, PasswordProblem::IsEmail]);
        let told: Vec<_> = errors.iter().map(|error| (error.pointer.as_deref(), error.code.as_str())).collect();
        assert_eq!(told, [(Some("/password"), "TOO_SHORT"), (Some("/password"), "IS_EMAIL")]);
    }
}
