//! What a reviewer may decide, and why a decision is refused.

use std::collections::HashSet;

use uuid::Uuid;

use crate::core::fault::{Fault, FieldError};
use crate::core::words::words;
use crate::marketplace::versions::{AppVersionAction, AppVersionState, after};

words! {
    /// Where a submission is: the version's state while it was the last one.
    pub(crate) enum SubmissionState {
        /// Waits in the queue.
        Submitted = "SUBMITTED",
        /// Claimed by a reviewer.
        InReview = "IN_REVIEW",
        /// Found good.
        Approved = "APPROVED",
        /// Sent back with findings.
        ChangesRequested = "CHANGES_REQUESTED",
        /// Refused.
        Rejected = "REJECTED",
        /// Taken back by the partner.
        Withdrawn = "WITHDRAWN",
    }
}

impl SubmissionState {
    /// Whether its decision is still to come.
    pub(in crate::marketplace) const fn is_waiting(self) -> bool {
        matches!(self, Self::Submitted | Self::InReview)
    }
}

/// Why a claim changed nothing.
///
/// Who has the submission already may decide it; nobody else gets it. What is still in the queue and yet not to be
/// had is a version that the caller rejected before.
pub(super) fn claim_refused(state: AppVersionState, reviewer_uuid: Option<Uuid>, me: Uuid) -> Fault {
    if state == AppVersionState::InReview && reviewer_uuid != Some(me) {
        return Fault::conflict("Another reviewer claimed this submission. Take another from the queue.");
    }
    match after("submission", state, AppVersionAction::Claim, false) {
        Err(refusal) => refusal,
        Ok(_) => {
            Fault::conflict("You rejected this version before, so another reviewer decides its appeal. Take another.")
        }
    }
}

/// Why a decision changed nothing.
pub(super) fn decision_refused(
    state: AppVersionState,
    action: AppVersionAction,
    reviewer_uuid: Option<Uuid>,
    me: Uuid,
) -> Fault {
    match after("submission", state, action, false) {
        Err(refusal) => refusal,
        Ok(_) if reviewer_uuid == Some(me) => {
            Fault::conflict("This submission was decided a moment ago. Read it again.")
        }
        Ok(_) => Fault::conflict("Another reviewer has claimed this submission, so only that reviewer can decide it."),
    }
}

/// Checks that each finding names a requirement in force.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] with a pointer to each that does not.
pub(super) fn check_codes<'a>(named: impl Iterator<Item = &'a str>, known: &HashSet<&str>) -> Result<(), Fault> {
    let errors: Vec<FieldError> = named
        .enumerate()
        .filter(|(_, code)| !known.contains(code))
        .map(|(position, code)| {
            FieldError::at(
                format!("/findings/{position}/requirement_code"),
                "UNKNOWN_REQUIREMENT",
                format!("There is no listing requirement {code}. The checklist names those in force."),
            )
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Fault::invalid(errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    const ME: Uuid = Uuid::from_u128(1);
    const OTHER: Uuid = Uuid::from_u128(2);

    #[test]
    fn a_claim_is_refused_for_what_stands_in_its_way() {
        let code = |state, reviewer| claim_refused(state, reviewer, ME).code();
        assert_eq!(code(AppVersionState::InReview, Some(OTHER)), Code::Conflict);
        assert_eq!(code(AppVersionState::InReview, Some(ME)), Code::IllegalTransition);
        assert_eq!(code(AppVersionState::Submitted, None), Code::Conflict);
        for decided in [
            AppVersionState::Approved,
            AppVersionState::ChangesRequested,
            AppVersionState::Rejected,
            AppVersionState::Withdrawn,
        ] {
            assert_eq!(code(decided, Some(OTHER)), Code::IllegalTransition, "{decided:?}");
        }
    }

    #[test]
    fn only_the_claiming_reviewer_decides_and_only_in_review() {
        for action in [AppVersionAction::Approve, AppVersionAction::RequestChanges, AppVersionAction::Reject] {
            let refused = |state, reviewer| decision_refused(state, action, reviewer, ME);
            assert_eq!(refused(AppVersionState::InReview, Some(OTHER)).code(), Code::Conflict);
            let waiting = refused(AppVersionState::Submitted, None);
            assert_eq!(waiting.code(), Code::IllegalTransition);
            assert_eq!(waiting.allowed_actions(), ["claim"]);
            assert_eq!(refused(AppVersionState::Approved, Some(ME)).code(), Code::IllegalTransition);
        }
    }

    #[test]
    fn findings_name_requirements_that_exist() {
        let known = HashSet::from(["REQ-01", "REQ-14"]);
        assert!(check_codes(["REQ-14", "REQ-01", "REQ-14"].into_iter(), &known).is_ok());
        let refusal = check_codes(["REQ-14", "REQ-99"].into_iter(), &known).err();
        let pointers: Vec<_> = refusal.iter().flat_map(|fault| fault.errors().to_vec()).map(|e| e.pointer).collect();
        assert_eq!(pointers, [Some("/findings/1/requirement_code".to_owned())]);
    }
}
