//! What a version may become, and who makes it so.

pub(super) mod manifest;
pub(super) mod notes;
pub(super) mod number;
pub(super) mod schedule;

use async_graphql::Enum;

use crate::fault::Fault;
use crate::states::Drawing;

/// Where a version is (specification: decisions, States).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Enum, serde::Serialize)]
#[graphql(name = "AppVersionState")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum State {
    /// Being written.
    Draft,
    /// Waits for a reviewer.
    Submitted,
    /// A reviewer has it.
    InReview,
    /// Mend the findings and submit again.
    ChangesRequested,
    /// May be published.
    Approved,
    /// Goes live at the time named.
    Scheduled,
    /// Live.
    Published,
    /// Was live until a later one was published.
    Superseded,
    /// Refused; may be appealed once.
    Rejected,
    /// Taken back by its owner.
    Withdrawn,
}

/// What can be done to a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
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
}

/// Who does something to a version. A refusal names only what its caller's side could do instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Owner,
    Reviewer,
    System,
}

impl State {
    /// Every state, for tables and tests.
    pub(crate) const ALL: [Self; 10] = [
        Self::Draft,
        Self::Submitted,
        Self::InReview,
        Self::ChangesRequested,
        Self::Approved,
        Self::Scheduled,
        Self::Published,
        Self::Superseded,
        Self::Rejected,
        Self::Withdrawn,
    ];

    /// The column's value.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Draft => "DRAFT",
            Self::Submitted => "SUBMITTED",
            Self::InReview => "IN_REVIEW",
            Self::ChangesRequested => "CHANGES_REQUESTED",
            Self::Approved => "APPROVED",
            Self::Scheduled => "SCHEDULED",
            Self::Published => "PUBLISHED",
            Self::Superseded => "SUPERSEDED",
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
            .ok_or_else(|| Fault::internal(format!("a version in the state {text}")))
    }
}

impl Action {
    /// Every action, for tables and tests.
    pub(crate) const ALL: [Self; 11] = [
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
    ];

    /// The action's name in refusals.
    pub(crate) const fn name(self) -> &'static str {
        match self {
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
        }
    }

    const fn side(self) -> Side {
        match self {
            Self::Submit | Self::Withdraw | Self::Publish | Self::Schedule => Side::Owner,
            Self::Claim | Self::Unclaim | Self::RequestChanges | Self::Approve | Self::Reject => Side::Reviewer,
            Self::Supersede | Self::Overtake => Side::System,
        }
    }
}

/// The table of the machine: where an action leads, or that it leads nowhere.
///
/// A rejected version comes before the reviewers once more, as an appeal. What was scheduled may be scheduled
/// anew or go live at once; it waits no longer once a higher version is live. A withdrawn version is at its end: its
/// successor takes a number of its own.
const fn next(state: State, action: Action, was_appealed: bool) -> Option<State> {
    match (state, action) {
        (State::Draft | State::ChangesRequested, Action::Submit) => Some(State::Submitted),
        (State::Rejected, Action::Submit) if !was_appealed => Some(State::Submitted),
        (State::Submitted, Action::Claim) => Some(State::InReview),
        (State::InReview, Action::Unclaim) => Some(State::Submitted),
        (State::InReview, Action::RequestChanges) => Some(State::ChangesRequested),
        (State::InReview, Action::Approve) => Some(State::Approved),
        (State::InReview, Action::Reject) => Some(State::Rejected),
        (State::Submitted | State::InReview | State::Approved | State::Scheduled, Action::Withdraw) => {
            Some(State::Withdrawn)
        }
        (State::Approved | State::Scheduled, Action::Publish) => Some(State::Published),
        (State::Approved | State::Scheduled, Action::Schedule) => Some(State::Scheduled),
        (State::Scheduled, Action::Overtake) => Some(State::Approved),
        (State::Published, Action::Supersede) => Some(State::Superseded),
        _ => None,
    }
}

/// Where an action leads. `thing` names what the caller acts on: a version, or the submission of one.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] with the actions of the caller's side that are allowed now.
pub(crate) fn after(thing: &str, state: State, action: Action, was_appealed: bool) -> Result<State, Fault> {
    next(state, action, was_appealed).ok_or_else(|| {
        let allowed = Action::ALL
            .into_iter()
            .filter(|other| other.side() == action.side() && next(state, *other, was_appealed).is_some())
            .map(|other| other.name().to_owned())
            .collect();
        Fault::illegal(thing, state.name(), action.name(), allowed)
    })
}

/// What a submission says of itself: that it appeals against a rejection, and why.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for an appeal without its text, for a text without an appeal, for an appeal
/// of what was not rejected, and for a rejected version that is handed in as if nothing had happened
/// (specification: decisions, States).
pub(super) fn appeal_checked(state: State, appeal: bool, appeal_text: Option<&str>) -> Result<(), Fault> {
    let appeal_text = appeal_text.map(str::trim).filter(|text| !text.is_empty());
    match (state == State::Rejected, appeal, appeal_text) {
        (true, true, Some(_)) | (false, false, None) => Ok(()),
        (true, false, _) => Err(Fault::field(
            "/appeal",
            "APPEAL_NEEDED",
            "This version was rejected. Send `appeal` true with `appeal_text`, or begin a new version.",
        )),
        (false, true, _) => {
            Err(Fault::field("/appeal", "NOT_REJECTED", "Only a rejected version can be appealed. Leave `appeal` out."))
        }
        (true, true, None) => {
            Err(Fault::field("/appeal_text", "REQUIRED", "Say in `appeal_text` why the rejection was wrong."))
        }
        (false, false, Some(_)) => {
            Err(Fault::field("/appeal_text", "NO_APPEAL", "Leave `appeal_text` out: this is no appeal."))
        }
    }
}

/// The machine as a picture.
pub(crate) fn drawing() -> Drawing {
    Drawing::of(
        "App version",
        (&State::ALL, State::name),
        (&Action::ALL, Action::name),
        [&|state, action| after("version", state, action, false)],
    )
}

#[cfg(test)]
mod tests;
