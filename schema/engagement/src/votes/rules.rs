//! Rules on votes and follows.

use crate::feature_requests::rules::FeatureRequestStatus;

/// Facts about a feature request and a user's vote that the database read under the lock of the feature request.
#[derive(Clone, Copy, Debug)]
pub(super) struct VoteFacts {
    /// Whether the feature request exists and is not suspended.
    pub(super) is_on_board: bool,
    /// Whether it is merged into another.
    pub(super) is_merged: bool,
    /// Its status; `None` if it does not exist.
    pub(super) status: Option<FeatureRequestStatus>,
    /// Whether the user had a vote for it or for one merged into it.
    pub(super) had_voted: bool,
    /// Whether the database changed the vote.
    pub(super) is_changed: bool,
}

/// Effect of an allowed action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The vote was cast or withdrawn.
    Changed,
    /// The vote already was as requested.
    Unchanged,
}

/// Reason why an action has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The feature request is not on the board.
    Missing,
    /// The feature request is merged into another.
    Merged,
    /// The feature request was shipped.
    Shipped,
    /// The database changed a vote against these rules, or did not change it: a defect of the service.
    Contradiction,
}

/// Returns the effect of casting a vote. For a shipped feature request, a vote that was cast before stays valid.
///
/// # Errors
/// The reason why no vote can be cast.
pub(super) fn judge_cast(facts: VoteFacts) -> Result<Effect, Refusal> {
    let takes_votes = facts.status.is_some_and(FeatureRequestStatus::takes_votes);
    let allowed = ensure_changeable(facts).and(match (facts.had_voted, takes_votes) {
        (true, _) => Ok(Effect::Unchanged),
        (false, true) => Ok(Effect::Changed),
        (false, false) => Err(Refusal::Shipped),
    });
    ensure_agreement(facts, allowed)
}

/// Returns the effect of withdrawing a vote, which is possible in every status.
///
/// # Errors
/// The reason why no vote can be withdrawn.
pub(super) fn judge_withdrawal(facts: VoteFacts) -> Result<Effect, Refusal> {
    let effect = if facts.had_voted { Effect::Changed } else { Effect::Unchanged };
    ensure_agreement(facts, ensure_changeable(facts).map(|()| effect))
}

/// Rejects a follow of a feature request that is merged, or not on the board (`None`).
///
/// # Errors
/// The reason why the feature request cannot be followed.
pub(super) fn ensure_followable(is_merged: Option<bool>) -> Result<(), Refusal> {
    match is_merged {
        None => Err(Refusal::Missing),
        Some(true) => Err(Refusal::Merged),
        Some(false) => Ok(()),
    }
}

fn ensure_changeable(facts: VoteFacts) -> Result<(), Refusal> {
    ensure_followable(facts.is_on_board.then_some(facts.is_merged))
}

/// Compares these rules with what the database did. It counts a vote under the same conditions, because reading the
/// facts and counting the vote must be atomic.
fn ensure_agreement(facts: VoteFacts, allowed: Result<Effect, Refusal>) -> Result<Effect, Refusal> {
    if facts.is_changed == (allowed == Ok(Effect::Changed)) { allowed } else { Err(Refusal::Contradiction) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::words::Word as _;

    const FACTS: VoteFacts = VoteFacts {
        is_on_board: true,
        is_merged: false,
        status: Some(FeatureRequestStatus::Open),
        had_voted: false,
        is_changed: false,
    };

    /// Judges facts after the database changed the vote, and after it did not.
    fn judge(
        rule: fn(VoteFacts) -> Result<Effect, Refusal>,
        facts: VoteFacts,
    ) -> (Result<Effect, Refusal>, Result<Effect, Refusal>) {
        (rule(VoteFacts { is_changed: true, ..facts }), rule(VoteFacts { is_changed: false, ..facts }))
    }

    #[test]
    fn first_vote_is_cast_unless_shipped() {
        for status in FeatureRequestStatus::ALL.iter().copied() {
            let judged = judge(judge_cast, VoteFacts { status: Some(status), ..FACTS });
            if status == FeatureRequestStatus::Shipped {
                assert_eq!(judged, (Err(Refusal::Contradiction), Err(Refusal::Shipped)));
            } else {
                assert_eq!(judged, (Ok(Effect::Changed), Err(Refusal::Contradiction)), "{status:?}");
            }
        }
    }

    #[test]
    fn second_vote_changes_nothing_in_any_status() {
        for status in FeatureRequestStatus::ALL.iter().copied() {
            let judged = judge(judge_cast, VoteFacts { status: Some(status), had_voted: true, ..FACTS });
            assert_eq!(judged, (Err(Refusal::Contradiction), Ok(Effect::Unchanged)), "{status:?}");
        }
    }

    #[test]
    fn vote_is_withdrawn_in_any_status() {
        for status in FeatureRequestStatus::ALL.iter().copied() {
            let facts = VoteFacts { status: Some(status), ..FACTS };
            let judged = judge(judge_withdrawal, VoteFacts { had_voted: true, ..facts });
            assert_eq!(judged, (Ok(Effect::Changed), Err(Refusal::Contradiction)), "{status:?}");
            let judged = judge(judge_withdrawal, facts);
            assert_eq!(judged, (Err(Refusal::Contradiction), Ok(Effect::Unchanged)), "{status:?}");
        }
    }

    #[test]
    fn missing_or_merged_request_takes_no_change() {
        let missing = VoteFacts { is_on_board: false, status: None, ..FACTS };
        let suspended = VoteFacts { is_on_board: false, is_merged: true, had_voted: true, ..FACTS };
        let merged = VoteFacts { is_merged: true, had_voted: true, ..FACTS };
        for rule in [judge_cast, judge_withdrawal] {
            assert_eq!(judge(rule, missing), (Err(Refusal::Contradiction), Err(Refusal::Missing)));
            assert_eq!(judge(rule, suspended), (Err(Refusal::Contradiction), Err(Refusal::Missing)));
            assert_eq!(judge(rule, merged), (Err(Refusal::Contradiction), Err(Refusal::Merged)));
        }
        assert_eq!(ensure_followable(None), Err(Refusal::Missing));
        assert_eq!(ensure_followable(Some(true)), Err(Refusal::Merged));
        assert_eq!(ensure_followable(Some(false)), Ok(()));
    }
}
