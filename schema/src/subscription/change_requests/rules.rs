//! What may become of a request for another tier.

use async_graphql::Enum;

use crate::fault::Fault;
use crate::states::Drawing;

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, serde::Serialize)]
#[graphql(name = "TierChangeRequestState")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum State {
    /// Waits for staff.
    Pending,
    /// The tier is in force.
    Applied,
    /// Staff refused it.
    Rejected,
    /// Its partner took it back, or it was overtaken by a cancellation or another tier.
    Withdrawn,
}

/// What can be done to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Staff apply it.
    Approve,
    /// Staff refuse it.
    Reject,
    /// Its partner takes it back.
    Withdraw,
}

impl State {
    const ALL: [Self; 4] = [Self::Pending, Self::Applied, Self::Rejected, Self::Withdrawn];

    /// The column's value.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Applied => "APPLIED",
            Self::Rejected => "REJECTED",
            Self::Withdrawn => "WITHDRAWN",
        }
    }

    /// Reads the column's value.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] for a value that the column's check would not let in.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        Self::ALL
            .into_iter()
            .find(|state| state.name() == text)
            .ok_or_else(|| Fault::internal(format!("a request in the state {text}")))
    }
}

impl Action {
    const ALL: [Self; 3] = [Self::Approve, Self::Reject, Self::Withdraw];

    const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Withdraw => "withdraw",
        }
    }
}

/// The table of the machine.
const fn next(state: State, action: Action) -> Option<State> {
    match (state, action) {
        (State::Pending, Action::Approve) => Some(State::Applied),
        (State::Pending, Action::Reject) => Some(State::Rejected),
        (State::Pending, Action::Withdraw) => Some(State::Withdrawn),
        _ => None,
    }
}

/// Where an action leads. Once a request is decided, it stays so.
///
/// # Errors
/// [`crate::Code::IllegalTransition`]; nothing is allowed then, to either side.
pub(crate) fn after(state: State, action: Action) -> Result<State, Fault> {
    next(state, action).ok_or_else(|| Fault::illegal("request", state.name(), action.name(), Vec::new()))
}

/// The machine as a picture.
pub(crate) fn drawing() -> Drawing {
    Drawing::of("Tier change request", (&State::ALL, State::name), (&Action::ALL, Action::name), [&after])
}

/// Refuses to apply a tier to a partner that is closed.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn open(partner_state: &str) -> Result<(), Fault> {
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
pub(super) fn applicable(tier_state: &str, tier_code: &str) -> Result<(), Fault> {
    if tier_state == "OFFERED" {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "{tier_code} is not on offer any more. Reject the request, or offer the tier again and approve it then."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Code;

    #[test]
    fn the_machine_cell_by_cell() {
        use Action::{Approve, Reject, Withdraw};
        for state in State::ALL {
            for action in Action::ALL {
                let expected = match (state, action) {
                    (State::Pending, Approve) => Some(State::Applied),
                    (State::Pending, Reject) => Some(State::Rejected),
                    (State::Pending, Withdraw) => Some(State::Withdrawn),
                    _ => None,
                };
                assert_eq!(after(state, action).ok(), expected, "{state:?} {action:?}");
            }
            assert_eq!(State::parse(state.name()).ok(), Some(state));
        }
        assert!(State::parse("LOST").is_err());
    }

    #[test]
    fn only_a_partner_that_is_there_gets_another_tier() {
        assert!(["ACTIVE", "SUSPENDED", "CLOSING"].into_iter().all(|state| open(state).is_ok()));
        assert_eq!(open("CLOSED").unwrap_err().code(), Code::Conflict);
    }

    #[test]
    fn only_a_tier_on_offer_is_applied() {
        assert!(applicable("OFFERED", "SCALE").is_ok());
        assert_eq!(applicable("RETIRED", "SCALE").unwrap_err().code(), Code::Conflict);
    }
}
