//! Source of a preview.

use labs_core::words::words;

use crate::versions::AppVersionState;

words! {
    /// Sources of a preview.
    pub enum PreviewSource {
        /// The current draft.
        Draft = "DRAFT",
        /// The snapshot submitted with the version.
        Submission = "SUBMISSION",
    }
}

/// Returns the source that a publication of the version would use: from the submission on its snapshot, before that the
/// current draft. If the caller names no version, the source is the draft.
pub(super) fn source(is_named: bool, state: AppVersionState) -> PreviewSource {
    match state {
        AppVersionState::Submitted
        | AppVersionState::InReview
        | AppVersionState::Approved
        | AppVersionState::Scheduled
            if is_named =>
        {
            PreviewSource::Submission
        }
        _ => PreviewSource::Draft,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::words::Word as _;

    #[test]
    fn submitted_version_is_previewed_from_its_snapshot() {
        let states = AppVersionState::ALL.iter().copied();
        let handed_in: Vec<AppVersionState> =
            states.filter(|state| source(true, *state) == PreviewSource::Submission).collect();
        let expected = [
            AppVersionState::Submitted,
            AppVersionState::InReview,
            AppVersionState::Approved,
            AppVersionState::Scheduled,
        ];
        assert_eq!(handed_in, expected);
        assert_eq!(source(false, AppVersionState::Approved), PreviewSource::Draft);
    }
}
