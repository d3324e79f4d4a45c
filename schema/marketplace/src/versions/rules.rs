//! State machine of a version, and the sides that act on it.

pub(super) mod manifest;
pub(super) mod notes;
pub(super) mod number;
pub(super) mod schedule;

use labs_core::fault::Fault;
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};

words! {
    /// State of a version.
    pub enum AppVersionState {
        /// In preparation.
        Draft = "DRAFT",
        /// Waits for a reviewer.
        Submitted = "SUBMITTED",
        /// Claimed by a reviewer.
        InReview = "IN_REVIEW",
        /// The partner fixes the findings and resubmits.
        ChangesRequested = "CHANGES_REQUESTED",
        /// May be published.
        Approved = "APPROVED",
        /// Will be published at `publish_at`. Returns to `APPROVED` if a higher version is published first.
        Scheduled = "SCHEDULED",
        /// On the storefront.
        Published = "PUBLISHED",
        /// Was published until another version replaced it. Can be published again.
        Superseded = "SUPERSEDED",
        /// Rejected. May be appealed once.
        Rejected = "REJECTED",
        /// Withdrawn by its owner.
        Withdrawn = "WITHDRAWN",
    }
}

/// Actions on a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppVersionAction {
    /// The owner edits the version.
    Update,
    /// The owner submits the version to the reviewers.
    Submit,
    /// A reviewer claims the version from the queue.
    Claim,
    /// The reviewer returns the version to the queue.
    Unclaim,
    /// The reviewer returns the version with findings.
    RequestChanges,
    /// The reviewer approves the version.
    Approve,
    /// The reviewer rejects the version with findings.
    Reject,
    /// The owner withdraws the version.
    Withdraw,
    /// The version is published now.
    Publish,
    /// The version is scheduled for publication.
    Schedule,
    /// Another version replaces the published one.
    Supersede,
    /// A higher version is published before the scheduled time.
    Overtake,
    /// The owner did not answer for so long that the service withdraws the version.
    Lapse,
    /// The owner deletes the version before any other person has seen it.
    Delete,
}

/// Side that acts on a version. An error names only the actions that the caller's side could take instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionActor {
    /// The partner that owns the app.
    Owner,
    /// Reviewers.
    Reviewer,
    /// The service itself.
    System,
}

impl AppVersionAction {
    /// Every action, for tables and tests.
    pub(crate) const ALL: [Self; 14] = [
        Self::Update,
        Self::Submit,
        Self::Claim,
        Self::Unclaim,
        Self::RequestChanges,
        Self::Approve,
        Self::Reject,
        Self::Withdraw,
        Self::Publish,
        Self::Schedule,
        Self::Supersede,
        Self::Overtake,
        Self::Lapse,
        Self::Delete,
    ];

    /// Name of the action in error details.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::Submit => "submit",
            Self::Claim => "claim",
            Self::Unclaim => "unclaim",
            Self::RequestChanges => "request-changes",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Withdraw => "withdraw",
            Self::Publish => "publish",
            Self::Schedule => "schedule",
            Self::Supersede => "supersede",
            Self::Overtake => "overtake",
            Self::Lapse => "lapse",
            Self::Delete => "delete",
        }
    }

    const fn side(self) -> VersionActor {
        match self {
            Self::Update | Self::Submit | Self::Withdraw | Self::Publish | Self::Schedule | Self::Delete => {
                VersionActor::Owner
            }
            Self::Claim | Self::Unclaim | Self::RequestChanges | Self::Approve | Self::Reject => VersionActor::Reviewer,
            Self::Supersede | Self::Overtake | Self::Lapse => VersionActor::System,
        }
    }
}

/// Transition table: the target state of an action, or `None` if the action is not allowed.
///
/// A rejected version can be submitted once more, as an appeal. A scheduled version can be rescheduled or published
/// immediately; it returns to the approved state once a higher version is published. A version that waits for an owner
/// without an answer lapses. A superseded version can be published again, because it was approved once: its owner returns
/// to it if the later version is faulty. A withdrawn version is final: its successor needs a different number.
const fn find_transition(
    state: AppVersionState,
    action: AppVersionAction,
    was_appealed: bool,
) -> Option<AppVersionState> {
    match (state, action) {
        (AppVersionState::Draft | AppVersionState::ChangesRequested, AppVersionAction::Update) => Some(state),
        (AppVersionState::Draft | AppVersionState::ChangesRequested, AppVersionAction::Submit) => {
            Some(AppVersionState::Submitted)
        }
        (AppVersionState::Rejected, AppVersionAction::Submit) if !was_appealed => Some(AppVersionState::Submitted),
        (AppVersionState::Submitted, AppVersionAction::Claim) => Some(AppVersionState::InReview),
        (AppVersionState::InReview, AppVersionAction::Unclaim) => Some(AppVersionState::Submitted),
        (AppVersionState::InReview, AppVersionAction::RequestChanges) => Some(AppVersionState::ChangesRequested),
        (AppVersionState::InReview, AppVersionAction::Approve) => Some(AppVersionState::Approved),
        (AppVersionState::InReview, AppVersionAction::Reject) => Some(AppVersionState::Rejected),
        (
            AppVersionState::Submitted
            | AppVersionState::InReview
            | AppVersionState::Approved
            | AppVersionState::Scheduled,
            AppVersionAction::Withdraw,
        )
        | (
            AppVersionState::Submitted | AppVersionState::InReview | AppVersionState::ChangesRequested,
            AppVersionAction::Lapse,
        ) => Some(AppVersionState::Withdrawn),
        (
            AppVersionState::Approved | AppVersionState::Scheduled | AppVersionState::Superseded,
            AppVersionAction::Publish,
        ) => Some(AppVersionState::Published),
        (AppVersionState::Approved | AppVersionState::Scheduled, AppVersionAction::Schedule) => {
            Some(AppVersionState::Scheduled)
        }
        (AppVersionState::Scheduled, AppVersionAction::Overtake) => Some(AppVersionState::Approved),
        (AppVersionState::Published, AppVersionAction::Supersede) => Some(AppVersionState::Superseded),
        _ => None,
    }
}

/// Returns whether an action deletes a version and therefore has no target state. Only a draft can be deleted: it was
/// never submitted, so only its owner has seen it.
fn is_final(state: AppVersionState, action: AppVersionAction) -> bool {
    matches!((state, action), (AppVersionState::Draft, AppVersionAction::Delete))
}

/// Checks that a version may be deleted.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the actions that the owner can take instead.
pub(super) fn ensure_deletable(state: AppVersionState, was_appealed: bool) -> Result<(), Fault> {
    if is_final(state, AppVersionAction::Delete) {
        return Ok(());
    }
    Err(err_illegal("version", state, AppVersionAction::Delete, was_appealed))
}

/// Error for an action that the state does not allow.
fn err_illegal(thing: &str, state: AppVersionState, action: AppVersionAction, was_appealed: bool) -> Fault {
    Fault::illegal(thing, state.name(), action.name(), allowed_actions(state, action.side(), was_appealed))
}

/// Returns the target state of an action. `thing` names the object of the action: a version, or a submission of one.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the actions that the caller's side may take now.
pub(crate) fn next_state(
    thing: &str,
    state: AppVersionState,
    action: AppVersionAction,
    was_appealed: bool,
) -> Result<AppVersionState, Fault> {
    find_transition(state, action, was_appealed).ok_or_else(|| err_illegal(thing, state, action, was_appealed))
}

/// Returns the actions that one side may take on a version now.
pub(crate) fn allowed_actions(state: AppVersionState, side: VersionActor, was_appealed: bool) -> Vec<String> {
    AppVersionAction::ALL
        .into_iter()
        .filter(|action| action.side() == side)
        .filter(|action| find_transition(state, *action, was_appealed).is_some() || is_final(state, *action))
        .map(|action| action.name().to_owned())
        .collect()
}

/// Returns whether a version waits in the queue for a different reviewer than the earlier one, who rejected it. This
/// also applies to a resubmission after an appeal resulted in requested changes.
pub(super) const fn awaits_another_reviewer(state: AppVersionState, was_appealed: bool) -> bool {
    was_appealed && matches!(state, AppVersionState::Submitted)
}

/// Checks the appeal fields of a submission: whether it is an appeal against a rejection, and the reason.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] in these cases (docs/decisions/api.md#state-machines):
///
/// - an appeal without a text, or a text without an appeal,
/// - an appeal of a version that was not rejected,
/// - a rejected version that is submitted without an appeal.
pub(super) fn check_appeal(state: AppVersionState, appeal: bool, appeal_text: Option<&str>) -> Result<(), Fault> {
    let appeal_text = appeal_text.map(str::trim).filter(|text| !text.is_empty());
    match (state == AppVersionState::Rejected, appeal, appeal_text) {
        (true, true, Some(_)) | (false, false, None) => Ok(()),
        (true, false, _) => Err(Fault::field(
            "/appeal",
            "APPEAL_NEEDED",
            "This version was rejected. Send `appeal` true with `appeal_text`, or create a new version.",
        )),
        (false, true, _) => {
            Err(Fault::field("/appeal", "NOT_REJECTED", "Only a rejected version can be appealed. Omit `appeal`."))
        }
        (true, true, None) => {
            Err(Fault::field("/appeal_text", "REQUIRED", "State in `appeal_text` why the rejection was wrong."))
        }
        (false, false, Some(_)) => {
            Err(Fault::field("/appeal_text", "NO_APPEAL", "This is not an appeal. Omit `appeal_text`."))
        }
    }
}

/// Returns the state diagram.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "App version",
        (AppVersionState::ALL, AppVersionState::name),
        (&AppVersionAction::ALL, AppVersionAction::name),
        [&|state, action| next_state("version", state, action, false)],
    )
    .with_end(AppVersionState::Draft.name(), AppVersionAction::Delete.name())
}

#[cfg(test)]
mod tests;
