//! The machine of a program, and where its secrets stand.

use crate::core::fault::Fault;
use crate::core::words::words;

words! {
    /// Whether a program may sign in.
    pub(crate) enum MachineClientState {
        /// It may.
        Active = "ACTIVE",
        /// It may not.
        Disabled = "DISABLED",
    }
}

/// What can be done to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::admin::machine_clients) enum MachineClientAction {
    /// It may not sign in any more.
    Disable,
    /// It may again.
    Enable,
}

words! {
    /// Whether a token can be had for a secret.
    pub(crate) enum MachineClientSecretState {
        /// It can.
        Active = "ACTIVE",
        /// A newer one has taken its place.
        Expired = "EXPIRED",
        /// Staff deleted it.
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

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the action that is allowed now.
pub(in crate::admin::machine_clients) fn after(
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

/// What can be done to a program now. Letting it in again is for whoever could be given its secret.
pub(in crate::admin::machine_clients) fn allowed_actions(state: MachineClientState, takes_secret: bool) -> Vec<String> {
    let allowed = MachineClientAction::ALL.into_iter().filter(|action| after(state, *action).is_ok());
    let allowed = allowed.filter(|action| takes_secret || *action != MachineClientAction::Enable);
    allowed.map(|action| action.name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::MachineClientAction::{Disable, Enable};
    use super::MachineClientState::{Active, Disabled};
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
        assert_eq!(after(Active, Disable).unwrap(), Disabled);
        assert_eq!(after(Disabled, Enable).unwrap(), Active);
        for (state, action, allowed) in [(Active, Enable, "disable"), (Disabled, Disable, "enable")] {
            assert_eq!(after(state, action).unwrap_err().allowed_actions(), [allowed]);
            assert_eq!(allowed_actions(state, true), [allowed]);
        }
        assert_eq!(allowed_actions(Active, false), ["disable"]);
        assert!(allowed_actions(Disabled, false).is_empty());
    }
}
