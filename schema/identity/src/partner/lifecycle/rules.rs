//! State machine of a partner.

use labs_core::fault::Fault;
use labs_core::state_diagram::StateDiagram;
use labs_core::time::Time;
use labs_core::words::Word as _;
use labs_shared::states::PartnerState;

use crate::partner::events::PartnerEventKind;

/// Side that acts on a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartnerActor {
    /// The partner's team.
    Team,
    /// Staff.
    Staff,
}

/// Action on a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Staff suspend the partner.
    Suspend,
    /// Staff reinstate the partner.
    Reinstate,
    /// The team requests the closure.
    RequestClosure,
    /// The team cancels the closure.
    CancelClosure,
    /// The account closes, at the due time or by staff.
    Close,
    /// Staff reopen the account.
    Reopen,
    /// Staff erase the partner's personal data.
    Erase,
}

/// A setting of the operator with a number of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Key of the setting.
    pub(super) key: &'static str,
    /// Default number of days.
    pub(super) days: i32,
}

/// Waiting time of a closure.
const CLOSING: Setting = Setting { key: "partner.closing_days", days: 14 };
/// Time in which a closed partner can be reopened.
const REOPENING: Setting = Setting { key: "partner.reopening_days", days: 30 };

impl Action {
    /// All actions, for error details and tests.
    const ALL: [Self; 7] = [
        Self::Suspend,
        Self::Reinstate,
        Self::RequestClosure,
        Self::CancelClosure,
        Self::Close,
        Self::Reopen,
        Self::Erase,
    ];

    /// Returns the action's name in error details.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Suspend => "suspend",
            Self::Reinstate => "reinstate",
            Self::RequestClosure => "request-closure",
            Self::CancelClosure => "cancel-closure",
            Self::Close => "close",
            Self::Reopen => "reopen",
            Self::Erase => "erase",
        }
    }

    const fn side(self) -> PartnerActor {
        match self {
            Self::RequestClosure | Self::CancelClosure => PartnerActor::Team,
            Self::Suspend | Self::Reinstate | Self::Close | Self::Reopen | Self::Erase => PartnerActor::Staff,
        }
    }

    /// Returns the kind of the history event.
    pub(super) const fn event(self) -> PartnerEventKind {
        match self {
            Self::Suspend => PartnerEventKind::Suspended,
            Self::Reinstate => PartnerEventKind::Reinstated,
            Self::RequestClosure => PartnerEventKind::ClosureRequested,
            Self::CancelClosure => PartnerEventKind::ClosureCancelled,
            Self::Close => PartnerEventKind::Closed,
            Self::Reopen => PartnerEventKind::Reopened,
            Self::Erase => PartnerEventKind::Erased,
        }
    }
}

/// Returns the state that an action results in, or `None` (the transition table). `former` is the state of a suspended
/// or closed partner before that.
fn find_transition(state: PartnerState, action: Action, former: Option<PartnerState>) -> Option<PartnerState> {
    match (state, action) {
        (PartnerState::Active | PartnerState::Closing, Action::Suspend) => Some(PartnerState::Suspended),
        (PartnerState::Suspended, Action::Reinstate) if former == Some(PartnerState::Closing) => {
            Some(PartnerState::Closing)
        }
        (PartnerState::Suspended, Action::Reinstate) | (PartnerState::Closing, Action::CancelClosure) => {
            Some(PartnerState::Active)
        }
        (PartnerState::Active, Action::RequestClosure) => Some(PartnerState::Closing),
        (PartnerState::Active | PartnerState::Suspended | PartnerState::Closing, Action::Close) => {
            Some(PartnerState::Closed)
        }
        (PartnerState::Closed, Action::Reopen) if former == Some(PartnerState::Suspended) => {
            Some(PartnerState::Suspended)
        }
        (PartnerState::Closed, Action::Reopen) => Some(PartnerState::Active),
        (PartnerState::Closed, Action::Erase) => Some(PartnerState::Erased),
        _ => None,
    }
}

/// Returns the state that an action results in.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions.
pub(super) fn next_state(
    state: PartnerState,
    action: Action,
    former: Option<PartnerState>,
) -> Result<PartnerState, Fault> {
    find_transition(state, action, former).ok_or_else(|| {
        let allowed = Action::ALL.into_iter().filter(|action| find_transition(state, *action, former).is_some());
        let allowed = allowed.map(|action| action.name().to_owned()).collect();
        Fault::illegal("partner", state.name(), action.name(), allowed)
    })
}

/// Returns the currently allowed actions of one side. `until` is the time until which a closed partner can be reopened.
pub fn allowed_actions(state: PartnerState, side: PartnerActor, until: Option<Time>, now: Time) -> Vec<String> {
    Action::ALL
        .into_iter()
        .filter(|action| action.side() == side && find_transition(state, *action, None).is_some())
        .filter(|action| *action != Action::Reopen || ensure_in_time(state, until, now).is_ok())
        .map(|action| action.name().to_owned())
        .collect()
}

/// Returns the state to restore later. A partner that was closing when it was closed returns as active, because its
/// closure was carried out. A partner that was suspended when it was closed returns as suspended.
pub(super) fn state_to_remember(before: PartnerState, action: Action, after: PartnerState) -> Option<PartnerState> {
    match (action, after) {
        (Action::Suspend, _) => Some(before),
        (Action::Close, _) if before == PartnerState::Suspended => Some(PartnerState::Suspended),
        (Action::Close, _) | (Action::Reopen, PartnerState::Suspended) => Some(PartnerState::Active),
        _ => None,
    }
}

/// Returns the setting of the period that an action starts.
pub(super) const fn waiting_period(action: Action) -> Option<Setting> {
    match action {
        Action::RequestClosure => Some(CLOSING),
        Action::Close => Some(REOPENING),
        _ => None,
    }
}

/// Rejects reopening a partner after the period that the operator configured.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the remaining actions.
pub(super) fn ensure_in_time(state: PartnerState, until: Option<Time>, now: Time) -> Result<(), Fault> {
    if state == PartnerState::Closed && until.is_none_or(|until| until <= now) {
        let allowed = vec![Action::Erase.name().to_owned()];
        return Err(Fault::illegal("partner", state.name(), Action::Reopen.name(), allowed));
    }
    Ok(())
}

/// Draws the state diagram.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Partner",
        (PartnerState::ALL, PartnerState::name),
        (&Action::ALL, Action::name),
        [
            &|state, action| next_state(state, action, None),
            &|state, action| next_state(state, action, Some(PartnerState::Closing)),
            &|state, action| next_state(state, action, Some(PartnerState::Suspended)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_machine_matches_table() {
        use Action::{CancelClosure, Close, Erase, Reinstate, Reopen, RequestClosure, Suspend};
        let table: [(PartnerState, &[(Action, PartnerState)]); 5] = [
            (
                PartnerState::Active,
                &[
                    (Suspend, PartnerState::Suspended),
                    (RequestClosure, PartnerState::Closing),
                    (Close, PartnerState::Closed),
                ],
            ),
            (PartnerState::Suspended, &[(Reinstate, PartnerState::Active), (Close, PartnerState::Closed)]),
            (
                PartnerState::Closing,
                &[
                    (Suspend, PartnerState::Suspended),
                    (CancelClosure, PartnerState::Active),
                    (Close, PartnerState::Closed),
                ],
            ),
            (PartnerState::Closed, &[(Reopen, PartnerState::Active), (Erase, PartnerState::Erased)]),
            (PartnerState::Erased, &[]),
        ];
        for (state, row) in table {
            for action in Action::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(next_state(state, action, None).ok(), expected, "{state:?} {action:?}");
                assert_eq!(
                    next_state(state, action, Some(PartnerState::Active)).ok(),
                    expected,
                    "{state:?} {action:?}"
                );
                for former in [PartnerState::Closing, PartnerState::Suspended] {
                    let back = match (state, action, former) {
                        (PartnerState::Suspended, Reinstate, PartnerState::Closing) => Some(PartnerState::Closing),
                        (PartnerState::Closed, Reopen, PartnerState::Suspended) => Some(PartnerState::Suspended),
                        _ => expected,
                    };
                    assert_eq!(next_state(state, action, Some(former)).ok(), back, "{state:?} {action:?} {former:?}");
                }
            }
        }
    }

    #[test]
    fn each_side_gets_actions_of_table() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        let table = [
            (PartnerState::Active, "request-closure", "suspend close"),
            (PartnerState::Suspended, "", "reinstate close"),
            (PartnerState::Closing, "cancel-closure", "suspend close"),
            (PartnerState::Closed, "", "reopen erase"),
            (PartnerState::Erased, "", ""),
        ];
        let until = Some(now.plus_seconds(1));
        for (state, team, staff) in table {
            assert_eq!(allowed_actions(state, PartnerActor::Team, until, now).join(" "), team, "{state:?}");
            assert_eq!(allowed_actions(state, PartnerActor::Staff, until, now).join(" "), staff, "{state:?}");
        }
        assert_eq!(allowed_actions(PartnerState::Closed, PartnerActor::Staff, Some(now), now), ["erase"]);
    }

    #[test]
    fn former_state_is_remembered_for_reinstatement() {
        use PartnerState::{Active, Closed, Closing, Suspended};
        assert_eq!(state_to_remember(Closing, Action::Suspend, Suspended), Some(Closing));
        assert_eq!(state_to_remember(Closing, Action::Close, Closed), Some(Active));
        assert_eq!(state_to_remember(Suspended, Action::Close, Closed), Some(Suspended));
        assert_eq!(state_to_remember(Closed, Action::Reopen, Suspended), Some(Active));
        assert_eq!(state_to_remember(Suspended, Action::Reinstate, Active), None);
    }

    #[test]
    fn closed_partner_can_be_reopened_only_in_time() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        assert!(ensure_in_time(PartnerState::Closed, Some(now.plus_seconds(1)), now).is_ok());
        let late = ensure_in_time(PartnerState::Closed, Some(now), now).unwrap_err();
        assert_eq!(late.allowed_actions(), ["erase"]);
        assert!(ensure_in_time(PartnerState::Active, None, now).is_ok(), "the table says the rest");
    }
}
