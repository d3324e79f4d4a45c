//! State machine and time limits of an address change.

use labs_core::fault::{Fault, FieldError, SpentBudget};
use labs_core::words::words;

/// Seconds until the confirmation of the new address expires.
pub(in crate::auth::account) const CONFIRM_SECONDS: i64 = 86_400;
/// Seconds for which the old address can cancel an effective change.
pub(super) const CANCEL_SECONDS: i64 = 7 * 86_400;
/// Changes that a user may request per hour. Each sends a mail to an address of the user's choice.
pub(super) const CHANGES_PER_HOUR: i64 = 5;
/// Mails about changes that one address gets per hour at most, across all senders.
pub(super) const MAILS_PER_HOUR: i64 = 5;

words! {
    /// State of an address change.
    pub(super) enum EmailChangeState {
        /// Waiting for the token from the new address.
        Pending = "PENDING",
        /// Effective.
        Confirmed = "CONFIRMED",
        /// Cancelled from the old address.
        Cancelled = "CANCELLED",
        /// Replaced by a later request before it became effective.
        Superseded = "SUPERSEDED",
    }
}

/// Action on an address change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmailChangeAction {
    /// Confirm, after the new address is verified.
    Confirm,
    /// Cancel from the old address, together with every later change.
    Cancel,
    /// Supersede with another request.
    Supersede,
}

/// Returns the state after an action; `None` if the action is illegal.
///
/// A superseded change can still be cancelled: its token belongs to the address from before all later changes.
pub(super) const fn next_state(state: EmailChangeState, action: EmailChangeAction) -> Option<EmailChangeState> {
    match (state, action) {
        (EmailChangeState::Pending, EmailChangeAction::Confirm) => Some(EmailChangeState::Confirmed),
        (EmailChangeState::Pending, EmailChangeAction::Supersede) => Some(EmailChangeState::Superseded),
        (
            EmailChangeState::Pending | EmailChangeState::Confirmed | EmailChangeState::Superseded,
            EmailChangeAction::Cancel,
        ) => Some(EmailChangeState::Cancelled),
        _ => None,
    }
}

/// The fault for a token that is unknown, used or expired. The detail is the same in all three cases.
pub(super) fn err_void_token() -> Fault {
    Fault::field(
        "/token",
        "INVALID",
        "This token is not valid: it is unknown, used or expired. Copy it from the e-mail: it follows the # of the \
         link.",
    )
}

/// The fault for a new address that equals the current one.
pub(super) fn err_same_address() -> Fault {
    Fault::field("/email", "SAME", "This is already your address. Send another one.")
}

/// The fault after too many requests.
pub(super) fn err_too_many() -> Fault {
    let detail =
        format!("The limit of {CHANGES_PER_HOUR} address changes per hour is exceeded. Wait an hour and try again.");
    Fault::rate_limited(SpentBudget::Burst, 3600, detail)
}

/// The fault for an address that another user has. Only staff get it, because it reveals that the address is in use.
pub(super) fn err_address_in_use() -> Fault {
    Fault::conflict("Another user already has this e-mail address. Each address belongs to one user. Send another one.")
        .with_errors(vec![FieldError::at("/email", "TAKEN", "Another user already has this address.")])
}

/// The fault for an address that another account obtained after the request.
pub(super) fn err_address_taken() -> Fault {
    Fault::conflict("This address now belongs to another account. Use another one, or contact support.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_machine_matches_table() {
        use EmailChangeAction::{Cancel, Confirm, Supersede};
        let table: [(EmailChangeState, &[(EmailChangeAction, EmailChangeState)]); 4] = [
            (
                EmailChangeState::Pending,
                &[
                    (Confirm, EmailChangeState::Confirmed),
                    (Cancel, EmailChangeState::Cancelled),
                    (Supersede, EmailChangeState::Superseded),
                ],
            ),
            (EmailChangeState::Confirmed, &[(Cancel, EmailChangeState::Cancelled)]),
            (EmailChangeState::Cancelled, &[]),
            (EmailChangeState::Superseded, &[(Cancel, EmailChangeState::Cancelled)]),
        ];
        for (state, row) in table {
            for action in [Confirm, Cancel, Supersede] {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(next_state(state, action), expected, "{state:?} {action:?}");
            }
        }
    }
}
