//! The machine of a change of address, and how long each of its parts lasts.

use crate::core::fault::{Fault, FieldError, SpentBudget};
use crate::core::words::words;

/// Seconds in which the new address must be proved.
pub(in crate::auth::account) const CONFIRM_SECONDS: i64 = 86_400;
/// Seconds for which the old address can take back a change that took effect.
pub(super) const CANCEL_SECONDS: i64 = 7 * 86_400;
/// Changes that a person may ask for in an hour: each writes to an address of the person's choice.
pub(super) const CHANGES_PER_HOUR: i64 = 5;
/// Mails about changes that one address gets in an hour at most, whoever asks for them.
pub(super) const MAILS_PER_HOUR: i64 = 5;

words! {
    /// Where a change stands.
    pub(super) enum EmailChangeState {
        /// Waits for the token from the new address.
        Pending = "PENDING",
        /// In effect.
        Confirmed = "CONFIRMED",
        /// Taken back from the old address.
        Cancelled = "CANCELLED",
        /// Another one was asked for before it took effect.
        Superseded = "SUPERSEDED",
    }
}

/// What can be done about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EmailChangeAction {
    /// The new address was proved.
    Confirm,
    /// The old address takes it back, and with it whatever was asked for after it.
    Cancel,
    /// Another change is asked for.
    Supersede,
}

/// Where an action leads; `None` where it leads nowhere.
///
/// A change that was superseded can still be taken back: whoever holds its token holds the address from before
/// everything that came after.
pub(super) const fn after(state: EmailChangeState, action: EmailChangeAction) -> Option<EmailChangeState> {
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

/// The refusal of a token that is unknown, used or past its time: the same words for all three.
pub(super) fn void_token() -> Fault {
    Fault::field(
        "/token",
        "INVALID",
        "This token is not valid: it is unknown, used or expired. Copy it from the e-mail: it follows the # of the \
         link.",
    )
}

/// The refusal of the address that the person has already.
pub(super) fn same_address() -> Fault {
    Fault::field("/email", "SAME", "This is already your address. Send another one.")
}

/// The refusal of one change too many.
pub(super) fn too_many() -> Fault {
    let detail =
        format!("The limit of {CHANGES_PER_HOUR} address changes per hour is exceeded. Wait an hour and try again.");
    Fault::rate_limited(SpentBudget::Burst, 3600, detail)
}

/// The refusal of an address that somebody has, for staff, who may know.
pub(super) fn somebodys() -> Fault {
    Fault::conflict("Another user already has this e-mail address. Each address belongs to one user. Send another one.")
        .with_errors(vec![FieldError::at("/email", "TAKEN", "Another user already has this address.")])
}

/// The refusal when the address became somebody else's meanwhile.
pub(super) fn address_taken() -> Fault {
    Fault::conflict("This address now belongs to another account. Use another one, or contact support.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
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
                assert_eq!(after(state, action), expected, "{state:?} {action:?}");
            }
        }
    }
}
