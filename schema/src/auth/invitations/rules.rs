//! The machine of invitations, and who may accept one.

use crate::core::daily::Daily;
use crate::core::email::EmailProblem;
use crate::core::fault::{Code, Fault, FieldError, SpentBudget};
use crate::core::state_diagram::StateDiagram;
use crate::core::words::{Word as _, words};

/// Seconds in which an invitation must be answered.
pub(super) const INVITATION_SECONDS: i64 = 7 * 86_400;
/// Invitations that one address is mailed in an hour at most, whoever sends them.
pub(super) const MAILS_PER_HOUR: i64 = 5;

/// Mails of invitations that a team sends a day at most, beside the people that its plan allows: so that everybody can be
/// invited on the first day, and nobody can write to strangers in the name of a company.
const MAILS_PER_DAY: i64 = 20;
/// People that a plan without a limit stands for.
const UNLIMITED_PEOPLE: i64 = 480;
/// Mails of invitations that staff send for a team a day at most.
const STAFF_MAILS_PER_DAY: i64 = 200;

/// What a day's invitations of a team are counted as, and how many there may be.
pub(super) fn a_day(people: Option<i64>, is_staff: bool) -> (Daily, i64) {
    if is_staff {
        return (Daily::InvitationsByStaff, STAFF_MAILS_PER_DAY);
    }
    (Daily::Invitations, people.unwrap_or(UNLIMITED_PEOPLE).clamp(0, UNLIMITED_PEOPLE) + MAILS_PER_DAY)
}

words! {
    /// Where an invitation stands.
    pub(crate) enum InvitationState {
        /// Waits for an answer.
        Pending = "PENDING",
        /// Its person is in the team.
        Accepted = "ACCEPTED",
        /// Its person did not want to.
        Declined = "DECLINED",
        /// It was taken back.
        Revoked = "REVOKED",
        /// Nobody answered in time; it can be sent again.
        Expired = "EXPIRED",
    }
}

/// What can be done about an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Its person joins.
    Accept,
    /// Its person does not.
    Decline,
    /// The team takes it back.
    Revoke,
    /// The team sends it again.
    Resend,
    /// Its time is over.
    Expire,
}

impl Action {
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

    /// Whether whoever sends invitations does it.
    const fn is_senders(self) -> bool {
        matches!(self, Self::Revoke | Self::Resend)
    }
}

const fn next(state: InvitationState, action: Action) -> Option<InvitationState> {
    match (state, action) {
        (InvitationState::Pending, Action::Accept) => Some(InvitationState::Accepted),
        (InvitationState::Pending, Action::Decline) => Some(InvitationState::Declined),
        (InvitationState::Pending, Action::Revoke) => Some(InvitationState::Revoked),
        (InvitationState::Pending | InvitationState::Expired, Action::Resend) => Some(InvitationState::Pending),
        (InvitationState::Pending, Action::Expire) => Some(InvitationState::Expired),
        _ => None,
    }
}

/// Where an action leads.
///
/// # Errors
/// [`Code::IllegalTransition`] with the actions that are allowed now.
pub(super) fn after(state: InvitationState, action: Action) -> Result<InvitationState, Fault> {
    next(state, action).ok_or_else(|| {
        let allowed = Action::ALL.into_iter().filter(|action| next(state, *action).is_some());
        let allowed = allowed.map(|action| action.name().to_owned()).collect();
        Fault::illegal("invitation", state.name(), action.name(), allowed)
    })
}

/// What whoever sends invitations can do about one now.
pub(super) fn allowed_actions(state: InvitationState) -> Vec<String> {
    Action::ALL
        .into_iter()
        .filter(|action| action.is_senders() && next(state, *action).is_some())
        .map(|action| action.name().to_owned())
        .collect()
}

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "Invitation",
        (InvitationState::ALL, InvitationState::name),
        (&Action::ALL, Action::name),
        [&after],
    )
}

/// Refuses to invite anybody into a team that may not act at present, for nobody could accept.
///
/// # Errors
/// [`Code::Conflict`].
pub(super) fn may_invite(partner_state: &str) -> Result<(), Fault> {
    if partner_state == "ACTIVE" {
        return Ok(());
    }
    Err(Fault::conflict(
        "The company is not active, so the invitation could not be accepted. Send the invitation when the company is \
         active again.",
    ))
}

/// The refusal of an address that has an invitation already.
pub(super) fn waits_already() -> Fault {
    Fault::conflict("This address already has a pending invitation. Resend that invitation instead.")
}

/// The refusal of somebody who is in the team.
pub(super) fn is_member() -> Fault {
    Fault::conflict("A user with this address is already in the team.")
}

/// The refusal of one mail too many.
pub(super) fn too_many_mails() -> Fault {
    let detail = format!(
        "The limit of {MAILS_PER_HOUR} invitations to this address per hour is exceeded. Wait an hour and try again."
    );
    Fault::rate_limited(SpentBudget::Burst, 3600, detail)
}

/// What is wrong with an address that cannot be invited.
pub(super) fn no_address(problem: EmailProblem) -> FieldError {
    FieldError::at("/email", "FORMAT", format!("This address cannot be used: {problem}."))
}

/// Somebody who has the invited address already, and has proved it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder<'a> {
    pub(super) state: &'a str,
    /// Whether in the team that invites.
    pub(super) is_in_team: bool,
    /// The state of the person's own company; none for staff.
    pub(super) partner_state: Option<&'a str>,
}

/// As whom the invited person joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joining {
    /// As a new person, who chooses a name and a password.
    New,
    /// As the person that the address belongs to already.
    Existing,
    /// Not at all: the address belongs to somebody of this team, of another one, or of the staff.
    Elsewhere,
}

/// As whom the person of an address joins. Whoever registered it without a proof counts for nothing; a person whose
/// company is closed is free to join another.
pub(super) fn joining(holder: Option<Holder<'_>>) -> Joining {
    match holder {
        None => Joining::New,
        Some(Holder { state: "ACTIVE", is_in_team: false, partner_state: Some("CLOSED"), .. }) => Joining::Existing,
        Some(_) => Joining::Elsewhere,
    }
}

/// Who may not join, told what to do.
pub(super) fn elsewhere() -> Fault {
    Fault::conflict(
        "This address already belongs to a member of a team, and a user can belong to only one team. Leave that team \
         first, or ask for an invitation to another address.",
    )
}

/// What is missing of a new person, or too much of an existing one.
pub(super) fn find_missing(joining: Joining, has_name: bool, has_password: bool) -> Vec<FieldError> {
    let fields = [("/name", has_name), ("/password", has_password)];
    let wrong = |(pointer, is_there): (&'static str, bool)| match (joining, is_there) {
        (Joining::New, false) => {
            Some(FieldError::at(pointer, "REQUIRED", "A new account requires a name and a password. Send both."))
        }
        (Joining::Existing, true) => Some(FieldError::at(
            pointer,
            "NOT_ALLOWED",
            "You already have an account with a name and a password. Omit this field.",
        )),
        _ => None,
    };
    fields.into_iter().filter_map(wrong).collect()
}

/// Refuses to let anybody into a team that may not act at present.
///
/// # Errors
/// [`Code::PartnerSuspended`].
pub(super) fn ensure_open_team(partner_state: &str) -> Result<(), Fault> {
    if partner_state == "ACTIVE" {
        return Ok(());
    }
    Err(Fault::new(Code::PartnerSuspended, "The inviting company is not active. Ask the person who invited you."))
}

/// The refusal of a token that is unknown, used or past its time: the same words for all three.
pub(super) fn void_token() -> Fault {
    let message = "This token is not valid: it is unknown, used or expired. Copy it from the e-mail: it follows the \
                   # of the link. Otherwise ask for a new invitation.";
    Fault::field("/token", "INVALID", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
        use Action::{Accept, Decline, Expire, Resend, Revoke};
        let table: [(InvitationState, &[(Action, InvitationState)]); 5] = [
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
            for action in Action::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(after(state, action).ok(), expected, "{state:?} {action:?}");
            }
        }
        let refused = after(InvitationState::Expired, Accept).unwrap_err();
        assert_eq!(refused.allowed_actions(), ["resend"]);
    }

    #[test]
    fn a_sender_is_offered_what_the_table_lets_through() {
        for state in InvitationState::ALL.iter().copied() {
            let own = [Action::Revoke, Action::Resend].into_iter().filter(|action| after(state, *action).is_ok());
            let expected: Vec<_> = own.map(|action| action.name().to_owned()).collect();
            assert_eq!(allowed_actions(state), expected, "{state:?}");
        }
    }

    const ACTIVE: Holder<'_> = Holder { state: "ACTIVE", is_in_team: false, partner_state: Some("ACTIVE") };

    #[test]
    fn a_person_belongs_to_one_living_company() {
        assert_eq!(joining(None), Joining::New);
        assert_eq!(joining(Some(Holder { partner_state: Some("CLOSED"), ..ACTIVE })), Joining::Existing);
        for elsewhere in [
            ACTIVE,
            Holder { partner_state: Some("SUSPENDED"), ..ACTIVE },
            Holder { partner_state: Some("CLOSED"), state: "LOCKED", ..ACTIVE },
            Holder { partner_state: Some("CLOSED"), is_in_team: true, ..ACTIVE },
            Holder { partner_state: None, ..ACTIVE },
        ] {
            assert_eq!(joining(Some(elsewhere)), Joining::Elsewhere, "{elsewhere:?}");
        }
    }

    #[test]
    fn a_new_person_needs_what_an_existing_one_has() {
        let places = |joining, name, password| {
            find_missing(joining, name, password).into_iter().filter_map(|error| error.pointer).collect::<Vec<_>>()
        };
        assert_eq!(places(Joining::New, false, false), ["/name", "/password"]);
        assert_eq!(places(Joining::Existing, true, true), ["/name", "/password"]);
        assert!(places(Joining::New, true, true).is_empty() && places(Joining::Existing, false, false).is_empty());
    }
}
