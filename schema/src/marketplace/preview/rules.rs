//! What a preview is made of.

use crate::core::words::words;
use crate::marketplace::versions::AppVersionState;

words! {
    /// What a preview is made of.
    pub(crate) enum PreviewSource {
        /// The draft as it is now.
        Draft = "DRAFT",
        /// The copy that was handed in with the version.
        Submission = "SUBMISSION",
    }
}

/// What goes live with a version: the copy that was handed in, from then on; the draft as it is now, before. Whoever names
/// no version looks at the draft.
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
    use crate::core::words::Word as _;

    #[test]
    fn what_was_handed_in_goes_live_as_it_was() {
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
