//! Rules on the actions and texts of feature requests.

use labs_core::fault::{Fault, FieldError};
use labs_core::markdown::{RenderError, TextFormat, text_error};
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};

use crate::vote_status::VoteStatus;

words! {
    /// Status of a feature request. The service never changes it because of the age of the request.
    pub enum FeatureRequestStatus {
        /// Staff have not taken it up yet.
        Open = "OPEN",
        /// Staff are considering it.
        UnderReview = "UNDER_REVIEW",
        /// Will be implemented.
        Planned = "PLANNED",
        /// Is being implemented.
        InProgress = "IN_PROGRESS",
        /// Is available.
        Shipped = "SHIPPED",
        /// Will not be implemented.
        Declined = "DECLINED",
    }
}

impl FeatureRequestStatus {
    /// Whether users can vote for a feature request with this status (docs/decisions/board.md#votes-after-shipping).
    pub(crate) const fn takes_votes(self) -> bool {
        !matches!(self, Self::Shipped)
    }
}

/// State of a feature request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestMarks {
    /// Status.
    pub(crate) status: FeatureRequestStatus,
    /// Whether it is merged into another.
    pub(crate) is_merged: bool,
    /// Whether the feature request accepts no more comments.
    pub(crate) is_locked: bool,
    /// Whether staff pinned it to the top of the board.
    pub(crate) is_pinned: bool,
    /// Whether staff suspended it from the board.
    pub(crate) is_suspended: bool,
}

/// Action of staff on a feature request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoardAction {
    /// Change the status.
    ChangeStatus,
    /// Suspend from the board.
    Suspend,
    /// Reinstate on the board.
    Reinstate,
    /// Pin to the top.
    Pin,
    /// Unpin from the top.
    Unpin,
    /// Merge into another.
    Merge,
    /// Undo a merge.
    Unmerge,
    /// Assign another topic.
    AssignTopic,
    /// Lock the comments.
    Lock,
    /// Unlock the comments.
    Unlock,
    /// Publish an answer by staff.
    Answer,
}

impl BoardAction {
    /// All actions, for tables and tests.
    const ALL: [Self; 11] = [
        Self::ChangeStatus,
        Self::Answer,
        Self::AssignTopic,
        Self::Merge,
        Self::Unmerge,
        Self::Pin,
        Self::Unpin,
        Self::Lock,
        Self::Unlock,
        Self::Suspend,
        Self::Reinstate,
    ];

    /// Returns the action's name on the wire.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ChangeStatus => "change-status",
            Self::Suspend => "suspend",
            Self::Reinstate => "reinstate",
            Self::Pin => "pin",
            Self::Unpin => "unpin",
            Self::Merge => "merge",
            Self::Unmerge => "unmerge",
            Self::AssignTopic => "assign-topic",
            Self::Lock => "lock",
            Self::Unlock => "unlock",
            Self::Answer => "answer",
        }
    }
}

/// Transition table: whether staff may perform the action in this state.
const fn allows(marks: RequestMarks, action: BoardAction) -> bool {
    match action {
        BoardAction::Reinstate => marks.is_suspended,
        BoardAction::Unmerge => marks.is_merged,
        BoardAction::AssignTopic => true,
        BoardAction::Suspend => !marks.is_suspended,
        BoardAction::ChangeStatus | BoardAction::Answer | BoardAction::Merge => !marks.is_suspended && !marks.is_merged,
        BoardAction::Pin => !marks.is_suspended && !marks.is_merged && !marks.is_pinned,
        BoardAction::Unpin => marks.is_pinned,
        BoardAction::Lock => !marks.is_merged && !marks.is_locked,
        BoardAction::Unlock => !marks.is_merged && marks.is_locked,
    }
}

/// Returns the actions that staff may perform in this state.
pub(crate) fn staff_actions(marks: RequestMarks) -> Vec<String> {
    let possible = BoardAction::ALL.into_iter().filter(|action| allows(marks, *action));
    possible.map(|action| action.name().to_owned()).collect()
}

/// Rejects an action that this state does not allow.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`], listing the allowed actions.
pub(crate) fn ensure(marks: RequestMarks, action: BoardAction) -> Result<(), Fault> {
    if allows(marks, action) {
        return Ok(());
    }
    let stands = match (marks.is_suspended, marks.is_merged) {
        (true, _) => "SUSPENDED",
        (false, true) => "MERGED",
        (false, false) => marks.status.name(),
    };
    Err(Fault::illegal("feature request", stands, action.name(), staff_actions(marks)))
}

/// Returns the actions of a partner's user on a feature request on the board.
pub(crate) fn partner_actions(marks: RequestMarks, is_own: bool, vote_status: VoteStatus) -> Vec<String> {
    let is_whole = !marks.is_merged;
    [
        ("edit", is_own && is_whole && marks.status == FeatureRequestStatus::Open),
        ("vote", is_whole && marks.status.takes_votes() && !vote_status.voted),
        ("withdraw-vote", is_whole && vote_status.voted),
        ("follow", is_whole && !vote_status.followed),
        ("unfollow", is_whole && vote_status.followed),
        ("comment", is_whole && !marks.is_locked),
        ("report", !is_own),
    ]
    .into_iter()
    .filter(|(_, is_possible)| *is_possible)
    .map(|(action, _)| action.to_owned())
    .collect()
}

/// Rejects the edit of a feature request that staff have taken up.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_editable(marks: RequestMarks) -> Result<(), Fault> {
    if marks.is_merged {
        return Err(Fault::conflict("This feature request was merged into another one. Comment on that one."));
    }
    if marks.status == FeatureRequestStatus::Open {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "This feature request is already {}, and users voted for its current text. Add missing information as a \
         comment.",
        marks.status.name()
    )))
}

/// Normalises a title: one line without leading or trailing blanks.
pub(super) fn normalize_title(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks that a title or a text is not blank.
pub(crate) fn check_said(pointer: &str, text: &str, errors: &mut Vec<FieldError>) {
    if text.trim().is_empty() {
        errors.push(FieldError::at(pointer, "BLANK", "Send a text that contains more than spaces."));
    }
}

/// Checks a text and the result of rendering it.
pub(crate) fn check_text(
    (pointer, text): (&str, &str),
    (format, error): (TextFormat, Option<RenderError>),
    errors: &mut Vec<FieldError>,
) {
    check_said(pointer, text, errors);
    errors.extend(error.map(|error| text_error(pointer, error, format)));
}

/// Draws the state machine. Apart from the marks, staff can move a feature request from each status to every other.
pub fn draw_states() -> StateDiagram {
    let case = |to: FeatureRequestStatus| {
        move |from: FeatureRequestStatus, (): ()| {
            if from == to {
                Err(Fault::illegal("feature request", from.name(), "change-status", Vec::new()))
            } else {
                Ok(to)
            }
        }
    };
    use FeatureRequestStatus::{Declined, InProgress, Open, Planned, Shipped, UnderReview};
    StateDiagram::of(
        "Feature request",
        (FeatureRequestStatus::ALL, FeatureRequestStatus::name),
        (&[()], |()| "change-status"),
        [&case(Open), &case(UnderReview), &case(Planned), &case(InProgress), &case(Shipped), &case(Declined)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;
    use labs_core::markdown::COMMENT;

    const PLAIN: RequestMarks = RequestMarks {
        status: FeatureRequestStatus::Open,
        is_merged: false,
        is_locked: false,
        is_pinned: false,
        is_suspended: false,
    };

    #[test]
    fn staff_get_actions_of_table() {
        let all = [false, true];
        for (is_merged, is_locked) in all.into_iter().flat_map(|merged| all.map(|locked| (merged, locked))) {
            for (is_pinned, is_suspended) in all.into_iter().flat_map(|pinned| all.map(|suspended| (pinned, suspended)))
            {
                let marks = RequestMarks { is_merged, is_locked, is_pinned, is_suspended, ..PLAIN };
                for action in BoardAction::ALL {
                    let is_offered = staff_actions(marks).contains(&action.name().to_owned());
                    match ensure(marks, action) {
                        Ok(()) => assert!(is_offered, "{action:?} {marks:?}"),
                        Err(fault) => assert!(
                            !is_offered && fault.code() == Code::IllegalTransition,
                            "{action:?} {marks:?} {fault:?}"
                        ),
                    }
                }
                assert!(is_suspended == staff_actions(marks).contains(&"reinstate".to_owned()), "{marks:?}");
            }
        }
    }

    #[test]
    fn merged_feature_request_accepts_only_reports() {
        let merged = RequestMarks { is_merged: true, ..PLAIN };
        assert_eq!(partner_actions(merged, false, VoteStatus { voted: true, followed: true }), ["report"]);
        assert!(partner_actions(merged, true, VoteStatus::default()).is_empty());
    }

    #[test]
    fn declined_feature_request_accepts_votes_but_shipped_does_not() {
        let takes = |status| {
            let actions = partner_actions(RequestMarks { status, ..PLAIN }, false, VoteStatus::default());
            actions.contains(&"vote".to_owned())
        };
        assert!(takes(FeatureRequestStatus::Declined) && !takes(FeatureRequestStatus::Shipped));
    }

    #[test]
    fn author_edits_feature_request_only_while_open() {
        assert!(ensure_editable(PLAIN).is_ok());
        for status in FeatureRequestStatus::ALL.iter().filter(|status| **status != FeatureRequestStatus::Open) {
            assert_eq!(ensure_editable(RequestMarks { status: *status, ..PLAIN }).unwrap_err().code(), Code::Conflict);
        }
        assert_eq!(ensure_editable(RequestMarks { is_merged: true, ..PLAIN }).unwrap_err().code(), Code::Conflict);
    }

    #[test]
    fn empty_or_expanding_text_is_rejected() {
        let codes = |text: &str, error| {
            let mut errors = Vec::new();
            check_text(("/body", text), (COMMENT, error), &mut errors);
            errors.into_iter().map(|error| error.code).collect::<Vec<_>>()
        };
        assert!(codes("Word", None).is_empty());
        assert_eq!(codes(" \n", None), ["BLANK"]);
        assert_eq!(codes("Word", Some(RenderError::TooLong)), ["HTML_TOO_LONG"]);
        assert_eq!(codes("Word", Some(RenderError::TooDeep)), ["TOO_DEEP"]);
        assert_eq!(codes("Word", Some(RenderError::TooManyAmpersands)), ["TOO_MANY_AMPERSANDS"]);
    }

    #[test]
    fn title_line_breaks_become_spaces() {
        assert_eq!(normalize_title("  Split \n the   bill "), "Split the bill");
    }
}
