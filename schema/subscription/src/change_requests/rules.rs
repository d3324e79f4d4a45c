//! State machine of tier change requests.

use labs_core::fault::Fault;
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};

use crate::tiers::rules::TierState;

words! {
    /// State of a tier change request.
    pub enum TierChangeRequestState {
        /// Waits for a decision by staff.
        Pending = "PENDING",
        /// The tier is effective.
        Applied = "APPLIED",
        /// Staff rejected it.
        Rejected = "REJECTED",
        /// The partner withdrew it, or before the decision the subscription was cancelled or the partner chose another
        /// self-service tier.
        Withdrawn = "WITHDRAWN",
    }
}

/// Action on a tier change request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TierChangeRequestAction {
    /// Staff apply it.
    Approve,
    /// Staff reject it.
    Reject,
    /// Its partner withdraws it.
    Withdraw,
}

impl TierChangeRequestAction {
    const ALL: [Self; 3] = [Self::Approve, Self::Reject, Self::Withdraw];

    const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Withdraw => "withdraw",
        }
    }

    const fn is_for(self, is_staff: bool) -> bool {
        match self {
            Self::Approve | Self::Reject => is_staff,
            Self::Withdraw => !is_staff,
        }
    }
}

/// Transition table.
const fn find_transition(
    state: TierChangeRequestState,
    action: TierChangeRequestAction,
) -> Option<TierChangeRequestState> {
    match (state, action) {
        (TierChangeRequestState::Pending, TierChangeRequestAction::Approve) => Some(TierChangeRequestState::Applied),
        (TierChangeRequestState::Pending, TierChangeRequestAction::Reject) => Some(TierChangeRequestState::Rejected),
        (TierChangeRequestState::Pending, TierChangeRequestAction::Withdraw) => Some(TierChangeRequestState::Withdrawn),
        _ => None,
    }
}

/// Returns the state after an action. A settled request never changes.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`]; neither side has an allowed action then.
pub(super) fn next_state(
    state: TierChangeRequestState,
    action: TierChangeRequestAction,
) -> Result<TierChangeRequestState, Fault> {
    find_transition(state, action)
        .ok_or_else(|| Fault::illegal("tier change request", state.name(), action.name(), Vec::new()))
}

/// Returns the currently allowed actions of one side.
pub(super) fn allowed_actions(state: TierChangeRequestState, is_staff: bool) -> Vec<String> {
    TierChangeRequestAction::ALL
        .into_iter()
        .filter(|action| action.is_for(is_staff) && find_transition(state, *action).is_some())
        .map(|action| action.name().to_owned())
        .collect()
}

/// Draws the state machine.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Tier change request",
        (TierChangeRequestState::ALL, TierChangeRequestState::name),
        (&TierChangeRequestAction::ALL, TierChangeRequestAction::name),
        [&next_state],
    )
}

/// Rejects a tier change of a closed partner.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_open(partner_state: &str) -> Result<(), Fault> {
    if partner_state != "CLOSED" {
        return Ok(());
    }
    let message = "This partner is closed. Reopen it first (admin_partners_reopen), or reject the request.";
    Err(Fault::conflict(message))
}

/// Rejects a tier that is a draft.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_applicable(tier_state: TierState, tier_code: &str) -> Result<(), Fault> {
    if tier_state == TierState::Offered {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "{tier_code} is not offered any more. Reject the request, or offer the tier again and then approve the \
         request."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    #[test]
    fn state_machine_matches_table() {
        use TierChangeRequestAction::{Approve, Reject, Withdraw};
        for state in TierChangeRequestState::ALL.iter().copied() {
            for action in TierChangeRequestAction::ALL {
                let expected = match (state, action) {
                    (TierChangeRequestState::Pending, Approve) => Some(TierChangeRequestState::Applied),
                    (TierChangeRequestState::Pending, Reject) => Some(TierChangeRequestState::Rejected),
                    (TierChangeRequestState::Pending, Withdraw) => Some(TierChangeRequestState::Withdrawn),
                    _ => None,
                };
                assert_eq!(next_state(state, action).ok(), expected, "{state:?} {action:?}");
            }
        }
    }

    #[test]
    fn each_side_gets_actions_of_table() {
        for state in TierChangeRequestState::ALL.iter().copied() {
            let waits = state == TierChangeRequestState::Pending;
            let of = |is_staff| allowed_actions(state, is_staff).join(" ");
            assert_eq!(of(true), if waits { "approve reject" } else { "" }, "{state:?}");
            assert_eq!(of(false), if waits { "withdraw" } else { "" }, "{state:?}");
        }
    }

    #[test]
    fn closed_partner_cannot_change_tier() {
        assert!(["ACTIVE", "SUSPENDED", "CLOSING"].into_iter().all(|state| ensure_open(state).is_ok()));
        assert_eq!(ensure_open("CLOSED").unwrap_err().code(), Code::Conflict);
    }

    #[test]
    fn only_offered_tier_can_be_applied() {
        assert!(ensure_applicable(TierState::Offered, "SCALE").is_ok());
        assert_eq!(ensure_applicable(TierState::Retired, "SCALE").unwrap_err().code(), Code::Conflict);
    }
}
