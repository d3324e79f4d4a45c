//! The machine of a partner's people.

use crate::core::fault::Fault;
use crate::core::state_diagram::StateDiagram;
use crate::core::words::{Word as _, words};

words! {
    /// Where a person of a partner's team stands. INVITED and DISABLED are states of staff and no part of this machine.
    pub(crate) enum PersonState {
        /// Has yet to prove that the e-mail address is theirs.
        Unverified = "UNVERIFIED",
        /// May sign in.
        Active = "ACTIVE",
        /// Held back by their own team.
        Suspended = "SUSPENDED",
        /// Held back by staff.
        Locked = "LOCKED",
        /// Gone; the address is free again.
        Removed = "REMOVED",
    }
}

words! {
    /// What can be done about a person, as refusals call it.
    pub(crate) enum PersonAction {
        /// The address was proved.
        Verify = "verify-email",
        /// The team holds the person back.
        Suspend = "suspend",
        /// The team lets the person in again.
        Reinstate = "reinstate",
        /// Staff hold the person back.
        Lock = "lock",
        /// Staff let the person in again.
        Unlock = "unlock",
        /// The person leaves for good.
        Remove = "remove",
    }
}

/// Who does something about a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The person's own team.
    Team,
    /// Whoever runs the service.
    Staff,
}

/// The table of the machine: where an action leads, or that it leads nowhere.
///
/// Nobody is locked before the address is proved, because unlocking would then open what verifying opens.
const fn next(state: PersonState, action: PersonAction, was_suspended: bool) -> Option<PersonState> {
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

/// Where an action leads. `was_suspended` says whether the team had suspended a person whom staff then locked.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(crate) fn after(state: PersonState, action: PersonAction, was_suspended: bool) -> Result<PersonState, Fault> {
    next(state, action, was_suspended).ok_or_else(|| {
        let allowed = PersonAction::ALL
            .iter()
            .filter(|action| next(state, **action, was_suspended).is_some())
            .map(|action| action.name().to_owned())
            .collect();
        Fault::illegal("user", state.name(), action.name(), allowed)
    })
}

/// What one side can do about a person now. Removing is no action of its own, but deletes.
pub(crate) fn allowed_actions(state: PersonState, side: Side) -> Vec<String> {
    let of_side: &[PersonAction] = match side {
        Side::Team => &[PersonAction::Suspend, PersonAction::Reinstate],
        Side::Staff => &[PersonAction::Verify, PersonAction::Lock, PersonAction::Unlock],
    };
    let allowed = of_side.iter().filter(|action| next(state, **action, false).is_some());
    allowed.map(|action| action.name().to_owned()).collect()
}

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "Partner user",
        (PersonState::ALL, PersonState::name),
        (PersonAction::ALL, PersonAction::name),
        [&|state, action| after(state, action, false), &|state, action| after(state, action, true)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
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
                assert_eq!(after(state, action, false).ok(), expected, "{state:?} {action:?}");
                let was_suspended = match (state, action) {
                    (PersonState::Locked, Unlock) => Some(PersonState::Suspended),
                    _ => expected,
                };
                assert_eq!(after(state, action, true).ok(), was_suspended, "{state:?} {action:?}, suspended before");
            }
        }
    }

    #[test]
    fn a_refusal_names_what_is_allowed() {
        let allowed = |state, action| {
            after(state, action, false).err().map(|fault| fault.allowed_actions().join(" ")).unwrap_or_default()
        };
        assert_eq!(allowed(PersonState::Locked, PersonAction::Verify), "unlock remove");
        assert_eq!(allowed(PersonState::Unverified, PersonAction::Lock), "verify-email remove");
        assert_eq!(allowed(PersonState::Removed, PersonAction::Reinstate), "");
    }

    #[test]
    fn each_side_is_offered_what_the_table_lets_it_do() {
        let table = [
            (PersonState::Unverified, "", "verify-email"),
            (PersonState::Active, "suspend", "lock"),
            (PersonState::Suspended, "reinstate", "lock"),
            (PersonState::Locked, "", "unlock"),
            (PersonState::Removed, "", ""),
        ];
        for (state, team, staff) in table {
            assert_eq!(allowed_actions(state, Side::Team).join(" "), team, "{state:?}");
            assert_eq!(allowed_actions(state, Side::Staff).join(" "), staff, "{state:?}");
        }
    }

    #[test]
    fn states_of_staff_are_none() {
        assert_eq!(PersonState::read("INVITED"), None);
        assert_eq!(PersonState::read("DISABLED"), None);
    }
}
