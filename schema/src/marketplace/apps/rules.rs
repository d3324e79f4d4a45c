//! What an app may become.

pub(super) mod categories;
pub(super) mod draft;

use async_graphql::Enum;

use crate::fault::{Code, Fault};
use crate::states::Drawing;

/// Where an app is (specification: decisions, States).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Enum, serde::Serialize)]
#[graphql(name = "AppState")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum State {
    /// Never shown.
    Draft,
    /// On the storefront.
    Listed,
    /// Taken off by its owner.
    Unlisted,
    /// Taken off by staff.
    Suspended,
    /// Put away by its owner.
    Archived,
}

/// Who does something to an app. A refusal names only what its caller's side could do instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Owner,
    Staff,
}

/// What can be done to an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A version goes live.
    Publish,
    /// Off the storefront for now.
    Unlist,
    /// On again.
    Relist,
    /// Off by staff, with a reason.
    Suspend,
    /// Staff take that back.
    Reinstate,
    /// Put away.
    Archive,
    /// Taken out again.
    Restore,
}

impl State {
    /// Every state, for tables and tests.
    pub(crate) const ALL: [Self; 5] = [Self::Draft, Self::Listed, Self::Unlisted, Self::Suspended, Self::Archived];

    /// The column's value.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Draft => "DRAFT",
            Self::Listed => "LISTED",
            Self::Unlisted => "UNLISTED",
            Self::Suspended => "SUSPENDED",
            Self::Archived => "ARCHIVED",
        }
    }

    /// Reads the column's value.
    ///
    /// # Errors
    /// [`Code::Internal`] for a value that the column's check would not let in.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        Self::ALL
            .into_iter()
            .find(|state| state.name() == text)
            .ok_or_else(|| Fault::internal(format!("an app in the state {text}")))
    }
}

impl Action {
    /// Every action, for tables and tests.
    pub(crate) const ALL: [Self; 7] =
        [Self::Publish, Self::Unlist, Self::Relist, Self::Suspend, Self::Reinstate, Self::Archive, Self::Restore];

    /// The action's name in refusals.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Unlist => "unlist",
            Self::Relist => "relist",
            Self::Suspend => "suspend",
            Self::Reinstate => "reinstate",
            Self::Archive => "archive",
            Self::Restore => "restore",
        }
    }

    const fn side(self) -> Side {
        match self {
            Self::Publish | Self::Unlist | Self::Relist | Self::Archive | Self::Restore => Side::Owner,
            Self::Suspend | Self::Reinstate => Side::Staff,
        }
    }

    /// Whether an app is asked for it. Publishing is done by way of a version.
    const fn is_asked(self) -> bool {
        !matches!(self, Self::Publish)
    }
}

/// The table of the machine: where an action leads, or that it leads nowhere.
///
/// An app that was once published comes back from the archive off the storefront, never straight onto it.
const fn next(state: State, action: Action, was_published: bool) -> Option<State> {
    match (state, action) {
        (State::Draft | State::Listed | State::Unlisted, Action::Publish) => Some(State::Listed),
        (State::Listed, Action::Unlist) => Some(State::Unlisted),
        (State::Unlisted, Action::Relist) => Some(State::Listed),
        (State::Listed | State::Unlisted, Action::Suspend) => Some(State::Suspended),
        (State::Suspended, Action::Reinstate) => Some(State::Listed),
        (State::Draft | State::Listed | State::Unlisted, Action::Archive) => Some(State::Archived),
        (State::Archived, Action::Restore) if was_published => Some(State::Unlisted),
        (State::Archived, Action::Restore) => Some(State::Draft),
        _ => None,
    }
}

/// Where an action leads.
///
/// # Errors
/// [`Code::IllegalTransition`] with the actions of the caller's side that are allowed now.
pub(crate) fn after(state: State, action: Action, was_published: bool) -> Result<State, Fault> {
    next(state, action, was_published)
        .ok_or_else(|| Fault::illegal("app", state.name(), action.name(), allowed(state, action.side(), was_published)))
}

fn allowed(state: State, side: Side, was_published: bool) -> Vec<String> {
    Action::ALL
        .into_iter()
        .filter(|action| action.is_asked() && action.side() == side)
        .filter(|action| next(state, *action, was_published).is_some())
        .map(|action| action.name().to_owned())
        .collect()
}

/// States of a version that is with the reviewers or waits to go live.
const UNDER_WAY: [&str; 4] = ["SUBMITTED", "IN_REVIEW", "APPROVED", "SCHEDULED"];

/// Whether an app with versions in these states may be deleted: only one that readers never saw, and of which nothing
/// is on its way to them.
///
/// # Errors
/// [`Code::IllegalTransition`] with what its owner can do instead, or [`Code::Conflict`].
pub(super) fn deletable(state: State, was_published: bool, version_states: &[String]) -> Result<(), Fault> {
    if was_published {
        let mut fault = Fault::new(
            Code::IllegalTransition,
            "This app was published, so it cannot be deleted. Archive it to take it off the storefront for good.",
        );
        fault.parts_mut().allowed_actions = allowed(state, Side::Owner, was_published);
        return Err(fault);
    }
    match version_states.iter().find(|state| UNDER_WAY.contains(&state.as_str())) {
        Some(state) => {
            Err(Fault::conflict(format!("A version of this app is {state}. Withdraw it, then delete the app.")))
        }
        None => Ok(()),
    }
}

/// The machine as a picture.
pub(crate) fn drawing() -> Drawing {
    Drawing::of(
        "App",
        (&State::ALL, State::name),
        (&Action::ALL, Action::name),
        [&|state, action| after(state, action, false), &|state, action| after(state, action, true)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_cell_by_cell() {
        use Action::*;
        let table: &[(State, &[(Action, State)])] = &[
            (State::Draft, &[(Publish, State::Listed), (Archive, State::Archived)]),
            (
                State::Listed,
                &[
                    (Publish, State::Listed),
                    (Unlist, State::Unlisted),
                    (Suspend, State::Suspended),
                    (Archive, State::Archived),
                ],
            ),
            (
                State::Unlisted,
                &[
                    (Publish, State::Listed),
                    (Relist, State::Listed),
                    (Suspend, State::Suspended),
                    (Archive, State::Archived),
                ],
            ),
            (State::Suspended, &[(Reinstate, State::Listed)]),
            (State::Archived, &[(Restore, State::Unlisted)]),
        ];
        for (state, row) in table {
            for action in Action::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(after(*state, action, true).ok(), expected, "{state:?} {action:?}");
            }
        }
        assert_eq!(after(State::Archived, Restore, false).ok(), Some(State::Draft));
    }

    #[test]
    fn a_refusal_names_what_the_same_side_could_do() {
        let allowed = |state, action, was_published| {
            after(state, action, was_published).err().map(|fault| fault.parts().allowed_actions.clone())
        };
        assert_eq!(allowed(State::Listed, Action::Relist, true), Some(vec!["unlist".to_owned(), "archive".to_owned()]));
        assert_eq!(allowed(State::Suspended, Action::Archive, true), Some(vec![]));
        assert_eq!(allowed(State::Suspended, Action::Suspend, true), Some(vec!["reinstate".to_owned()]));
        assert_eq!(allowed(State::Archived, Action::Archive, false), Some(vec!["restore".to_owned()]));
        assert_eq!(allowed(State::Archived, Action::Publish, true), Some(vec!["restore".to_owned()]));
    }

    #[test]
    fn every_state_reads_back_as_it_was_written() {
        assert!(State::ALL.iter().all(|state| State::parse(state.name()).ok() == Some(*state)));
        assert!(State::parse("GONE").is_err());
    }

    #[test]
    fn what_readers_saw_or_will_see_is_not_deleted() {
        let states = |states: &[&str]| states.iter().map(|state| (*state).to_owned()).collect::<Vec<_>>();
        assert!(deletable(State::Draft, false, &[]).is_ok());
        let at_rest = states(&["DRAFT", "CHANGES_REQUESTED", "REJECTED", "WITHDRAWN"]);
        assert!(deletable(State::Draft, false, &at_rest).is_ok());
        assert!(deletable(State::Archived, false, &at_rest).is_ok());
        for state in UNDER_WAY {
            let refused = deletable(State::Draft, false, &states(&["DRAFT", state])).err();
            assert_eq!(refused.map(|fault| fault.code()), Some(Code::Conflict), "{state}");
        }
        let refused = deletable(State::Listed, true, &[]).err();
        let said = refused.map(|fault| (fault.code(), fault.parts().allowed_actions.clone()));
        assert_eq!(said, Some((Code::IllegalTransition, vec!["unlist".to_owned(), "archive".to_owned()])));
    }
}
