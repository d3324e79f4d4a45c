//! State machine of invitations, and the rules for accepting one.

use labs_core::daily::Daily;
use labs_core::email::EmailProblem;
use labs_core::fault::{Code, Fault, FieldError, SpentBudget};
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};

/// Seconds until an invitation expires.
pub(super) const INVITATION_SECONDS: i64 = 7 * 86_400;
/// Invitation mails that one address gets per hour at most, across all senders.
pub(super) const MAILS_PER_HOUR: i64 = 5;

/// Invitation mails that a team may send per day in addition to the team members that its tier allows. Every member can
/// therefore be invited on the first day, but the team cannot mass-mail strangers in the company's name.
const MAILS_PER_DAY: i64 = 20;
/// Team members assumed for a tier without a limit.
const UNLIMITED_PEOPLE: i64 = 480;
/// Invitation mails that staff may send for a team per day.
const STAFF_MAILS_PER_DAY: i64 = 200;

/// Returns the daily counter for a team's invitations, and its limit.
pub(super) fn a_day(people: Option<i64>, is_staff: bool) -> (Daily, i64) {
    if is_staff {
        return (Daily::InvitationsByStaff, STAFF_MAILS_PER_DAY);
    }
    (Daily::Invitations, people.unwrap_or(UNLIMITED_PEOPLE).clamp(0, UNLIMITED_PEOPLE) + MAILS_PER_DAY)
}

words! {
    /// State of an invitation.
    pub enum InvitationState {
        /// Waits for an answer.
        Pending = "PENDING",
        /// The invited user is in the team.
        Accepted = "ACCEPTED",
        /// The invited user declined.
        Declined = "DECLINED",
        /// The invitation was revoked.
        Revoked = "REVOKED",
        /// No answer arrived in time; the invitation can be sent again.
        Expired = "EXPIRED",
    }
}

/// Action on an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InvitationAction {
    /// The invited user joins.
    Accept,
    /// The invited user declines.
    Decline,
    /// The sender revokes it.
    Revoke,
    /// The sender sends it again.
    Resend,
    /// Its time to answer has passed.
    Expire,
}

impl InvitationAction {
    const ALL: [Self; 5] = [Self::Accept, Self::Decline, Self::Revoke, Self::Resend, Self::Expire];

    const fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Revoke => "revoke",
            Self::Resend => "resend",
            Self::Expire => "expire",
        }
    }

    /// Whether the sender performs the action.
    const fn is_senders(self) -> bool {
        matches!(self, Self::Revoke | Self::Resend)
    }
}

const fn next(state: InvitationState, action: InvitationAction) -> Option<InvitationState> {
    match (state, action) {
        (InvitationState::Pending, InvitationAction::Accept) => Some(InvitationState::Accepted),
        (InvitationState::Pending, InvitationAction::Decline) => Some(InvitationState::Declined),
        (InvitationState::Pending, InvitationAction::Revoke) => Some(InvitationState::Revoked),
        (InvitationState::Pending | InvitationState::Expired, InvitationAction::Resend) => {
            Some(InvitationState::Pending)
        }
        (InvitationState::Pending, InvitationAction::Expire) => Some(InvitationState::Expired),
        _ => None,
    }
}

/// Returns the state after an action.
///
/// # Errors
/// [`Code::IllegalTransition`] with the currently allowed actions.
pub(super) fn next_state(state: InvitationState, action: InvitationAction) -> Result<InvitationState, Fault> {
    next(state, action).ok_or_else(|| {
        let allowed = InvitationAction::ALL.into_iter().filter(|action| next(state, *action).is_some());
        let allowed = allowed.map(|action| action.name().to_owned()).collect();
        Fault::illegal("invitation", state.name(), action.name(), allowed)
    })
}

/// Returns the sender's currently allowed actions.
pub(super) fn allowed_actions(state: InvitationState) -> Vec<String> {
    InvitationAction::ALL
        .into_iter()
        .filter(|action| action.is_senders() && next(state, *action).is_some())
        .map(|action| action.name().to_owned())
        .collect()
}

/// Draws the state machine.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Invitation",
        (InvitationState::ALL, InvitationState::name),
        (&InvitationAction::ALL, InvitationAction::name),
        [&next_state],
    )
}

/// Rejects an invitation into a team that is not active, because it could not be accepted.
///
/// # Errors
/// [`Code::Conflict`].
pub(super) fn ensure_may_invite(partner_state: &str) -> Result<(), Fault> {
    if partner_state == "ACTIVE" {
        return Ok(());
    }
    Err(Fault::conflict(
        "The company is not active, so the invitation could not be accepted. Send the invitation when the company is \
         active again.",
    ))
}

/// The fault for an address that already has a pending invitation.
pub(super) fn err_already_invited() -> Fault {
    Fault::conflict("This address already has a pending invitation. Resend that invitation instead.")
}

/// The fault for a user who is already in the team.
pub(super) fn err_is_member() -> Fault {
    Fault::conflict("A user with this address is already in the team.")
}

/// The fault after too many mails.
pub(super) fn err_too_many_mails() -> Fault {
    let detail = format!(
        "The limit of {MAILS_PER_HOUR} invitations to this address per hour is exceeded. Wait an hour and try again."
    );
    Fault::rate_limited(SpentBudget::Burst, 3600, detail)
}

/// The error of an address that cannot be invited.
pub(super) fn err_no_address(problem: EmailProblem) -> FieldError {
    FieldError::at("/email", "FORMAT", format!("This address cannot be used: {problem}."))
}

/// A user who has already verified the invited address.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddressHolder<'a> {
    pub(super) state: &'a str,
    /// Whether the user is in the inviting team.
    pub(super) is_in_team: bool,
    /// State of the user's own partner; none for staff.
    pub(super) partner_state: Option<&'a str>,
}

/// Account with which the invited user joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JoinMode {
    /// A new user, who chooses a name and a password.
    New,
    /// The existing user of the address.
    Existing,
    /// Joining is not possible: the address belongs to a user of this team, of another team, or of the staff.
    Elsewhere,
}

/// Returns how the user of an address joins. An unverified registration does not count. A user whose partner is closed
/// may join another team.
pub(super) fn join_mode(holder: Option<AddressHolder<'_>>) -> JoinMode {
    match holder {
        None => JoinMode::New,
        Some(AddressHolder { state: "ACTIVE", is_in_team: false, partner_state: Some("CLOSED"), .. }) => {
            JoinMode::Existing
        }
        Some(_) => JoinMode::Elsewhere,
    }
}

/// The fault for a user who cannot join, with the required next step.
pub(super) fn err_member_elsewhere() -> Fault {
    Fault::conflict(
        "This address already belongs to a member of a team, and a user can belong to only one team. Leave that team \
         first, or ask for an invitation to another address.",
    )
}

/// Returns the fields that are missing for a new user or not allowed for an existing one.
pub(super) fn find_missing(joining: JoinMode, has_name: bool, has_password: bool) -> Vec<FieldError> {
    let fields = [("/name", has_name), ("/password", has_password)];
    let wrong = |(pointer, is_there): (&'static str, bool)| match (joining, is_there) {
        (JoinMode::New, false) => {
            Some(FieldError::at(pointer, "REQUIRED", "A new account requires a name and a password. Send both."))
        }
        (JoinMode::Existing, true) => Some(FieldError::at(
            pointer,
            "NOT_ALLOWED",
            "You already have an account with a name and a password. Omit this field.",
        )),
        _ => None,
    };
    fields.into_iter().filter_map(wrong).collect()
}

/// Rejects joining a team that is not active.
///
/// # Errors
/// [`Code::PartnerSuspended`].
pub(super) fn ensure_open_team(partner_state: &str) -> Result<(), Fault> {
    if partner_state == "ACTIVE" {
        return Ok(());
    }
    Err(Fault::new(Code::PartnerSuspended, "The inviting company is not active. Ask the person who invited you."))
}

/// The fault for a token that is unknown, used or expired. The detail is the same in all three cases.
pub(super) fn err_void_token() -> Fault {
    let message = "This token is not valid: it is unknown, used or expired. Copy it from the e-mail: it follows the \
                   # of the link. Otherwise ask for a new invitation.";
    Fault::field("/token", "INVALID", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_machine_matches_table() {
        use InvitationAction::{Accept, Decline, Expire, Resend, Revoke};
        let table: [(InvitationState, &[(InvitationAction, InvitationState)]); 5] = [
            (
                InvitationState::Pending,
                &[
                    (Accept, InvitationState::Accepted),
                    (Decline, InvitationState::Declined),
                    (Revoke, InvitationState::Revoked),
                    (Resend, InvitationState::Pending),
                    (Expire, InvitationState::Expired),
                ],
            ),
            (InvitationState::Accepted, &[]),
            (InvitationState::Declined, &[]),
            (InvitationState::Revoked, &[]),
            (InvitationState::Expired, &[(Resend, InvitationState::Pending)]),
        ];
        for (state, row) in table {
            for action in InvitationAction::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(next_state(state, action).ok(), expected, "{state:?} {action:?}");
            }
        }
        let refused = next_state(InvitationState::Expired, Accept).unwrap_err();
        assert_eq!(refused.allowed_actions(), ["resend"]);
    }

    #[test]
    fn sender_gets_actions_of_table() {
        for state in InvitationState::ALL.iter().copied() {
            let own = [InvitationAction::Revoke, InvitationAction::Resend]
                .into_iter()
                .filter(|action| next_state(state, *action).is_ok());
            let expected: Vec<_> = own.map(|action| action.name().to_owned()).collect();
            assert_eq!(allowed_actions(state), expected, "{state:?}");
        }
    }

    const ACTIVE: AddressHolder<'_> =
        AddressHolder { state: "ACTIVE", is_in_team: false, partner_state: Some("ACTIVE") };

    #[test]
    fn user_of_active_partner_cannot_join_another() {
        assert_eq!(join_mode(None), JoinMode::New);
        assert_eq!(join_mode(Some(AddressHolder { partner_state: Some("CLOSED"), ..ACTIVE })), JoinMode::Existing);
        for elsewhere in [
            ACTIVE,
            AddressHolder { partner_state: Some("SUSPENDED"), ..ACTIVE },
            AddressHolder { partner_state: Some("CLOSED"), state: "LOCKED", ..ACTIVE },
            AddressHolder { partner_state: Some("CLOSED"), is_in_team: true, ..ACTIVE },
            AddressHolder { partner_state: None, ..ACTIVE },
        ] {
            assert_eq!(join_mode(Some(elsewhere)), JoinMode::Elsewhere, "{elsewhere:?}");
        }
    }

    #[test]
    fn new_user_must_send_name_and_password() {
        let places = |joining, name, password| {
            find_missing(joining, name, password).into_iter().filter_map(|error| error.pointer).collect::<Vec<_>>()
        };
        assert_eq!(places(JoinMode::New, false, false), ["/name", "/password"]);
        assert_eq!(places(JoinMode::Existing, true, true), ["/name", "/password"]);
        assert!(places(JoinMode::New, true, true).is_empty() && places(JoinMode::Existing, false, false).is_empty());
    }
}
