//! The machine of a partner.

use async_graphql::Enum;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::states::Drawing;
use crate::time::Time;

/// Where a partner stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[graphql(name = "PartnerState")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum State {
    /// Works here.
    Active,
    /// Held back by staff.
    Suspended,
    /// Works here still, and is closed when its time has come.
    Closing,
    /// Ended; kept for a while.
    Closed,
    /// Ended for good: nothing personal is left.
    Erased,
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

impl State {
    /// Every state, for drawing and tests.
    const ALL: [Self; 5] = [Self::Active, Self::Suspended, Self::Closing, Self::Closed, Self::Erased];

    /// The column's value.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Suspended => "SUSPENDED",
            Self::Closing => "CLOSING",
            Self::Closed => "CLOSED",
            Self::Erased => "ERASED",
        }
    }

    /// Reads the column's value.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] for a value that no partner has.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        let found = Self::ALL.into_iter().find(|state| state.name() == text);
        found.ok_or_else(|| Fault::internal(format!("a partner in the state {text}")))
    }
}

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

    /// What the history calls it.
    pub(super) const fn event(self) -> &'static str {
        match self {
            Self::Suspend => "SUSPENDED",
            Self::Reinstate => "REINSTATED",
            Self::RequestClosure => "CLOSURE_REQUESTED",
            Self::CancelClosure => "CLOSURE_CANCELLED",
            Self::Close => "CLOSED",
            Self::Reopen => "REOPENED",
            Self::Erase => "ERASED",
        }
    }
}

/// The table of the machine: where an action leads, or that it leads nowhere. `former` is what a suspended or closed
/// partner was before.
fn next(state: State, action: Action, former: Option<State>) -> Option<State> {
    match (state, action) {
        (State::Active | State::Closing, Action::Suspend) => Some(State::Suspended),
        (State::Suspended, Action::Reinstate) if former == Some(State::Closing) => Some(State::Closing),
        (State::Suspended, Action::Reinstate) | (State::Closing, Action::CancelClosure) => Some(State::Active),
        (State::Active, Action::RequestClosure) => Some(State::Closing),
        (State::Active | State::Suspended | State::Closing, Action::Close) => Some(State::Closed),
        (State::Closed, Action::Reopen) if former == Some(State::Suspended) => Some(State::Suspended),
        (State::Closed, Action::Reopen) => Some(State::Active),
        (State::Closed, Action::Erase) => Some(State::Erased),
        _ => None,
    }
}

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions that are allowed now.
pub(super) fn after(state: State, action: Action, former: Option<State>) -> Result<State, Fault> {
    next(state, action, former).ok_or_else(|| {
        let allowed = Action::ALL.into_iter().filter(|action| next(state, *action, former).is_some());
        let allowed = allowed.map(|action| action.name().to_owned()).collect();
        Fault::illegal("partner", state.name(), action.name(), allowed)
    })
}

/// What is to be remembered for the way back. Whoever is closed while it was closing comes back active: that wish is
/// fulfilled. Whoever is closed while it was suspended comes back suspended.
pub(super) fn remembered(before: State, action: Action, after: State) -> Option<State> {
    match (action, after) {
        (Action::Suspend, _) => Some(before),
        (Action::Close, _) if before == State::Suspended => Some(State::Suspended),
        (Action::Close, _) | (Action::Reopen, State::Suspended) => Some(State::Active),
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
pub(super) fn in_time(state: State, until: Option<Time>, now: Time) -> Result<(), Fault> {
    if state == State::Closed && until.is_none_or(|until| until <= now) {
        let allowed = vec![Action::Erase.name().to_owned()];
        return Err(Fault::illegal("partner", state.name(), Action::Reopen.name(), allowed));
    }
    Ok(())
}

/// The machine as a picture.
pub(crate) fn drawing() -> Drawing {
    Drawing::of(
        "Business partner",
        (&State::ALL, State::name),
        (&Action::ALL, Action::name),
        [
            &|state, action| after(state, action, None),
            &|state, action| after(state, action, Some(State::Closing)),
            &|state, action| after(state, action, Some(State::Suspended)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
        use Action::{CancelClosure, Close, Erase, Reinstate, Reopen, RequestClosure, Suspend};
        let table: [(State, &[(Action, State)]); 5] = [
            (State::Active, &[(Suspend, State::Suspended), (RequestClosure, State::Closing), (Close, State::Closed)]),
            (State::Suspended, &[(Reinstate, State::Active), (Close, State::Closed)]),
            (State::Closing, &[(Suspend, State::Suspended), (CancelClosure, State::Active), (Close, State::Closed)]),
            (State::Closed, &[(Reopen, State::Active), (Erase, State::Erased)]),
            (State::Erased, &[]),
        ];
        for (state, row) in table {
            for action in Action::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(after(state, action, None).ok(), expected, "{state:?} {action:?}");
                assert_eq!(after(state, action, Some(State::Active)).ok(), expected, "{state:?} {action:?}");
                for former in [State::Closing, State::Suspended] {
                    let back = match (state, action, former) {
                        (State::Suspended, Reinstate, State::Closing) => Some(State::Closing),
                        (State::Closed, Reopen, State::Suspended) => Some(State::Suspended),
                        _ => expected,
                    };
                    assert_eq!(after(state, action, Some(former)).ok(), back, "{state:?} {action:?} {former:?}");
                }
            }
            assert_eq!(State::parse(state.name()).unwrap(), state);
        }
    }

    #[test]
    fn what_was_before_is_remembered_for_the_way_back() {
        use State::{Active, Closed, Closing, Suspended};
        assert_eq!(remembered(Closing, Action::Suspend, Suspended), Some(Closing));
        assert_eq!(remembered(Closing, Action::Close, Closed), Some(Active));
        assert_eq!(remembered(Suspended, Action::Close, Closed), Some(Suspended));
        assert_eq!(remembered(Closed, Action::Reopen, Suspended), Some(Active));
        assert_eq!(remembered(Suspended, Action::Reinstate, Active), None);
    }

    #[test]
    fn a_closed_partner_is_opened_in_its_time_only() {
        let now = Time(jiff::Timestamp::UNIX_EPOCH);
        assert!(in_time(State::Closed, Some(now.plus_seconds(1)), now).is_ok());
        let late = in_time(State::Closed, Some(now), now).unwrap_err();
        assert_eq!(late.parts().allowed_actions, ["erase"]);
        assert!(in_time(State::Active, None, now).is_ok(), "the table says the rest");
    }
}
