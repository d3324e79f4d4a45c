//! The states of machine clients and of their client secrets.

use labs_core::fault::Fault;
use labs_core::words::words;

words! {
    /// State of the machine client.
    pub enum MachineClientState {
        /// The machine client can authenticate.
        Active = "ACTIVE",
        /// It receives no tokens, and the service rejects its existing tokens.
        Disabled = "DISABLED",
    }
}

/// Action of staff on a machine client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine_clients) enum MachineClientAction {
    /// Disable authentication.
    Disable,
    /// Enable authentication.
    Enable,
}

words! {
    /// State of a secret.
    pub enum MachineClientSecretState {
        /// The machine client can request tokens with the secret.
        Active = "ACTIVE",
        /// A newer secret has replaced it.
        Expired = "EXPIRED",
        /// A staff member ended the secret and the tokens that were issued for it.
        Deleted = "DELETED",
    }
}

impl MachineClientAction {
    const ALL: [Self; 2] = [Self::Disable, Self::Enable];

    const fn name(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Enable => "enable",
        }
    }
}

/// Returns the state that an action results in.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the action that is currently allowed.
pub(in crate::machine_clients) fn next_state(
    state: MachineClientState,
    action: MachineClientAction,
) -> Result<MachineClientState, Fault> {
    use MachineClientAction::{Disable, Enable};
    use MachineClientState::{Active, Disabled};
    let other = match (state, action) {
        (Active, Disable) => return Ok(Disabled),
        (Disabled, Enable) => return Ok(Active),
        (Active, Enable) => Disable,
        (Disabled, Disable) => Enable,
    };
    Err(Fault::illegal("machine client", state.name(), action.name(), vec![other.name().to_owned()]))
}

/// Returns the currently allowed actions of a machine client. Only a caller who could receive its secret may enable it.
pub(in crate::machine_clients) fn allowed_actions(state: MachineClientState, takes_secret: bool) -> Vec<String> {
    let allowed = MachineClientAction::ALL.into_iter().filter(|action| next_state(state, *action).is_ok());
    let allowed = allowed.filter(|action| takes_secret || *action != MachineClientAction::Enable);
    allowed.map(|action| action.name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::MachineClientAction::{Disable, Enable};
    use super::MachineClientState::{Active, Disabled};
    use super::*;

    #[test]
    fn state_machine_matches_table() {
        assert_eq!(next_state(Active, Disable).unwrap(), Disabled);
        assert_eq!(next_state(Disabled, Enable).unwrap(), Active);
        for (state, action, allowed) in [(Active, Enable, "disable"), (Disabled, Disable, "enable")] {
            assert_eq!(next_state(state, action).unwrap_err().allowed_actions(), [allowed]);
            assert_eq!(allowed_actions(state, true), [allowed]);
        }
        assert_eq!(allowed_actions(Active, false), ["disable"]);
        assert!(allowed_actions(Disabled, false).is_empty());
    }
}
