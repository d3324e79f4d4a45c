//! The machine of a partner.

use crate::core::fault::Fault;
use crate::core::state_diagram::StateDiagram;
use crate::core::time::Time;
use crate::core::words::{Word as _, words};
use crate::partner::events::PartnerEventKind;

words! {
    /// Where a partner stands.
    pub(crate) enum PartnerState {
        /// Works here.
        Active = "ACTIVE",
        /// Held back by staff.
        Suspended = "SUSPENDED",
        /// Works here still, and is closed when its time has come.
        Closing = "CLOSING",
        /// Ended; kept for a while.
        Closed = "CLOSED",
        /// Ended for good: nothing personal is left.
        Erased = "ERASED",
    }
}

/// Who does something with a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Its own team.
    Team,
    /// Whoever runs the service.
    Staff,
}

/// What can be done with a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Staff hold it back.
    Suspend,
    /// Staff let it in again.
    Reinstate,
    /// Its team wants to leave.
    RequestClosure,
    /// Its team stays after all.
    CancelClosure,
    /// It ends: its time has come, or staff say so.
    Close,
    /// Staff open it again.
    Reopen,
    /// Staff make what is personal of it anonymous.
    Erase,
}

/// A number of days that the operator sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The setting's key.
    pub(super) key: &'static str,
    /// The days where nothing is set.
    pub(super) days: i32,
}

/// How long a team may think it over.
const CLOSING: Setting = Setting { key: "partner.closing_days", days: 14 };
/// How long a closed partner can be opened again.
const REOPENING: Setting = Setting { key: "partner.reopening_days", days: 30 };

impl Action {
    /// Every action, for refusals and tests.
    const ALL: [Self; 7] = [
        Self::Suspend,
        Self::Reinstate,
        Self::RequestClosure,
        Self::CancelClosure,
        Self::Close,
        Self::Reopen,
        Self::Erase,
    ];

    /// The action's name in refusals.
    pub(crate) const fn name(self) -> &'static str {
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

    const fn side(self) -> Side {
        match self {
            Self::RequestClosure | Self::CancelClosure => Side::Team,
            Self::Suspend | Self::Reinstate | Self::Close | Self::Reopen | Self::Erase => Side::Staff,
        }
    }

    /// What the history calls it.
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

/// The table of the machine: where an action leads, or that it leads nowhere. `former` is what a suspended or closed
/// partner was before.
fn next(state: PartnerState, action: Action, former: Option<PartnerState>) -> Option<PartnerState> {
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

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(super) fn after(state: PartnerState, action: Action, former: Option<PartnerState>) -> Result<PartnerState, Fault> {
    next(state, action, former).ok_or_else(|| {
        let allowed = Action::ALL.into_iter().filter(|action| next(state, *action, former).is_some());
        let allowed = allowed.map(|action| action.name().to_owned()).collect();
        Fault::illegal("partner", state.name(), action.name(), allowed)
    })
}

/// What one side can do with a partner now. `until` says how long a closed one can be opened again.
pub(crate) fn allowed_actions(state: PartnerState, side: Side, until: Option<Time>, now: Time) -> Vec<String> {
    Action::ALL
        .into_iter()
        .filter(|action| action.side() == side && next(state, *action, None).is_some())
        .filter(|action| *action != Action::Reopen || in_time(state, until, now).is_ok())
        .map(|action| action.name().to_owned())
        .collect()
}

/// What is to be remembered for the way back. Whoever is closed while it was closing comes back active: that wish is
/// fulfilled. Whoever is closed while it was suspended comes back suspended.
pub(super) fn state_to_remember(before: PartnerState, action: Action, after: PartnerState) -> Option<PartnerState> {
    match (action, after) {
        (Action::Suspend, _) => Some(before),
        (Action::Close, _) if before == PartnerState::Suspended => Some(PartnerState::Suspended),
        (Action::Close, _) | (Action::Reopen, PartnerState::Suspended) => Some(PartnerState::Active),
        _ => None,
    }
}

/// The time that begins with an action.
pub(super) const fn waiting(action: Action) -> Option<Setting> {
    match action {
        Action::RequestClosure => Some(CLOSING),
        Action::Close => Some(REOPENING),
        _ => None,
    }
}

/// Refuses to open what was closed for longer than the operator says.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with what is left to do.
pub(super) fn in_time(state: PartnerState, until: Option<Time>, now: Time) -> Result<(), Fault> {
    if state == PartnerState::Closed && until.is_none_or(|until| until <= now) {
        let allowed = vec![Action::Erase.name().to_owned()];
        return Err(Fault::illegal("partner", state.name(), Action::Reopen.name(), allowed));
    }
    Ok(())
}

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "Business partner",
        (PartnerState::ALL, PartnerState::name),
        (&Action::ALL, Action::name),
        [
            &|state, action| after(state, action, None),
            &|state, action| after(state, action, Some(PartnerState::Closing)),
            &|state, action| after(state, action, Some(PartnerState::Suspended)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
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
                assert_eq!(after(state, action, None).ok(), expected, "{state:?} {action:?}");
                assert_eq!(after(state, action, Some(PartnerState::Active)).ok(), expected, "{state:?} {action:?}");
                for former in [PartnerState::Closing, PartnerState::Suspended] {
                    let back = match (state, action, former) {
                        (PartnerState::Suspended, Reinstate, PartnerState::Closing) => Some(PartnerState::Closing),
                        (PartnerState::Closed, Reopen, PartnerState::Suspended) => Some(PartnerState::Suspended),
                        _ => expected,
                    };
                    assert_eq!(after(state, action, Some(former)).ok(), back, "{state:?} {action:?} {former:?}");
                }
            }
        }
    }

    #[test]
    fn each_side_is_offered_what_the_table_lets_it_do() {
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
            assert_eq!(allowed_actions(state, Side::Team, until, now).join(" "), team, "{state:?}");
            assert_eq!(allowed_actions(state, Side::Staff, until, now).join(" "), staff, "{state:?}");
        }
        assert_eq!(allowed_actions(PartnerState::Closed, Side::Staff, Some(now), now), ["erase"]);
    }

    #[test]
    fn what_was_before_is_remembered_for_the_way_back() {
        use PartnerState::{Active, Closed, Closing, Suspended};
        assert_eq!(state_to_remember(Closing, Action::Suspend, Suspended), Some(Closing));
        assert_eq!(state_to_remember(Closing, Action::Close, Closed), Some(Active));
        assert_eq!(state_to_remember(Suspended, Action::Close, Closed), Some(Suspended));
        assert_eq!(state_to_remember(Closed, Action::Reopen, Suspended), Some(Active));
        assert_eq!(state_to_remember(Suspended, Action::Reinstate, Active), None);
    }

    #[test]
    fn a_closed_partner_is_opened_in_its_time_only() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        assert!(in_time(PartnerState::Closed, Some(now.plus_seconds(1)), now).is_ok());
        let late = in_time(PartnerState::Closed, Some(now), now).unwrap_err();
        assert_eq!(late.allowed_actions(), ["erase"]);
        assert!(in_time(PartnerState::Active, None, now).is_ok(), "the table says the rest");
    }
}
