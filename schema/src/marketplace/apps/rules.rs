//! What an app may become.

pub(super) mod categories;
pub(super) mod draft;

use crate::core::fault::{Fault, Reason};
use crate::core::state_diagram::StateDiagram;
use crate::core::words::{Word as _, words};
use crate::marketplace::versions::AppVersionState;

words! {
    /// Where an app is (docs/decisions.md#states).
    pub(crate) enum AppState {
        /// Never shown.
        Draft = "DRAFT",
        /// On the storefront.
        Listed = "LISTED",
        /// Taken off by its owner.
        Unlisted = "UNLISTED",
        /// Taken off by staff.
        Suspended = "SUSPENDED",
        /// Put away by its owner.
        Archived = "ARCHIVED",
    }
}

/// Who does something to an app. A refusal names only what its caller's side could do instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Whoever writes for the partner.
    Owner,
    /// Whoever reviews.
    Staff,
}

/// What can be done to an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppAction {
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

impl AppAction {
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

    /// What the action is called in the app's history.
    pub(crate) const fn event(self) -> &'static str {
        match self {
            Self::Publish => "PUBLISHED",
            Self::Unlist => "UNLISTED",
            Self::Relist => "RELISTED",
            Self::Suspend => "SUSPENDED",
            Self::Reinstate => "REINSTATED",
            Self::Archive => "ARCHIVED",
            Self::Restore => "RESTORED",
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

/// What happened to an app before, as far as it tells where an action leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Past {
    /// A version of it was live once.
    pub(crate) was_published: bool,
    /// Its owner had taken it off before staff suspended it.
    pub(crate) was_unlisted: bool,
}

impl Past {
    /// One of which this is all that matters: an action of its owner's, for example.
    pub(crate) const fn published(was_published: bool) -> Self {
        Self { was_published, was_unlisted: false }
    }
}

/// The table of the machine: where an action leads, or that it leads nowhere.
///
/// An app that was once published comes back from the archive off the storefront, never straight onto it. One that staff
/// reinstate is where it was when they suspended it.
const fn next(state: AppState, action: AppAction, past: Past) -> Option<AppState> {
    match (state, action) {
        (AppState::Draft | AppState::Listed | AppState::Unlisted, AppAction::Publish) => Some(AppState::Listed),
        (AppState::Listed, AppAction::Unlist) => Some(AppState::Unlisted),
        (AppState::Unlisted, AppAction::Relist) => Some(AppState::Listed),
        (AppState::Listed | AppState::Unlisted, AppAction::Suspend) => Some(AppState::Suspended),
        (AppState::Suspended, AppAction::Reinstate) if past.was_unlisted => Some(AppState::Unlisted),
        (AppState::Suspended, AppAction::Reinstate) => Some(AppState::Listed),
        (AppState::Draft | AppState::Listed | AppState::Unlisted, AppAction::Archive) => Some(AppState::Archived),
        (AppState::Archived, AppAction::Restore) if past.was_published => Some(AppState::Unlisted),
        (AppState::Archived, AppAction::Restore) => Some(AppState::Draft),
        _ => None,
    }
}

/// Where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions of the caller's side that are allowed now.
pub(crate) fn after(state: AppState, action: AppAction, past: Past) -> Result<AppState, Fault> {
    next(state, action, past)
        .ok_or_else(|| Fault::illegal("app", state.name(), action.name(), allowed_actions(state, action.side(), past)))
}

/// What one side can do to an app now.
pub(crate) fn allowed_actions(state: AppState, side: Side, past: Past) -> Vec<String> {
    AppAction::ALL
        .into_iter()
        .filter(|action| action.is_asked() && action.side() == side)
        .filter(|action| next(state, *action, past).is_some())
        .map(|action| action.name().to_owned())
        .collect()
}

/// States of a version that is with the reviewers or waits to go live.
const UNDER_WAY: [AppVersionState; 4] =
    [AppVersionState::Submitted, AppVersionState::InReview, AppVersionState::Approved, AppVersionState::Scheduled];

/// Whether an app with versions in these states may be deleted: only one that readers never saw, and of which nothing
/// is on its way to them.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with what its owner can do instead, or [`crate::Code::Conflict`].
pub(super) fn deletable(state: AppState, was_published: bool, version_states: &[AppVersionState]) -> Result<(), Fault> {
    if was_published {
        return Err(Fault::of(
            Reason::IllegalTransition(allowed_actions(state, Side::Owner, Past::published(was_published))),
            "This app was published, so it cannot be deleted. Archive it to remove it from the storefront permanently.",
        ));
    }
    match version_states.iter().find(|state| UNDER_WAY.contains(state)) {
        Some(state) => {
            let state = state.name();
            Err(Fault::conflict(format!("A version of this app is {state}. Withdraw it, then delete the app.")))
        }
        None => Ok(()),
    }
}

/// Refuses to put an app away of which a version is with the reviewers or goes live by itself.
///
/// # Errors
/// [`crate::Code::Conflict`] with what to do first.
pub(super) fn ensure_archivable(version_states: &[AppVersionState]) -> Result<(), Fault> {
    let is_under_way = |state: &&AppVersionState| **state != AppVersionState::Approved && UNDER_WAY.contains(state);
    match version_states.iter().find(is_under_way) {
        Some(state) => {
            let state = state.name();
            Err(Fault::conflict(format!("A version of this app is {state}. Withdraw it, then archive the app.")))
        }
        None => Ok(()),
    }
}

/// Detail of the refusal to archive another app that was never published.
pub(super) const ARCHIVE_FULL: &str = "Your tier limits archived apps that were never published to its number of \
                                       apps. Delete one of them, or this app.";

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "App",
        (AppState::ALL, AppState::name),
        (&AppAction::ALL, AppAction::name),
        [&|state, action| after(state, action, Past::default()), &|state, action| {
            after(state, action, Past { was_published: true, was_unlisted: true })
        }],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    #[test]
    fn the_machine_cell_by_cell() {
        use AppAction::*;
        let table: &[(AppState, &[(AppAction, AppState)])] = &[
            (AppState::Draft, &[(Publish, AppState::Listed), (Archive, AppState::Archived)]),
            (
                AppState::Listed,
                &[
                    (Publish, AppState::Listed),
                    (Unlist, AppState::Unlisted),
                    (Suspend, AppState::Suspended),
                    (Archive, AppState::Archived),
                ],
            ),
            (
                AppState::Unlisted,
                &[
                    (Publish, AppState::Listed),
                    (Relist, AppState::Listed),
                    (Suspend, AppState::Suspended),
                    (Archive, AppState::Archived),
                ],
            ),
            (AppState::Suspended, &[(Reinstate, AppState::Listed)]),
            (AppState::Archived, &[(Restore, AppState::Unlisted)]),
        ];
        for (state, row) in table {
            for action in AppAction::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(after(*state, action, Past::published(true)).ok(), expected, "{state:?} {action:?}");
            }
        }
        assert_eq!(after(AppState::Archived, Restore, Past::default()).ok(), Some(AppState::Draft));
        let unlisted = Past { was_published: true, was_unlisted: true };
        assert_eq!(after(AppState::Suspended, Reinstate, unlisted).ok(), Some(AppState::Unlisted));
    }

    #[test]
    fn a_refusal_names_what_the_same_side_could_do() {
        let allowed = |state, action, was_published| {
            after(state, action, Past::published(was_published)).err().map(|fault| fault.allowed_actions().to_vec())
        };
        assert_eq!(
            allowed(AppState::Listed, AppAction::Relist, true),
            Some(vec!["unlist".to_owned(), "archive".to_owned()])
        );
        assert_eq!(allowed(AppState::Suspended, AppAction::Archive, true), Some(vec![]));
        assert_eq!(allowed(AppState::Suspended, AppAction::Suspend, true), Some(vec!["reinstate".to_owned()]));
        assert_eq!(allowed(AppState::Archived, AppAction::Archive, false), Some(vec!["restore".to_owned()]));
        assert_eq!(allowed(AppState::Archived, AppAction::Publish, true), Some(vec!["restore".to_owned()]));
    }

    #[test]
    fn every_state_reads_back_as_it_was_written() {
        assert!(AppState::ALL.iter().all(|state| AppState::parse(state.name()).ok() == Some(*state)));
        assert!(AppState::parse("GONE").is_err());
    }

    #[test]
    fn what_is_under_way_keeps_an_app_from_the_archive() {
        let kept: Vec<AppVersionState> =
            AppVersionState::ALL.iter().copied().filter(|state| ensure_archivable(&[*state]).is_err()).collect();
        assert_eq!(kept, [AppVersionState::Submitted, AppVersionState::InReview, AppVersionState::Scheduled]);
    }

    #[test]
    fn what_readers_saw_or_will_see_is_not_deleted() {
        assert!(deletable(AppState::Draft, false, &[]).is_ok());
        let at_rest = [
            AppVersionState::Draft,
            AppVersionState::ChangesRequested,
            AppVersionState::Rejected,
            AppVersionState::Withdrawn,
        ];
        assert!(deletable(AppState::Draft, false, &at_rest).is_ok());
        assert!(deletable(AppState::Archived, false, &at_rest).is_ok());
        for state in UNDER_WAY {
            let refused = deletable(AppState::Draft, false, &[AppVersionState::Draft, state]).err();
            assert_eq!(refused.map(|fault| fault.code()), Some(Code::Conflict), "{state:?}");
        }
        let refused = deletable(AppState::Listed, true, &[]).err();
        let said = refused.map(|fault| (fault.code(), fault.allowed_actions().to_vec()));
        assert_eq!(said, Some((Code::IllegalTransition, vec!["unlist".to_owned(), "archive".to_owned()])));
    }
}
