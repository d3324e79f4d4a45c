//! What a report says, and what becomes of it.

use crate::core::fault::Fault;
use crate::core::words::words;

words! {
    /// A report on a feature request or comment.
    pub(crate) enum BoardReportReason {
        /// Advertising.
        Spam = "SPAM",
        /// Insults or hatred.
        Abusive = "ABUSIVE",
        /// Beside the matter.
        OffTopic = "OFF_TOPIC",
        /// Something personal of somebody.
        PersonalData = "PERSONAL_DATA",
        /// The same as another.
        Duplicate = "DUPLICATE",
        /// Something else, which the note says.
        Other = "OTHER",
    }
}

words! {
    /// What became of a report.
    pub(crate) enum BoardReportOutcome {
        /// Nobody has decided yet.
        Open = "OPEN",
        /// Staff found it right.
        Upheld = "UPHELD",
        /// They did not.
        Dismissed = "DISMISSED",
    }
}

words! {
    /// What staff decide about a report.
    pub(crate) enum BoardReportDecision {
        /// It is right.
        Upheld = "UPHELD",
        /// It is not.
        Dismissed = "DISMISSED",
    }
}

words! {
    /// Kind of the reported object.
    pub(crate) enum BoardReportTargetKind {
        /// A proposal.
        FeatureRequest = "FEATURE_REQUEST",
        /// A comment.
        Comment = "COMMENT",
    }
}

/// A note without blanks at its ends; none where nothing is left.
pub(super) fn trimmed(note: Option<String>) -> Option<String> {
    note.map(|note| note.trim().to_owned()).filter(|note| !note.is_empty())
}

/// Refuses a report that does not say what is wrong.
///
/// # Errors
/// [`crate::Code::ValidationFailed`].
pub(super) fn ensure_said(reason: BoardReportReason, note: Option<&str>) -> Result<(), Fault> {
    if reason == BoardReportReason::Other && note.is_none() {
        return Err(Fault::field("/note", "REQUIRED", "Describe the problem. OTHER alone is not sufficient."));
    }
    Ok(())
}

/// What staff can do to a report.
pub(super) fn staff_actions(outcome: BoardReportOutcome) -> Vec<String> {
    if outcome == BoardReportOutcome::Open { vec!["resolve".to_owned()] } else { Vec::new() }
}

/// Refuses to decide a second time.
///
/// # Errors
/// [`crate::Code::IllegalTransition`].
pub(super) fn ensure_open(outcome: BoardReportOutcome) -> Result<(), Fault> {
    if outcome == BoardReportOutcome::Open {
        return Ok(());
    }
    Err(Fault::illegal("report", outcome.name(), "resolve", staff_actions(outcome)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;
    use crate::core::words::Word as _;

    #[test]
    fn another_reason_needs_words() {
        assert!(ensure_said(BoardReportReason::Spam, None).is_ok());
        assert!(ensure_said(BoardReportReason::Other, Some("It is a threat.")).is_ok());
        let refused = ensure_said(BoardReportReason::Other, trimmed(Some("  ".to_owned())).as_deref()).unwrap_err();
        assert_eq!((refused.code(), refused.errors().len()), (Code::ValidationFailed, 1));
    }

    #[test]
    fn a_report_is_decided_once() {
        for outcome in BoardReportOutcome::ALL {
            let is_offered = !staff_actions(*outcome).is_empty();
            assert_eq!(ensure_open(*outcome).is_ok(), is_offered, "{outcome:?}");
            assert_eq!(is_offered, *outcome == BoardReportOutcome::Open);
        }
    }
}
