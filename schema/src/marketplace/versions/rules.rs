//! What a version may become, and who makes it so.

pub(super) mod manifest;
pub(super) mod notes;
pub(super) mod number;
pub(super) mod schedule;

use crate::core::fault::Fault;
use crate::core::state_diagram::StateDiagram;
use crate::core::words::{Word as _, words};

words! {
    /// Where a version is (docs/decisions.md#states).
    pub(crate) enum AppVersionState {
        /// Being written.
        Draft = "DRAFT",
        /// Waits for a reviewer.
        Submitted = "SUBMITTED",
        /// A reviewer has it.
        InReview = "IN_REVIEW",
        /// Mend the findings and submit again.
        ChangesRequested = "CHANGES_REQUESTED",
        /// May be published.
        Approved = "APPROVED",
        /// Goes live at the time named.
        Scheduled = "SCHEDULED",
        /// Live.
        Published = "PUBLISHED",
        /// Was live until a later one was published.
        Superseded = "SUPERSEDED",
        /// Refused; may be appealed once.
        Rejected = "REJECTED",
        /// Taken back by its owner.
        Withdrawn = "WITHDRAWN",
    }
}

/// What can be done to a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AppVersionAction {
    /// Written anew by its owner.
    Update,
    /// Handed to the reviewers.
    Submit,
    /// A reviewer takes it out of the queue.
    Claim,
    /// The reviewer puts it back.
    Unclaim,
    /// Sent back with findings.
    RequestChanges,
    /// Found good.
    Approve,
    /// Refused with findings.
    Reject,
    /// Taken back by its owner.
    Withdraw,
    /// Live now.
    Publish,
    /// Live at a time named.
    Schedule,
    /// Another version took its place.
    Supersede,
    /// A higher version was published before its time came.
    Overtake,
    /// Its owner was silent for so long that nobody waits any more.
    Lapse,
    /// Given up by its owner before anybody else saw it.
    Delete,
}

/// Who does something to a version. A refusal names only what its caller's side could do instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Whoever writes for the partner.
    Owner,
    /// Whoever reviews.
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

    /// The action's name in refusals.
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

    const fn side(self) -> Side {
        match self {
            Self::Update | Self::Submit | Self::Withdraw | Self::Publish | Self::Schedule | Self::Delete => Side::Owner,
            Self::Claim | Self::Unclaim | Self::RequestChanges | Self::Approve | Self::Reject => Side::Reviewer,
            Self::Supersede | Self::Overtake | Self::Lapse => Side::System,
        }
    }
}

/// The table of the machine: where an action leads, or that it leads nowhere.
///
/// A rejected version comes before the reviewers once more, as an appeal. What was scheduled may be scheduled
/// anew or go live at once; it waits no longer once a higher version is live. What waits for a silent owner lapses. A
/// withdrawn version is at its end: its successor takes a number of its own.
const fn next(state: AppVersionState, action: AppVersionAction, was_appealed: bool) -> Option<AppVersionState> {
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
        (AppVersionState::Approved | AppVersionState::Scheduled, AppVersionAction::Publish) => {
            Some(AppVersionState::Published)
        }
        (AppVersionState::Approved | AppVersionState::Scheduled, AppVersionAction::Schedule) => {
            Some(AppVersionState::Scheduled)
        }
        (AppVersionState::Scheduled, AppVersionAction::Overtake) => Some(AppVersionState::Approved),
        (AppVersionState::Published, AppVersionAction::Supersede) => Some(AppVersionState::Superseded),
        _ => None,
    }
}

/// Whether an action ends a version, so that it leads to no state: a draft was never handed in, so nobody but its owner
/// knows of it.
fn ends(state: AppVersionState, action: AppVersionAction) -> bool {
    matches!((state, action), (AppVersionState::Draft, AppVersionAction::Delete))
}

/// Whether a version may be deleted.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with what its owner can do instead.
pub(super) fn deletable(state: AppVersionState, was_appealed: bool) -> Result<(), Fault> {
    if ends(state, AppVersionAction::Delete) {
        return Ok(());
    }
    Err(illegal("version", state, AppVersionAction::Delete, was_appealed))
}

/// The refusal of an action that a state does not have.
fn illegal(thing: &str, state: AppVersionState, action: AppVersionAction, was_appealed: bool) -> Fault {
    Fault::illegal(thing, state.name(), action.name(), allowed_actions(state, action.side(), was_appealed))
}

/// Where an action leads. `thing` names what the caller acts on: a version, or the submission of one.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions of the caller's side that are allowed now.
pub(crate) fn after(
    thing: &str,
    state: AppVersionState,
    action: AppVersionAction,
    was_appealed: bool,
) -> Result<AppVersionState, Fault> {
    next(state, action, was_appealed).ok_or_else(|| illegal(thing, state, action, was_appealed))
}

/// What one side can do to a version now.
pub(crate) fn allowed_actions(state: AppVersionState, side: Side, was_appealed: bool) -> Vec<String> {
    AppVersionAction::ALL
        .into_iter()
        .filter(|action| action.side() == side)
        .filter(|action| next(state, *action, was_appealed).is_some() || ends(state, *action))
        .map(|action| action.name().to_owned())
        .collect()
}

/// Whether a version waits in the queue for another reviewer than the one who rejected it. What comes back after an appeal
/// asks for more is no business of that one either.
pub(super) const fn awaits_another_reviewer(state: AppVersionState, was_appealed: bool) -> bool {
    was_appealed && matches!(state, AppVersionState::Submitted)
}

/// What a submission says of itself: that it appeals against a rejection, and why.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for an appeal without its text, for a text without an appeal, for an appeal
/// of what was not rejected, and for a rejected version that is handed in as if nothing had happened
/// (docs/decisions.md#states).
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

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "App version",
        (AppVersionState::ALL, AppVersionState::name),
        (&AppVersionAction::ALL, AppVersionAction::name),
        [&|state, action| after("version", state, action, false)],
    )
    .with_end(AppVersionState::Draft.name(), AppVersionAction::Delete.name())
}

#[cfg(test)]
mod tests;
