//! What may become of a request for another tier.

use crate::core::fault::Fault;
use crate::core::state_diagram::StateDiagram;
use crate::core::words::{Word as _, words};
use crate::subscription::tiers::rules::TierState;

words! {
    /// Where a request stands.
    pub(crate) enum TierChangeRequestState {
        /// Waits for staff.
        Pending = "PENDING",
        /// The tier is in force.
        Applied = "APPLIED",
        /// Staff refused it.
        Rejected = "REJECTED",
        /// Its partner took it back, or it was overtaken by a cancellation or another tier.
        Withdrawn = "WITHDRAWN",
    }
}

/// What can be done to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TierChangeRequestAction {
    /// Staff apply it.
    Approve,
    /// Staff refuse it.
    Reject,
    /// Its partner takes it back.
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

/// The table of the machine.
const fn next(state: TierChangeRequestState, action: TierChangeRequestAction) -> Option<TierChangeRequestState> {
    match (state, action) {
        (TierChangeRequestState::Pending, TierChangeRequestAction::Approve) => Some(TierChangeRequestState::Applied),
        (TierChangeRequestState::Pending, TierChangeRequestAction::Reject) => Some(TierChangeRequestState::Rejected),
        (TierChangeRequestState::Pending, TierChangeRequestAction::Withdraw) => Some(TierChangeRequestState::Withdrawn),
        _ => None,
    }
}

/// Where an action leads. Once a request is decided, it stays so.
///
/// # Errors
/// [`crate::Code::IllegalTransition`]; nothing is allowed then, to either side.
pub(crate) fn after(
    state: TierChangeRequestState,
    action: TierChangeRequestAction,
) -> Result<TierChangeRequestState, Fault> {
    next(state, action).ok_or_else(|| Fault::illegal("request", state.name(), action.name(), Vec::new()))
}

/// What one side can do to a request now.
pub(super) fn allowed_actions(state: TierChangeRequestState, is_staff: bool) -> Vec<String> {
    TierChangeRequestAction::ALL
        .into_iter()
        .filter(|action| action.is_for(is_staff) && next(state, *action).is_some())
        .map(|action| action.name().to_owned())
        .collect()
}

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "Tier change request",
        (TierChangeRequestState::ALL, TierChangeRequestState::name),
        (&TierChangeRequestAction::ALL, TierChangeRequestAction::name),
        [&after],
    )
}

/// Refuses to apply a tier to a partner that is closed.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn ensure_open(partner_state: &str) -> Result<(), Fault> {
    if partner_state != "CLOSED" {
        return Ok(());
    }
    let message = "This partner is closed. Reopen it first (admin_partners_reopen), or reject the request.";
    Err(Fault::conflict(message))
}

/// Refuses to apply a tier that went back into its draft, or never left it.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn applicable(tier_state: TierState, tier_code: &str) -> Result<(), Fault> {
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
    use crate::core::fault::Code;

    #[test]
    fn the_machine_cell_by_cell() {
        use TierChangeRequestAction::{Approve, Reject, Withdraw};
        for state in TierChangeRequestState::ALL.iter().copied() {
            for action in TierChangeRequestAction::ALL {
                let expected = match (state, action) {
                    (TierChangeRequestState::Pending, Approve) => Some(TierChangeRequestState::Applied),
                    (TierChangeRequestState::Pending, Reject) => Some(TierChangeRequestState::Rejected),
                    (TierChangeRequestState::Pending, Withdraw) => Some(TierChangeRequestState::Withdrawn),
                    _ => None,
                };
                assert_eq!(after(state, action).ok(), expected, "{state:?} {action:?}");
            }
        }
    }

    #[test]
    fn each_side_is_offered_what_the_table_lets_it_do() {
        for state in TierChangeRequestState::ALL.iter().copied() {
            let waits = state == TierChangeRequestState::Pending;
            let of = |is_staff| allowed_actions(state, is_staff).join(" ");
            assert_eq!(of(true), if waits { "approve reject" } else { "" }, "{state:?}");
            assert_eq!(of(false), if waits { "withdraw" } else { "" }, "{state:?}");
        }
    }

    #[test]
    fn only_a_partner_that_is_there_gets_another_tier() {
        assert!(["ACTIVE", "SUSPENDED", "CLOSING"].into_iter().all(|state| ensure_open(state).is_ok()));
        assert_eq!(ensure_open("CLOSED").unwrap_err().code(), Code::Conflict);
    }

    #[test]
    fn only_a_tier_on_offer_is_applied() {
        assert!(applicable(TierState::Offered, "SCALE").is_ok());
        assert_eq!(applicable(TierState::Retired, "SCALE").unwrap_err().code(), Code::Conflict);
    }
}
