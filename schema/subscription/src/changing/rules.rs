//! State machine of subscriptions, and their due changes.

use labs_core::fault::{Fault, FieldError};
use labs_core::state_diagram::StateDiagram;
use labs_core::time::Time;
use labs_core::words::{Word as _, words};

words! {
    /// State of a subscription.
    pub enum SubscriptionState {
        /// Continues.
        Active = "ACTIVE",
        /// Falls back to the free tier when its period ends.
        Cancelling = "CANCELLING",
    }
}

/// Action on a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubscriptionAction {
    /// Change to another tier, now or at a date.
    ChangeTier,
    /// Fall back to the free tier at the end of the period.
    Cancel,
    /// Undo a cancellation.
    Resume,
    /// Extend the period.
    Extend,
    /// Fall back to the free tier now: the period has ended, or staff cancelled at once.
    End,
}

impl SubscriptionAction {
    const ALL: [Self; 5] = [Self::ChangeTier, Self::Cancel, Self::Resume, Self::Extend, Self::End];

    const fn name(self) -> &'static str {
        match self {
            Self::ChangeTier => "change-tier",
            Self::Cancel => "cancel",
            Self::Resume => "resume",
            Self::Extend => "extend",
            Self::End => "end",
        }
    }

    /// Whether a fault may offer the action to this side. Only staff can extend. No caller can end: only the service,
    /// and an immediate cancellation by staff.
    const fn is_for(self, is_staff: bool) -> bool {
        match self {
            Self::ChangeTier | Self::Cancel => true,
            Self::Resume => !is_staff,
            Self::Extend => is_staff,
            Self::End => false,
        }
    }
}

/// Transition table.
const fn find_transition(state: SubscriptionState, action: SubscriptionAction) -> Option<SubscriptionState> {
    use SubscriptionAction::{Cancel, ChangeTier, End, Extend, Resume};
    use SubscriptionState::{Active, Cancelling};
    match (state, action) {
        (Active | Cancelling, ChangeTier | End) => Some(Active),
        (Active, Cancel) => Some(Cancelling),
        (Cancelling, Resume) => Some(Active),
        (Active | Cancelling, Extend) => Some(state),
        _ => None,
    }
}

/// Returns the state after an action.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the actions that the caller may perform now.
pub(super) fn next_state(
    state: SubscriptionState,
    action: SubscriptionAction,
    is_staff: bool,
) -> Result<SubscriptionState, Fault> {
    find_transition(state, action).ok_or_else(|| {
        Fault::illegal("subscription", state.name(), action.name(), allowed_actions(state, true, false, is_staff))
    })
}

/// Returns the currently allowed actions of one side. A subscription without periods cannot be extended. If it is also
/// free, it cannot be cancelled.
pub fn allowed_actions(state: SubscriptionState, has_end: bool, is_free: bool, is_staff: bool) -> Vec<String> {
    let makes_sense = |action: &SubscriptionAction| match action {
        SubscriptionAction::Extend => has_end,
        SubscriptionAction::Cancel => has_end || !is_free,
        _ => true,
    };
    SubscriptionAction::ALL
        .into_iter()
        .filter(|action| action.is_for(is_staff) && find_transition(state, *action).is_some() && makes_sense(action))
        .map(|action| action.name().to_owned())
        .collect()
}

/// Draws the state machine.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Subscription",
        (SubscriptionState::ALL, SubscriptionState::name),
        (&SubscriptionAction::ALL, SubscriptionAction::name),
        [&|state, action| next_state(state, action, false)],
    )
}

/// A due change of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The scheduled tier change.
    Change,
    /// The end of a cancelled period.
    End,
    /// The next period.
    Renew,
}

/// Returns the first due change, if any. A tier change scheduled for the end of a period comes before the renewal.
pub(super) fn due(
    state: SubscriptionState,
    period_end: Option<Time>,
    pending_at: Option<Time>,
    present: Time,
) -> Option<Due> {
    let ended = period_end.filter(|end| *end <= present);
    let waited = pending_at.filter(|at| *at <= present);
    match (waited, ended) {
        (Some(at), Some(end)) if end < at => Some(at_end(state)),
        (Some(_), _) => Some(Due::Change),
        (None, Some(_)) => Some(at_end(state)),
        (None, None) => None,
    }
}

const fn at_end(state: SubscriptionState) -> Due {
    match state {
        SubscriptionState::Cancelling => Due::End,
        SubscriptionState::Active => Due::Renew,
    }
}

/// Rejects the cancellation of a free subscription.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_cancellable(is_fallback: bool, tier_code: &str) -> Result<(), Fault> {
    if is_fallback {
        return Err(Fault::conflict(format!(
            "This subscription is already on {tier_code}, which is free and does not end. There is nothing to cancel."
        )));
    }
    Ok(())
}

/// Rejects a change to the tier that is already current or scheduled.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_other_tier(is_same: bool, tier_code: &str) -> Result<(), Fault> {
    if is_same {
        return Err(Fault::conflict(format!("The subscription is already on {tier_code}. Choose another tier.")));
    }
    Ok(())
}

/// Returns the tier if a partner may request it: it must be offered.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for any other.
pub fn ensure_on_offer<T>(tier: Option<T>, is_offered: impl Fn(&T) -> bool) -> Result<T, Fault> {
    tier.filter(is_offered).ok_or_else(|| {
        let message = "No offered tier has this code. GET /v1/subscription/public/tiers lists the offered tiers.";
        Fault::field("/tier_code", "UNKNOWN_TIER", message)
    })
}

/// Checks that a time given by staff is in the future; `pointer` names its field.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`].
pub(super) fn to_come(at: Time, present: Time, pointer: &str) -> Result<(), Fault> {
    if at > present {
        return Ok(());
    }
    Err(Fault::field(pointer, "PAST", "This time has passed. Send a future time."))
}

/// Checks that the new end of a period is later.
///
/// # Errors
/// [`labs_core::Code::Conflict`] without periods, [`labs_core::Code::ValidationFailed`] for an end that is not later.
pub(super) fn later_end(period_end: Option<Time>, wanted: Time, present: Time) -> Result<(), Fault> {
    let Some(end) = period_end else {
        return Err(Fault::conflict("This subscription has no period that ends, so it cannot be extended."));
    };
    if wanted > end && wanted > present {
        return Ok(());
    }
    let message = format!("The period ends at {end}. Send a later time to extend it.");
    Err(Fault::invalid(vec![FieldError::at("/period_end", "NOT_LATER", message)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    fn at(seconds: i64) -> Time {
        Time(jiff::Timestamp::UNIX_EPOCH).plus_seconds(seconds)
    }

    #[test]
    fn state_machine_matches_table() {
        use SubscriptionAction::{Cancel, ChangeTier, End, Extend, Resume};
        use SubscriptionState::{Active, Cancelling};
        let table: [(SubscriptionState, &[(SubscriptionAction, SubscriptionState)]); 2] = [
            (Active, &[(ChangeTier, Active), (Cancel, Cancelling), (Extend, Active), (End, Active)]),
            (Cancelling, &[(ChangeTier, Active), (Resume, Active), (Extend, Cancelling), (End, Active)]),
        ];
        for (state, row) in table {
            for action in SubscriptionAction::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                for is_staff in [false, true] {
                    assert_eq!(next_state(state, action, is_staff).ok(), expected, "{state:?} {action:?}");
                }
            }
        }
    }

    #[test]
    fn rejected_action_lists_allowed_actions_of_caller_side() {
        let allowed = |state, action, is_staff| {
            next_state(state, action, is_staff).err().map(|fault| fault.allowed_actions().join(" "))
        };
        let (active, cancelling) = (SubscriptionState::Active, SubscriptionState::Cancelling);
        assert_eq!(allowed(cancelling, SubscriptionAction::Cancel, false).unwrap(), "change-tier resume");
        assert_eq!(allowed(cancelling, SubscriptionAction::Cancel, true).unwrap(), "change-tier extend");
        assert_eq!(allowed(active, SubscriptionAction::Resume, false).unwrap(), "change-tier cancel");
    }

    #[test]
    fn each_side_gets_sensible_actions_of_table() {
        let of = |state, has_end, is_free, is_staff| allowed_actions(state, has_end, is_free, is_staff).join(" ");
        let (active, cancelling) = (SubscriptionState::Active, SubscriptionState::Cancelling);
        assert_eq!(of(active, true, false, true), "change-tier cancel extend");
        assert_eq!(of(active, true, true, false), "change-tier cancel");
        assert_eq!(of(active, false, false, true), "change-tier cancel");
        assert_eq!(of(active, false, true, true), "change-tier");
        assert_eq!(of(cancelling, true, false, true), "change-tier extend");
        assert_eq!(of(cancelling, true, false, false), "change-tier resume");
    }

    #[test]
    fn earliest_due_step_comes_first() {
        use SubscriptionState::{Active, Cancelling};
        let now = at(100);
        let cells = [
            (Active, None, None, None),
            (Active, Some(101), Some(101), None),
            (Active, Some(100), None, Some(Due::Renew)),
            (Cancelling, Some(100), None, Some(Due::End)),
            (Cancelling, Some(101), None, None),
            (Active, Some(200), Some(100), Some(Due::Change)),
            (Active, None, Some(90), Some(Due::Change)),
            (Active, Some(90), Some(90), Some(Due::Change)),
            (Active, Some(80), Some(90), Some(Due::Renew)),
            (Active, Some(95), Some(90), Some(Due::Change)),
        ];
        for (state, end, pending, expected) in cells {
            assert_eq!(due(state, end.map(at), pending.map(at), now), expected, "{state:?} {end:?} {pending:?}");
        }
    }

    #[test]
    fn only_offered_tier_can_be_requested() {
        assert!(ensure_on_offer(Some("OFFERED"), |state| *state == "OFFERED").is_ok());
        assert!(ensure_on_offer(Some("DRAFT"), |state| *state == "OFFERED").is_err());
        assert!(ensure_on_offer(None::<&str>, |_| true).is_err());
    }

    #[test]
    fn senseless_changes_are_rejected() {
        assert_eq!(ensure_cancellable(true, "FREE").unwrap_err().code(), Code::Conflict);
        assert_eq!(ensure_other_tier(true, "FREE").unwrap_err().code(), Code::Conflict);
        assert!(ensure_cancellable(false, "GROWTH").is_ok() && ensure_other_tier(false, "FREE").is_ok());
        assert_eq!(to_come(at(5), at(5), "/at").unwrap_err().errors()[0].pointer.as_deref(), Some("/at"));
        assert!(to_come(at(6), at(5), "/at").is_ok());
        assert_eq!(later_end(None, at(9), at(1)).unwrap_err().code(), Code::Conflict);
        assert_eq!(later_end(Some(at(9)), at(9), at(1)).unwrap_err().code(), Code::ValidationFailed);
        assert_eq!(later_end(Some(at(2)), at(3), at(5)).unwrap_err().code(), Code::ValidationFailed);
        assert!(later_end(Some(at(9)), at(10), at(1)).is_ok());
    }
}
