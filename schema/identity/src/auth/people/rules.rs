//! State machine of a partner's users.

use labs_core::fault::Fault;
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};

words! {
    /// State of a user in a partner's team. INVITED and DISABLED are states of staff members and not part of this
    /// machine.
    pub enum PersonState {
        /// Has not yet verified the e-mail address.
        Unverified = "UNVERIFIED",
        /// May sign in.
        Active = "ACTIVE",
        /// Suspended by their own team.
        Suspended = "SUSPENDED",
        /// Locked by staff.
        Locked = "LOCKED",
        /// Removed; the address is free again.
        Removed = "REMOVED",
    }
}

words! {
    /// Action on a user, named as in problem documents.
    pub enum PersonAction {
        /// Verify the address.
        Verify = "verify-email",
        /// Suspend, by the team.
        Suspend = "suspend",
        /// Reinstate, by the team.
        Reinstate = "reinstate",
        /// Lock, by staff.
        Lock = "lock",
        /// Unlock, by staff.
        Unlock = "unlock",
        /// Remove permanently.
        Remove = "remove",
    }
}

/// Side that acts on a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonActor {
    /// The user's own team.
    Team,
    /// The staff.
    Staff,
}

/// Transition table: the state after an action, or `None`.
///
/// A user cannot be locked before the address is verified, because unlocking would then have the effect of verifying.
const fn find_transition(state: PersonState, action: PersonAction, was_suspended: bool) -> Option<PersonState> {
    match (state, action) {
        (PersonState::Unverified, PersonAction::Verify) | (PersonState::Suspended, PersonAction::Reinstate) => {
            Some(PersonState::Active)
        }
        (PersonState::Active, PersonAction::Suspend) => Some(PersonState::Suspended),
        (PersonState::Active | PersonState::Suspended, PersonAction::Lock) => Some(PersonState::Locked),
        (PersonState::Locked, PersonAction::Unlock) if was_suspended => Some(PersonState::Suspended),
        (PersonState::Locked, PersonAction::Unlock) => Some(PersonState::Active),
        (
            PersonState::Unverified | PersonState::Active | PersonState::Suspended | PersonState::Locked,
            PersonAction::Remove,
        ) => Some(PersonState::Removed),
        _ => None,
    }
}

/// Returns the state after an action. `was_suspended` says whether the team had suspended a user whom staff then
/// locked.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions.
pub fn next_person_state(state: PersonState, action: PersonAction, was_suspended: bool) -> Result<PersonState, Fault> {
    find_transition(state, action, was_suspended).ok_or_else(|| {
        let allowed = PersonAction::ALL
            .iter()
            .filter(|action| find_transition(state, **action, was_suspended).is_some())
            .map(|action| action.name().to_owned())
            .collect();
        Fault::illegal("user", state.name(), action.name(), allowed)
    })
}

/// Returns the currently allowed actions of one side. Removal is a DELETE and therefore not a named action.
pub fn allowed_actions(state: PersonState, side: PersonActor) -> Vec<String> {
    let of_side: &[PersonAction] = match side {
        PersonActor::Team => &[PersonAction::Suspend, PersonAction::Reinstate],
        PersonActor::Staff => &[PersonAction::Verify, PersonAction::Lock, PersonAction::Unlock],
    };
    let allowed = of_side.iter().filter(|action| find_transition(state, **action, false).is_some());
    allowed.map(|action| action.name().to_owned()).collect()
}

/// Draws the state machine.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Partner user",
        (PersonState::ALL, PersonState::name),
        (PersonAction::ALL, PersonAction::name),
        [&|state, action| next_person_state(state, action, false), &|state, action| {
            next_person_state(state, action, true)
        }],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_machine_matches_table() {
        use PersonAction::{Lock, Reinstate, Remove, Suspend, Unlock, Verify};
        let table: [(PersonState, &[(PersonAction, PersonState)]); 5] = [
            (PersonState::Unverified, &[(Verify, PersonState::Active), (Remove, PersonState::Removed)]),
            (
                PersonState::Active,
                &[(Suspend, PersonState::Suspended), (Lock, PersonState::Locked), (Remove, PersonState::Removed)],
            ),
            (
                PersonState::Suspended,
                &[(Reinstate, PersonState::Active), (Lock, PersonState::Locked), (Remove, PersonState::Removed)],
            ),
            (PersonState::Locked, &[(Unlock, PersonState::Active), (Remove, PersonState::Removed)]),
            (PersonState::Removed, &[]),
        ];
        for (state, row) in table {
            for action in PersonAction::ALL.iter().copied() {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(next_person_state(state, action, false).ok(), expected, "{state:?} {action:?}");
                let was_suspended = match (state, action) {
                    (PersonState::Locked, Unlock) => Some(PersonState::Suspended),
                    _ => expected,
                };
                assert_eq!(
                    next_person_state(state, action, true).ok(),
                    was_suspended,
                    "{state:?} {action:?}, suspended before"
                );
            }
        }
    }

    #[test]
    fn rejected_action_lists_allowed_actions() {
        let allowed = |state, action| {
            next_person_state(state, action, false)
                .err()
                .map(|fault| fault.allowed_actions().join(" "))
                .unwrap_or_default()
        };
        assert_eq!(allowed(PersonState::Locked, PersonAction::Verify), "unlock remove");
        assert_eq!(allowed(PersonState::Unverified, PersonAction::Lock), "verify-email remove");
        assert_eq!(allowed(PersonState::Removed, PersonAction::Reinstate), "");
    }

    #[test]
    fn each_side_gets_actions_of_table() {
        let table = [
            (PersonState::Unverified, "", "verify-email"),
            (PersonState::Active, "suspend", "lock"),
            (PersonState::Suspended, "reinstate", "lock"),
            (PersonState::Locked, "", "unlock"),
            (PersonState::Removed, "", ""),
        ];
        for (state, team, staff) in table {
            assert_eq!(allowed_actions(state, PersonActor::Team).join(" "), team, "{state:?}");
            assert_eq!(allowed_actions(state, PersonActor::Staff).join(" "), staff, "{state:?}");
        }
    }

    #[test]
    fn staff_states_are_not_person_states() {
        assert_eq!(PersonState::read("INVITED"), None);
        assert_eq!(PersonState::read("DISABLED"), None);
    }
}
