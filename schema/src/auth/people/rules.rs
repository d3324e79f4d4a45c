//! The machine of a partner's people.

use crate::fault::Fault;
use crate::states::Drawing;

/// Where a person of a partner's team stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Has yet to prove that the e-mail address is theirs.
    Unverified,
    /// May sign in.
    Active,
    /// Held back by their own team.
    Suspended,
    /// Held back by staff.
    Locked,
    /// Gone; the address is free again.
    Removed,
}

/// What can be done about a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// The address was proved.
    Verify,
    /// The team holds the person back.
    Suspend,
    /// The team lets the person in again.
    Reinstate,
    /// Staff hold the person back.
    Lock,
    /// Staff let the person in again.
    Unlock,
    /// The person leaves for good.
    Remove,
}

impl State {
    /// Every state, for reading the column and for tests.
    const ALL: [Self; 5] = [Self::Unverified, Self::Active, Self::Suspended, Self::Locked, Self::Removed];

    /// The column's value.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Unverified => "UNVERIFIED",
            Self::Active => "ACTIVE",
            Self::Suspended => "SUSPENDED",
            Self::Locked => "LOCKED",
            Self::Removed => "REMOVED",
        }
    }

    /// Reads the column's value. INVITED and DISABLED are states of staff and no part of this machine.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == text)
    }
}

impl Action {
    /// Every action, for refusals and tests.
    const ALL: [Self; 6] = [Self::Verify, Self::Suspend, Self::Reinstate, Self::Lock, Self::Unlock, Self::Remove];

    /// The action's name in refusals.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Suspend => "suspend",
            Self::Reinstate => "reinstate",
            Self::Lock => "lock",
            Self::Unlock => "unlock",
            Self::Remove => "remove",
        }
    }
}

/// The table of the machine: where an action leads, or that it leads nowhere.
///
/// Nobody is locked before the address is proved, because unlocking would then open what verifying opens.
const fn next(state: State, action: Action, was_suspended: bool) -> Option<State> {
    match (state, action) {
        (State::Unverified, Action::Verify) | (State::Suspended, Action::Reinstate) => Some(State::Active),
        (State::Active, Action::Suspend) => Some(State::Suspended),
        (State::Active | State::Suspended, Action::Lock) => Some(State::Locked),
        (State::Locked, Action::Unlock) if was_suspended => Some(State::Suspended),
        (State::Locked, Action::Unlock) => Some(State::Active),
        (State::Unverified | State::Active | State::Suspended | State::Locked, Action::Remove) => Some(State::Removed),
        _ => None,
    }
}

/// Where an action leads. `was_suspended` says whether the team had suspended a person whom staff then locked.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(crate) fn after(state: State, action: Action, was_suspended: bool) -> Result<State, Fault> {
    next(state, action, was_suspended).ok_or_else(|| {
        let allowed = Action::ALL
            .into_iter()
            .filter(|action| next(state, *action, was_suspended).is_some())
            .map(|action| action.name().to_owned())
            .collect();
        Fault::illegal("user", state.name(), action.name(), allowed)
    })
}

/// The machine as a picture.
pub(crate) fn drawing() -> Drawing {
    Drawing::of(
        "Partner user",
        (&State::ALL, State::name),
        (&Action::ALL, Action::name),
        [&|state, action| after(state, action, false), &|state, action| after(state, action, true)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
        use Action::{Lock, Reinstate, Remove, Suspend, Unlock, Verify};
        let table: [(State, &[(Action, State)]); 5] = [
            (State::Unverified, &[(Verify, State::Active), (Remove, State::Removed)]),
            (State::Active, &[(Suspend, State::Suspended), (Lock, State::Locked), (Remove, State::Removed)]),
            (State::Suspended, &[(Reinstate, State::Active), (Lock, State::Locked), (Remove, State::Removed)]),
            (State::Locked, &[(Unlock, State::Active), (Remove, State::Removed)]),
            (State::Removed, &[]),
        ];
        for (state, row) in table {
            for action in Action::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(after(state, action, false).ok(), expected, "{state:?} {action:?}");
                let was_suspended = match (state, action) {
                    (State::Locked, Unlock) => Some(State::Suspended),
                    _ => expected,
                };
                assert_eq!(after(state, action, true).ok(), was_suspended, "{state:?} {action:?}, suspended before");
            }
        }
    }

    #[test]
    fn a_refusal_names_what_is_allowed() {
        let allowed = |state, action| {
            after(state, action, false).err().map(|fault| fault.parts().allowed_actions.join(" ")).unwrap_or_default()
        };
        assert_eq!(allowed(State::Locked, Action::Verify), "unlock remove");
        assert_eq!(allowed(State::Unverified, Action::Lock), "verify remove");
        assert_eq!(allowed(State::Removed, Action::Reinstate), "");
    }

    #[test]
    fn every_state_reads_as_it_is_written_and_those_of_staff_are_none() {
        for state in State::ALL {
            assert_eq!(State::parse(state.name()), Some(state));
        }
        assert_eq!(State::parse("INVITED"), None);
        assert_eq!(State::parse("DISABLED"), None);
    }
}
