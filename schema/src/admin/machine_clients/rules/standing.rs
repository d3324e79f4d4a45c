//! The machine of a program, and where its secrets stand.

use async_graphql::Enum;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// Whether a program may sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Enum, Serialize, Deserialize)]
#[graphql(name = "MachineClientState")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum State {
    /// It may.
    Active,
    /// It may not.
    Disabled,
}

/// What can be done to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::admin::machine_clients) enum Action {
    /// It may not sign in any more.
    Disable,
    /// It may again.
    Enable,
}

/// Whether a token can be had for a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Enum, Serialize, Deserialize)]
#[graphql(name = "MachineClientSecretState")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum SecretState {
    /// It can.
    Active,
    /// A newer one has taken its place.
    Expired,
    /// Staff deleted it.
    Deleted,
}

impl State {
    /// The column's value.
    pub(in crate::admin::machine_clients) const fn name(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Disabled => "DISABLED",
        }
    }

    /// Reads the column's value.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] for a value that the column's check would not let in.
    pub(in crate::admin::machine_clients) fn parse(text: &str) -> Result<Self, Fault> {
        match text {
            "ACTIVE" => Ok(Self::Active),
            "DISABLED" => Ok(Self::Disabled),
            _ => Err(Fault::internal(format!("a program in the state {text}"))),
        }
    }
}

impl Action {
    const fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Enable => "enable",
        }
    }
}

impl SecretState {
    /// Deleting has the last word.
    pub(in crate::admin::machine_clients) const fn of(is_deleted: bool, is_expired: bool) -> Self {
        match (is_deleted, is_expired) {
            (true, _) => Self::Deleted,
            (false, true) => Self::Expired,
            (false, false) => Self::Active,
        }
    }
}

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the action that is allowed now.
pub(in crate::admin::machine_clients) fn after(state: State, action: Action) -> Result<State, Fault> {
    let other = match (state, action) {
        (State::Active, Action::Disable) => return Ok(State::Disabled),
        (State::Disabled, Action::Enable) => return Ok(State::Active),
        (State::Active, Action::Enable) => Action::Disable,
        (State::Disabled, Action::Disable) => Action::Enable,
    };
    Err(Fault::illegal("machine client", state.name(), action.name(), vec![other.name().to_owned()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
        assert_eq!(after(State::Active, Action::Disable).unwrap(), State::Disabled);
        assert_eq!(after(State::Disabled, Action::Enable).unwrap(), State::Active);
        for (state, action, allowed) in
            [(State::Active, Action::Enable, "disable"), (State::Disabled, Action::Disable, "enable")]
        {
            assert_eq!(after(state, action).unwrap_err().parts().allowed_actions, [allowed]);
        }
    }

    #[test]
    fn every_state_reads_as_it_is_written() {
        for state in [State::Active, State::Disabled] {
            assert_eq!(State::parse(state.name()).unwrap(), state);
        }
    }

    #[test]
    fn a_deleted_secret_is_deleted_even_when_its_time_is_over() {
        assert_eq!(SecretState::of(true, true), SecretState::Deleted);
        assert_eq!(SecretState::of(false, true), SecretState::Expired);
        assert_eq!(SecretState::of(false, false), SecretState::Active);
    }
}
