//! Rules for the decisions of a reviewer, and their errors.

mod estimate;
pub(super) mod findings;

use labs_core::business_time;
use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

use crate::versions::{AppVersionAction, AppVersionState, next_state};

pub(super) use estimate::{DecidedSubmission, expected_at};

words! {
    /// State of a submission.
    pub enum SubmissionState {
        /// Waits in the queue.
        Submitted = "SUBMITTED",
        /// Claimed by a reviewer.
        InReview = "IN_REVIEW",
        /// Approved by a reviewer.
        Approved = "APPROVED",
        /// Returned to the partner with findings.
        ChangesRequested = "CHANGES_REQUESTED",
        /// Rejected by a reviewer.
        Rejected = "REJECTED",
        /// Withdrawn by the partner.
        Withdrawn = "WITHDRAWN",
    }
}

impl SubmissionState {
    /// Returns the state of the version while this was its last submission.
    pub(super) const fn of_version(self) -> AppVersionState {
        match self {
            Self::Submitted => AppVersionState::Submitted,
            Self::InReview => AppVersionState::InReview,
            Self::Approved => AppVersionState::Approved,
            Self::ChangesRequested => AppVersionState::ChangesRequested,
            Self::Rejected => AppVersionState::Rejected,
            Self::Withdrawn => AppVersionState::Withdrawn,
        }
    }

    /// Returns whether the submission is undecided.
    pub(crate) const fn is_waiting(self) -> bool {
        matches!(self, Self::Submitted | Self::InReview)
    }
}

words! {
    /// Status of a finding.
    pub enum FindingStatus {
        /// Reported for the first time.
        New = "NEW",
        /// Reported in several reviews.
        StillThere = "STILL_THERE",
        /// A later review did not report it again.
        Mended = "MENDED",
        /// An appeal showed that it was incorrect.
        Withdrawn = "WITHDRAWN",
    }
}

words! {
    /// Party that must act next while a submission is not settled.
    pub enum WaitingOn {
        /// Has to answer the reviewers' question or fix their findings. The clock of the promise is stopped.
        Partner = "PARTNER",
        /// Have to review the submission.
        Reviewers = "REVIEWERS",
    }
}

/// Lifetime of a claim in business seconds. After it, another reviewer may take over the submission.
const CLAIM: i64 = 2 * business_time::DAY;
/// Minimum time to the due date when a fixed version is resubmitted, in business seconds.
const LEAST_LEFT: i64 = business_time::DAY;

/// Returns the time at which a claim expires.
pub(super) fn claim_expires_at(claimed_at: Time) -> Time {
    business_time::add_seconds(claimed_at, CLAIM)
}

/// Returns the due time of the decision about a submission. A resubmission keeps the remaining time of the former one,
/// and at least a business day.
pub(crate) fn due_at(now: Time, promised_days: i64, left_seconds: Option<i64>) -> Time {
    let whole = promised_days.saturating_mul(business_time::DAY);
    business_time::add_seconds(now, left_seconds.map_or(whole, |left| left.clamp(LEAST_LEFT, whole.max(LEAST_LEFT))))
}

/// State of a submission for a reviewer's action.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClaimStatus {
    pub(super) state: AppVersionState,
    pub(super) reviewer_uuid: Option<Uuid>,
    pub(super) claimed_at: Option<Time>,
    /// Reviewer who rejected the version before.
    pub(super) rejected_by: Option<Uuid>,
}

impl ClaimStatus {
    /// Returns whether the claim has expired, so that another reviewer may take it over.
    fn is_claim_expired(&self, now: Time) -> bool {
        self.claimed_at.is_some_and(|claimed_at| claim_expires_at(claimed_at) <= now)
    }

    fn is_of(&self, me: Uuid) -> bool {
        self.reviewer_uuid == Some(me)
    }
}

/// Checks that a reviewer may claim a submission: from the queue, or from a reviewer whose claim has expired. The
/// reviewer who rejected the version before may claim neither its appeal nor a later submission of it.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] or [`labs_core::Code::Conflict`], with the action to take instead.
pub(super) fn claim(status: &ClaimStatus, me: Uuid, now: Time) -> Result<(), Fault> {
    match status.state {
        AppVersionState::InReview if !status.is_of(me) => {
            if !status.is_claim_expired(now) {
                return Err(Fault::conflict(format!(
                    "Another reviewer has claimed this submission. Claim another one from the queue. From {} on you \
                     can take this one over.",
                    status.claimed_at.map(claim_expires_at).unwrap_or(now)
                )));
            }
        }
        state => {
            next_state("submission", state, AppVersionAction::Claim, false)?;
        }
    }
    if status.rejected_by == Some(me) {
        return Err(Fault::conflict(
            "You rejected this version before, so another reviewer decides its appeal. Claim another submission.",
        ));
    }
    Ok(())
}

/// Checks that a reviewer may return a submission to the queue: their own, one with an expired claim, or another
/// reviewer's with a reason.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`], or [`labs_core::Code::ValidationFailed`] for another reviewer's submission
/// without a reason.
pub(super) fn unclaim(status: &ClaimStatus, me: Uuid, now: Time, reason: Option<&str>) -> Result<(), Fault> {
    next_state("submission", status.state, AppVersionAction::Unclaim, false)?;
    if status.is_of(me) || status.is_claim_expired(now) || reason.is_some() {
        return Ok(());
    }
    Err(Fault::field(
        "/reason",
        "REQUIRED",
        "Another reviewer has claimed this submission. Send a reason why you take it over.",
    ))
}

/// Checks that a reviewer may decide a submission: only the reviewer who claimed it.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] or [`labs_core::Code::Conflict`].
pub(super) fn decide(status: &ClaimStatus, action: AppVersionAction, me: Uuid) -> Result<AppVersionState, Fault> {
    let to = next_state("submission", status.state, action, false)?;
    if !status.is_of(me) {
        return Err(Fault::conflict(
            "Another reviewer has claimed this submission, so only that reviewer can decide it.",
        ));
    }
    Ok(to)
}

/// Returns the actions that a reviewer may take on a submission now.
pub(super) fn allowed_actions(status: &ClaimStatus, me: Uuid, now: Time) -> Vec<String> {
    let allowed = AppVersionAction::ALL.into_iter().filter(|action| match action {
        AppVersionAction::Claim => claim(status, me, now).is_ok(),
        AppVersionAction::Unclaim => unclaim(status, me, now, Some("")).is_ok(),
        AppVersionAction::Approve | AppVersionAction::RequestChanges | AppVersionAction::Reject => {
            decide(status, *action, me).is_ok()
        }
        _ => false,
    });
    allowed.map(|action| action.name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    const ME: Uuid = Uuid::from_u128(1);
    const OTHER: Uuid = Uuid::from_u128(2);

    fn now() -> Time {
        "2026-11-25T10:00:00Z".parse().unwrap()
    }

    /// Returns a submission that this reviewer claimed `days` business days ago.
    fn claimed(reviewer: Uuid, days: i64) -> ClaimStatus {
        let claimed_at = Some(now().plus_seconds(-days * business_time::DAY));
        ClaimStatus { state: AppVersionState::InReview, reviewer_uuid: Some(reviewer), claimed_at, rejected_by: None }
    }

    fn free(state: AppVersionState) -> ClaimStatus {
        ClaimStatus { state, reviewer_uuid: None, claimed_at: None, rejected_by: None }
    }

    fn code<T>(outcome: Result<T, Fault>) -> Option<Code> {
        outcome.err().map(|fault| fault.code())
    }

    #[test]
    fn claim_is_rejected_with_its_reason() {
        let of = |status: &ClaimStatus| code(claim(status, ME, now()));
        assert_eq!(of(&free(AppVersionState::Submitted)), None);
        assert_eq!(of(&claimed(OTHER, 1)), Some(Code::Conflict));
        assert_eq!(of(&claimed(OTHER, 2)), None, "a claim rests after two business days");
        assert_eq!(of(&claimed(ME, 1)), Some(Code::IllegalTransition));
        let mine = |status| ClaimStatus { rejected_by: Some(ME), ..status };
        assert_eq!(of(&mine(free(AppVersionState::Submitted))), Some(Code::Conflict));
        assert_eq!(of(&mine(claimed(OTHER, 2))), Some(Code::Conflict));
        for decided in [
            AppVersionState::Approved,
            AppVersionState::ChangesRequested,
            AppVersionState::Rejected,
            AppVersionState::Withdrawn,
        ] {
            assert_eq!(of(&free(decided)), Some(Code::IllegalTransition), "{decided:?}");
        }
    }

    #[test]
    fn foreign_claim_is_released_with_reason_or_after_expiry() {
        let of = |status: &ClaimStatus, reason| code(unclaim(status, ME, now(), reason));
        assert_eq!(of(&claimed(ME, 0), None), None);
        assert_eq!(of(&claimed(OTHER, 1), None), Some(Code::ValidationFailed));
        assert_eq!(of(&claimed(OTHER, 1), Some("ill")), None);
        assert_eq!(of(&claimed(OTHER, 2), None), None);
        assert_eq!(of(&free(AppVersionState::Submitted), Some("ill")), Some(Code::IllegalTransition));
    }

    #[test]
    fn only_claiming_reviewer_decides_and_only_in_review() {
        for action in [AppVersionAction::Approve, AppVersionAction::RequestChanges, AppVersionAction::Reject] {
            assert_eq!(code(decide(&claimed(OTHER, 9), action, ME)), Some(Code::Conflict));
            assert_eq!(code(decide(&claimed(ME, 9), action, ME)), None);
            let waiting = decide(&free(AppVersionState::Submitted), action, ME).err();
            assert_eq!(waiting.map(|fault| fault.allowed_actions().to_vec()), Some(vec!["claim".to_owned()]));
            assert_eq!(code(decide(&free(AppVersionState::Approved), action, ME)), Some(Code::IllegalTransition));
        }
    }

    #[test]
    fn allowed_actions_match_checks() {
        let of = |status: &ClaimStatus| allowed_actions(status, ME, now());
        assert_eq!(of(&free(AppVersionState::Submitted)), ["claim"]);
        assert_eq!(of(&claimed(ME, 0)), ["unclaim", "request-changes", "approve", "reject"]);
        assert_eq!(of(&claimed(OTHER, 0)), ["unclaim"]);
        assert_eq!(of(&claimed(OTHER, 2)), ["claim", "unclaim"]);
        assert!(of(&free(AppVersionState::Rejected)).is_empty());
    }

    #[test]
    fn resubmission_keeps_remaining_review_time() {
        let days = |left| business_time::seconds_between(now(), due_at(now(), 3, left));
        assert_eq!(days(None), 3 * business_time::DAY);
        assert_eq!(days(Some(2 * business_time::DAY)), 2 * business_time::DAY);
        assert_eq!(days(Some(0)), business_time::DAY);
        assert_eq!(days(Some(9 * business_time::DAY)), 3 * business_time::DAY);
    }
}
