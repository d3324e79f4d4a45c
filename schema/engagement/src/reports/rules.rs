//! Rules on reports and their outcomes.

use labs_core::fault::Fault;
use labs_core::words::words;

words! {
    /// Reason of a report.
    pub enum BoardReportReason {
        /// Advertising.
        Spam = "SPAM",
        /// Insults or hatred.
        Abusive = "ABUSIVE",
        /// Not related to the subject.
        OffTopic = "OFF_TOPIC",
        /// Personal data of another person.
        PersonalData = "PERSONAL_DATA",
        /// Repeats another feature request or comment.
        Duplicate = "DUPLICATE",
        /// Another reason, which the note states.
        Other = "OTHER",
    }
}

words! {
    /// Outcome of a report.
    pub(crate) enum BoardReportOutcome {
        /// Not decided yet.
        Open = "OPEN",
        /// Staff found it justified.
        Upheld = "UPHELD",
        /// Staff found it not justified.
        Dismissed = "DISMISSED",
    }
}

words! {
    /// Decision of staff.
    pub enum BoardReportDecision {
        /// The reports are justified. The decision does not change the reported text.
        Upheld = "UPHELD",
        /// The reports are not justified.
        Dismissed = "DISMISSED",
    }
}

words! {
    /// Kind of the reported object.
    pub(crate) enum BoardReportTargetKind {
        /// A feature request.
        FeatureRequest = "FEATURE_REQUEST",
        /// A comment.
        Comment = "COMMENT",
    }
}

/// Trims a note; `None` if it is empty.
pub(super) fn trim_note(note: Option<String>) -> Option<String> {
    note.map(|note| note.trim().to_owned()).filter(|note| !note.is_empty())
}

/// Rejects a report that gives no reason.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`].
pub(super) fn ensure_said(reason: BoardReportReason, note: Option<&str>) -> Result<(), Fault> {
    if reason == BoardReportReason::Other && note.is_none() {
        return Err(Fault::field("/note", "REQUIRED", "Describe the problem. OTHER alone is not sufficient."));
    }
    Ok(())
}

/// Returns the actions of staff on a report.
pub(super) fn staff_actions(outcome: BoardReportOutcome) -> Vec<String> {
    if outcome == BoardReportOutcome::Open { vec!["resolve".to_owned()] } else { Vec::new() }
}

/// Rejects a second decision.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`].
pub(super) fn ensure_open(outcome: BoardReportOutcome) -> Result<(), Fault> {
    if outcome == BoardReportOutcome::Open {
        return Ok(());
    }
    Err(Fault::illegal("report", outcome.name(), "resolve", staff_actions(outcome)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;
    use labs_core::words::Word as _;

    #[test]
    fn report_with_other_reason_requires_text() {
        assert!(ensure_said(BoardReportReason::Spam, None).is_ok());
        assert!(ensure_said(BoardReportReason::Other, Some("It is a threat.")).is_ok());
        let refused = ensure_said(BoardReportReason::Other, trim_note(Some("  ".to_owned())).as_deref()).unwrap_err();
        assert_eq!((refused.code(), refused.errors().len()), (Code::ValidationFailed, 1));
    }

    #[test]
    fn report_is_decided_once() {
        for outcome in BoardReportOutcome::ALL {
            let is_offered = !staff_actions(*outcome).is_empty();
            assert_eq!(ensure_open(*outcome).is_ok(), is_offered, "{outcome:?}");
            assert_eq!(is_offered, *outcome == BoardReportOutcome::Open);
        }
    }
}
