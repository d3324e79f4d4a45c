//! State machine of an app.

pub(super) mod categories;
pub(super) mod draft;

use labs_core::fault::{Fault, Reason};
use labs_core::state_diagram::StateDiagram;
use labs_core::words::Word as _;
use labs_shared::states::AppState;

use crate::versions::AppVersionState;

/// Side that acts on an app. An error names only the actions that the caller's side could take instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppActorRole {
    /// The partner that owns the app.
    Owner,
    /// Reviewers and other staff.
    Staff,
}

/// Actions on an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppAction {
    /// A version is published.
    Publish,
    /// The owner removes the listing from the storefront temporarily.
    Unlist,
    /// The owner shows the listing again.
    Relist,
    /// Staff remove the listing, with a reason.
    Suspend,
    /// Staff lift the suspension.
    Reinstate,
    /// The owner archives the app.
    Archive,
    /// The owner restores the app from the archive.
    Restore,
}

impl AppAction {
    /// Every action, for tables and tests.
    pub(crate) const ALL: [Self; 7] =
        [Self::Publish, Self::Unlist, Self::Relist, Self::Suspend, Self::Reinstate, Self::Archive, Self::Restore];

    /// Name of the action in error details.
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

    /// Kind of the event in the app's history.
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

    const fn side(self) -> AppActorRole {
        match self {
            Self::Publish | Self::Unlist | Self::Relist | Self::Archive | Self::Restore => AppActorRole::Owner,
            Self::Suspend | Self::Reinstate => AppActorRole::Staff,
        }
    }

    /// Whether an operation on the app requests the action. Publishing happens through a version.
    const fn is_asked(self) -> bool {
        !matches!(self, Self::Publish)
    }
}

/// Past of an app that decides the target state of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Past {
    /// A version of the app was published before.
    pub(crate) was_published: bool,
    /// The owner had unlisted the app before staff suspended it.
    pub(crate) was_unlisted: bool,
}

impl Past {
    /// Builds a past in which only the publication matters, for example for an owner's action.
    pub(crate) const fn published(was_published: bool) -> Self {
        Self { was_published, was_unlisted: false }
    }
}

/// Transition table: the target state of an action, or `None` if the action is not allowed.
///
/// A once published app is restored from the archive as unlisted, never directly onto the storefront. A reinstated app
/// returns to the state that it had before the suspension.
const fn find_transition(state: AppState, action: AppAction, past: Past) -> Option<AppState> {
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

/// Returns the target state of an action.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the actions that the caller's side may take now.
pub(crate) fn next_state(state: AppState, action: AppAction, past: Past) -> Result<AppState, Fault> {
    find_transition(state, action, past)
        .ok_or_else(|| Fault::illegal("app", state.name(), action.name(), allowed_actions(state, action.side(), past)))
}

/// Actions that one side may take on an app now.
pub(crate) fn allowed_actions(state: AppState, side: AppActorRole, past: Past) -> Vec<String> {
    AppAction::ALL
        .into_iter()
        .filter(|action| action.is_asked() && action.side() == side)
        .filter(|action| find_transition(state, *action, past).is_some())
        .map(|action| action.name().to_owned())
        .collect()
}

/// States of a version that is being reviewed or waits for its publication.
const UNDER_WAY: [AppVersionState; 4] =
    [AppVersionState::Submitted, AppVersionState::InReview, AppVersionState::Approved, AppVersionState::Scheduled];

/// Checks that an app with versions in these states may be deleted: it was never published, and no version is being
/// reviewed or waits for its publication.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the actions that the owner can take instead, or
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_deletable(
    state: AppState,
    was_published: bool,
    version_states: &[AppVersionState],
) -> Result<(), Fault> {
    if was_published {
        return Err(Fault::of(
            Reason::IllegalTransition(allowed_actions(state, AppActorRole::Owner, Past::published(was_published))),
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

/// Rejects archiving an app while a version is being reviewed or is scheduled.
///
/// # Errors
/// [`labs_core::Code::Conflict`] with the necessary first step.
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

/// Error detail if the partner's archive of never published apps is full.
pub(super) const ARCHIVE_FULL: &str = "Your tier limits archived apps that were never published to its number of \
                                       apps. Delete one of them, or this app.";

/// Returns the state diagram.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "App",
        (AppState::ALL, AppState::name),
        (&AppAction::ALL, AppAction::name),
        [&|state, action| next_state(state, action, Past::default()), &|state, action| {
            next_state(state, action, Past { was_published: true, was_unlisted: true })
        }],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    #[test]
    fn state_machine_matches_table() {
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
                assert_eq!(next_state(*state, action, Past::published(true)).ok(), expected, "{state:?} {action:?}");
            }
        }
        assert_eq!(next_state(AppState::Archived, Restore, Past::default()).ok(), Some(AppState::Draft));
        let unlisted = Past { was_published: true, was_unlisted: true };
        assert_eq!(next_state(AppState::Suspended, Reinstate, unlisted).ok(), Some(AppState::Unlisted));
    }

    #[test]
    fn rejected_action_lists_allowed_actions_of_same_side() {
        let allowed = |state, action, was_published| {
            next_state(state, action, Past::published(was_published))
                .err()
                .map(|fault| fault.allowed_actions().to_vec())
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
    fn every_app_state_round_trips() {
        assert!(AppState::ALL.iter().all(|state| AppState::parse(state.name()).ok() == Some(*state)));
        assert!(AppState::parse("GONE").is_err());
    }

    #[test]
    fn app_with_version_in_progress_cannot_be_archived() {
        let kept: Vec<AppVersionState> =
            AppVersionState::ALL.iter().copied().filter(|state| ensure_archivable(&[*state]).is_err()).collect();
        assert_eq!(kept, [AppVersionState::Submitted, AppVersionState::InReview, AppVersionState::Scheduled]);
    }

    #[test]
    fn published_or_scheduled_app_cannot_be_deleted() {
        assert!(ensure_deletable(AppState::Draft, false, &[]).is_ok());
        let at_rest = [
            AppVersionState::Draft,
            AppVersionState::ChangesRequested,
            AppVersionState::Rejected,
            AppVersionState::Withdrawn,
        ];
        assert!(ensure_deletable(AppState::Draft, false, &at_rest).is_ok());
        assert!(ensure_deletable(AppState::Archived, false, &at_rest).is_ok());
        for state in UNDER_WAY {
            let refused = ensure_deletable(AppState::Draft, false, &[AppVersionState::Draft, state]).err();
            assert_eq!(refused.map(|fault| fault.code()), Some(Code::Conflict), "{state:?}");
        }
        let refused = ensure_deletable(AppState::Listed, true, &[]).err();
        let said = refused.map(|fault| (fault.code(), fault.allowed_actions().to_vec()));
        assert_eq!(said, Some((Code::IllegalTransition, vec!["unlist".to_owned(), "archive".to_owned()])));
    }
}
