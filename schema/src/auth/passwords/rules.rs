//! What a new password must be like, and how long a reset takes.

use crate::core::crypto::password::PasswordProblem;
use crate::core::fault::{Fault, FieldError, SpentBudget};

/// Seconds in which a reset must be confirmed.
pub(super) const RESET_SECONDS: i64 = 3600;

/// What is wrong with a new password, where it stands in the body.
pub(in crate::auth) fn new_password(pointer: &str, problems: &[PasswordProblem]) -> Vec<FieldError> {
    problems.iter().map(|problem| FieldError::at(pointer, problem.code(), problem.message())).collect()
}

/// The refusal of a new password that is the old one.
pub(super) fn same_password() -> Fault {
    Fault::field("/new_password", "SAME", "This is your current password. Choose another one.")
}

/// The refusal of a token that is unknown, used or past its time: the same words for all three.
pub(super) fn void_token() -> Fault {
    let message = "This token is not valid: it is unknown, used or expired. Copy it from the e-mail: it follows the \
                   # of the link. Otherwise request a new e-mail.";
    Fault::field("/token", "INVALID", message)
}

/// The refusal of one mail too many.
pub(super) fn too_many_mails() -> Fault {
    let detail = "This address has received the maximum number of password-reset e-mails for this hour or day. Try \
                  again later.";
    Fault::rate_limited(SpentBudget::Burst, 3600, detail)
}

/// The refusal of a change that another one overtook.
pub(super) fn overtaken() -> Fault {
    Fault::conflict("Another request changed the password at the same time. If it was not yours, reset the password.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_wrong_with_a_password_is_told_at_its_place() {
        let errors = new_password("/password", &[PasswordProblem::TooShort, PasswordProblem::IsEmail]);
        let told: Vec<_> = errors.iter().map(|error| (error.pointer.as_deref(), error.code.as_str())).collect();
        assert_eq!(told, [(Some("/password"), "TOO_SHORT"), (Some("/password"), "IS_EMAIL")]);
    }
}
