//! What a reviewer may decide, and why a decision is refused.

mod estimate;
pub(super) mod findings;

use uuid::Uuid;

use crate::core::business_time;
use crate::core::fault::Fault;
use crate::core::time::Time;
use crate::core::words::words;
use crate::marketplace::versions::{AppVersionAction, AppVersionState, after};

pub(super) use estimate::{Decided, expected_at};

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
    /// The state of the version while this was its last submission.
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

    /// Whether its decision is still to come.
    pub(in crate::marketplace) const fn is_waiting(self) -> bool {
        matches!(self, Self::Submitted | Self::InReview)
    }
}

words! {
    /// What became of a finding.
    pub(crate) enum FindingStatus {
        /// Named for the first time.
        New = "NEW",
        /// Named in several reviews.
        StillThere = "STILL_THERE",
        /// A later review did not find it again.
        Mended = "MENDED",
        /// An appeal showed that it was wrong.
        Withdrawn = "WITHDRAWN",
    }
}

words! {
    /// Whose turn it is while a submission is not settled.
    pub(crate) enum WaitingOn {
        /// The partner answers, or mends what was found.
        Partner = "PARTNER",
        /// A reviewer looks at it.
        Reviewers = "REVIEWERS",
    }
}

/// How long a claim holds others back, in business seconds: then another reviewer may take it over.
const CLAIM: i64 = 2 * business_time::DAY;
/// The least that is left of a promise when a version comes back mended, in business seconds.
const LEAST_LEFT: i64 = business_time::DAY;

/// From when on a claim rests.
pub(super) fn rests_at(claimed_at: Time) -> Time {
    business_time::after(claimed_at, CLAIM)
}

/// By when the decision about what was handed in is promised. What came back keeps what was left of the promise, and at
/// least a day of it.
pub(in crate::marketplace) fn due_at(now: Time, promised_days: i64, left_seconds: Option<i64>) -> Time {
    let whole = promised_days.saturating_mul(business_time::DAY);
    business_time::after(now, left_seconds.map_or(whole, |left| left.clamp(LEAST_LEFT, whole.max(LEAST_LEFT))))
}

/// A submission as a reviewer's step must know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClaimStanding {
    pub(super) state: AppVersionState,
    pub(super) reviewer_uuid: Option<Uuid>,
    pub(super) claimed_at: Option<Time>,
    /// Who rejected the version before.
    pub(super) rejected_by: Option<Uuid>,
}

impl ClaimStanding {
    /// Whether another reviewer may take it over.
    fn rests(&self, now: Time) -> bool {
        self.claimed_at.is_some_and(|claimed_at| rests_at(claimed_at) <= now)
    }

    fn is_of(&self, me: Uuid) -> bool {
        self.reviewer_uuid == Some(me)
    }
}

/// Whether a reviewer may take a submission: out of the queue, or over from one whose claim rests. Whoever rejected the
/// version before takes neither its appeal nor what comes after it.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] or [`crate::Code::Conflict`], with what to do instead.
pub(super) fn claim(standing: &ClaimStanding, me: Uuid, now: Time) -> Result<(), Fault> {
    match standing.state {
        AppVersionState::InReview if !standing.is_of(me) => {
            if !standing.rests(now) {
                return Err(Fault::conflict(format!(
                    "Another reviewer has claimed this submission. Claim another one from the queue. From {} on you \
                     can take this one over.",
                    standing.claimed_at.map(rests_at).unwrap_or(now)
                )));
            }
        }
        state => {
            after("submission", state, AppVersionAction::Claim, false)?;
        }
    }
    if standing.rejected_by == Some(me) {
        return Err(Fault::conflict(
            "You rejected this version before, so another reviewer decides its appeal. Claim another submission.",
        ));
    }
    Ok(())
}

/// Whether a reviewer may put a submission back: one's own, one whose claim rests, or another's with a reason.
///
/// # Errors
/// [`crate::Code::IllegalTransition`], or [`crate::Code::ValidationFailed`] for another's without a reason.
pub(super) fn unclaim(standing: &ClaimStanding, me: Uuid, now: Time, reason: Option<&str>) -> Result<(), Fault> {
    after("submission", standing.state, AppVersionAction::Unclaim, false)?;
    if standing.is_of(me) || standing.rests(now) || reason.is_some() {
        return Ok(());
    }
    Err(Fault::field(
        "/reason",
        "REQUIRED",
        "Another reviewer has claimed this submission. Send a reason why you take it over.",
    ))
}

/// Whether a reviewer may decide a submission: the one who claimed it.
///
/// # Errors
/// [`crate::Code::IllegalTransition`] or [`crate::Code::Conflict`].
pub(super) fn decide(standing: &ClaimStanding, action: AppVersionAction, me: Uuid) -> Result<AppVersionState, Fault> {
    let to = after("submission", standing.state, action, false)?;
    if !standing.is_of(me) {
        return Err(Fault::conflict(
            "Another reviewer has claimed this submission, so only that reviewer can decide it.",
        ));
    }
    Ok(to)
}

/// What a reviewer can do to a submission now.
pub(super) fn allowed_actions(standing: &ClaimStanding, me: Uuid, now: Time) -> Vec<String> {
    let allowed = AppVersionAction::ALL.into_iter().filter(|action| match action {
        AppVersionAction::Claim => claim(standing, me, now).is_ok(),
        AppVersionAction::Unclaim => unclaim(standing, me, now, Some("")).is_ok(),
        AppVersionAction::Approve | AppVersionAction::RequestChanges | AppVersionAction::Reject => {
            decide(standing, *action, me).is_ok()
        }
        _ => false,
    });
    allowed.map(|action| action.name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    const ME: Uuid = Uuid::from_u128(1);
    const OTHER: Uuid = Uuid::from_u128(2);

    fn now() -> Time {
        "2026-11-25T10:00:00Z".parse().unwrap()
    }

    /// One of this reviewer's, claimed so many business days ago.
    fn claimed(reviewer: Uuid, days: i64) -> ClaimStanding {
        let claimed_at = Some(now().plus_seconds(-days * business_time::DAY));
        ClaimStanding { state: AppVersionState::InReview, reviewer_uuid: Some(reviewer), claimed_at, rejected_by: None }
    }

    fn free(state: AppVersionState) -> ClaimStanding {
        ClaimStanding { state, reviewer_uuid: None, claimed_at: None, rejected_by: None }
    }

    fn code<T>(outcome: Result<T, Fault>) -> Option<Code> {
        outcome.err().map(|fault| fault.code())
    }

    #[test]
    fn a_claim_is_refused_for_what_stands_in_its_way() {
        let of = |standing: &ClaimStanding| code(claim(standing, ME, now()));
        assert_eq!(of(&free(AppVersionState::Submitted)), None);
        assert_eq!(of(&claimed(OTHER, 1)), Some(Code::Conflict));
        assert_eq!(of(&claimed(OTHER, 2)), None, "a claim rests after two business days");
        assert_eq!(of(&claimed(ME, 1)), Some(Code::IllegalTransition));
        let mine = |standing| ClaimStanding { rejected_by: Some(ME), ..standing };
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
    fn anothers_claim_is_taken_away_with_a_reason_or_when_it_rests() {
        let of = |standing: &ClaimStanding, reason| code(unclaim(standing, ME, now(), reason));
        assert_eq!(of(&claimed(ME, 0), None), None);
        assert_eq!(of(&claimed(OTHER, 1), None), Some(Code::ValidationFailed));
        assert_eq!(of(&claimed(OTHER, 1), Some("ill")), None);
        assert_eq!(of(&claimed(OTHER, 2), None), None);
        assert_eq!(of(&free(AppVersionState::Submitted), Some("ill")), Some(Code::IllegalTransition));
    }

    #[test]
    fn only_the_claiming_reviewer_decides_and_only_in_review() {
        for action in [AppVersionAction::Approve, AppVersionAction::RequestChanges, AppVersionAction::Reject] {
            assert_eq!(code(decide(&claimed(OTHER, 9), action, ME)), Some(Code::Conflict));
            assert_eq!(code(decide(&claimed(ME, 9), action, ME)), None);
            let waiting = decide(&free(AppVersionState::Submitted), action, ME).err();
            assert_eq!(waiting.map(|fault| fault.allowed_actions().to_vec()), Some(vec!["claim".to_owned()]));
            assert_eq!(code(decide(&free(AppVersionState::Approved), action, ME)), Some(Code::IllegalTransition));
        }
    }

    #[test]
    fn what_is_allowed_is_what_is_not_refused() {
        let of = |standing: &ClaimStanding| allowed_actions(standing, ME, now());
        assert_eq!(of(&free(AppVersionState::Submitted)), ["claim"]);
        assert_eq!(of(&claimed(ME, 0)), ["unclaim", "request-changes", "approve", "reject"]);
        assert_eq!(of(&claimed(OTHER, 0)), ["unclaim"]);
        assert_eq!(of(&claimed(OTHER, 2)), ["claim", "unclaim"]);
        assert!(of(&free(AppVersionState::Rejected)).is_empty());
    }

    #[test]
    fn what_comes_back_keeps_what_was_left_of_the_promise() {
        let days = |left| business_time::between(now(), due_at(now(), 3, left));
        assert_eq!(days(None), 3 * business_time::DAY);
        assert_eq!(days(Some(2 * business_time::DAY)), 2 * business_time::DAY);
        assert_eq!(days(Some(0)), business_time::DAY);
        assert_eq!(days(Some(9 * business_time::DAY)), 3 * business_time::DAY);
    }
}
