//! Tests of every cell of the transition table.

use labs_core::fault::Code;

use super::*;

/// All allowed transitions; every other combination is rejected.
const TABLE: &[(AppVersionState, &[(AppVersionAction, AppVersionState)])] = &[
    (
        AppVersionState::Draft,
        &[(AppVersionAction::Update, AppVersionState::Draft), (AppVersionAction::Submit, AppVersionState::Submitted)],
    ),
    (
        AppVersionState::Submitted,
        &[
            (AppVersionAction::Claim, AppVersionState::InReview),
            (AppVersionAction::Withdraw, AppVersionState::Withdrawn),
            (AppVersionAction::Lapse, AppVersionState::Withdrawn),
        ],
    ),
    (
        AppVersionState::InReview,
        &[
            (AppVersionAction::Unclaim, AppVersionState::Submitted),
            (AppVersionAction::RequestChanges, AppVersionState::ChangesRequested),
            (AppVersionAction::Approve, AppVersionState::Approved),
            (AppVersionAction::Reject, AppVersionState::Rejected),
            (AppVersionAction::Withdraw, AppVersionState::Withdrawn),
            (AppVersionAction::Lapse, AppVersionState::Withdrawn),
        ],
    ),
    (
        AppVersionState::ChangesRequested,
        &[
            (AppVersionAction::Update, AppVersionState::ChangesRequested),
            (AppVersionAction::Submit, AppVersionState::Submitted),
            (AppVersionAction::Lapse, AppVersionState::Withdrawn),
        ],
    ),
    (
        AppVersionState::Approved,
        &[
            (AppVersionAction::Withdraw, AppVersionState::Withdrawn),
            (AppVersionAction::Publish, AppVersionState::Published),
            (AppVersionAction::Schedule, AppVersionState::Scheduled),
        ],
    ),
    (
        AppVersionState::Scheduled,
        &[
            (AppVersionAction::Withdraw, AppVersionState::Withdrawn),
            (AppVersionAction::Publish, AppVersionState::Published),
            (AppVersionAction::Schedule, AppVersionState::Scheduled),
            (AppVersionAction::Overtake, AppVersionState::Approved),
        ],
    ),
    (AppVersionState::Published, &[(AppVersionAction::Supersede, AppVersionState::Superseded)]),
    (AppVersionState::Superseded, &[(AppVersionAction::Publish, AppVersionState::Published)]),
    (AppVersionState::Rejected, &[(AppVersionAction::Submit, AppVersionState::Submitted)]),
    (AppVersionState::Withdrawn, &[]),
];

fn allowed(state: AppVersionState, action: AppVersionAction, was_appealed: bool) -> Option<Vec<String>> {
    let refusal = next_state("version", state, action, was_appealed).err()?;
    assert_eq!(refusal.code(), Code::IllegalTransition);
    Some(refusal.allowed_actions().to_vec())
}

#[test]
fn state_machine_matches_table() {
    assert_eq!(TABLE.len(), AppVersionState::ALL.len());
    for (state, row) in TABLE {
        for action in AppVersionAction::ALL {
            let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
            assert_eq!(next_state("version", *state, action, false).ok(), expected, "{state:?} {action:?}");
        }
    }
}

#[test]
fn rejection_can_be_appealed_once() {
    for (state, row) in TABLE {
        for action in AppVersionAction::ALL {
            let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
            let expected =
                expected.filter(|_| (*state, action) != (AppVersionState::Rejected, AppVersionAction::Submit));
            assert_eq!(next_state("version", *state, action, true).ok(), expected, "{state:?} {action:?}");
        }
    }
    assert_eq!(allowed(AppVersionState::Rejected, AppVersionAction::Submit, true), Some(vec![]));
}

#[test]
fn rejected_action_lists_actions_of_same_side() {
    assert_eq!(allowed(AppVersionState::InReview, AppVersionAction::Submit, false), Some(vec!["withdraw".to_owned()]));
    assert_eq!(allowed(AppVersionState::Submitted, AppVersionAction::Approve, false), Some(vec!["claim".to_owned()]));
    let decisions = ["unclaim", "request-changes", "approve", "reject"].map(str::to_owned).to_vec();
    assert_eq!(allowed(AppVersionState::InReview, AppVersionAction::Claim, false), Some(decisions));
    let of_a_draft = ["update", "submit", "delete"].map(str::to_owned).to_vec();
    assert_eq!(allowed(AppVersionState::Draft, AppVersionAction::Publish, false), Some(of_a_draft));
    assert_eq!(allowed(AppVersionState::Published, AppVersionAction::Publish, false), Some(vec![]));
}

#[test]
fn only_draft_can_be_deleted() {
    let deleted: Vec<AppVersionState> =
        AppVersionState::ALL.iter().copied().filter(|state| ensure_deletable(*state, false).is_ok()).collect();
    assert_eq!(deleted, [AppVersionState::Draft]);
    let refused = ensure_deletable(AppVersionState::ChangesRequested, false).err();
    let instead = refused.map(|fault| fault.allowed_actions().to_vec());
    assert_eq!(instead, Some(["update", "submit"].map(str::to_owned).to_vec()));
}

#[test]
fn enum_names_round_trip() {
    for state in AppVersionState::ALL.iter().copied() {
        assert_eq!(AppVersionState::parse(state.name()).ok(), Some(state));
        assert_eq!(serde_json::to_value(state).unwrap(), state.name());
    }
}

#[test]
fn appeal_requires_rejection_and_reason() {
    let text = Some("The finding says we read payments.");
    let code =
        |state, appeal, text| check_appeal(state, appeal, text).err().and_then(|fault| fault.errors().first().cloned());
    let code = |state, appeal, text| code(state, appeal, text).map(|error| error.code);
    assert_eq!(code(AppVersionState::Rejected, true, text), None);
    assert_eq!(code(AppVersionState::Draft, false, None), None);
    assert_eq!(code(AppVersionState::Draft, false, Some("  ")), None);
    assert_eq!(code(AppVersionState::Rejected, false, None).as_deref(), Some("APPEAL_NEEDED"));
    assert_eq!(code(AppVersionState::Rejected, true, None).as_deref(), Some("REQUIRED"));
    assert_eq!(code(AppVersionState::Rejected, true, Some(" ")).as_deref(), Some("REQUIRED"));
    assert_eq!(code(AppVersionState::ChangesRequested, true, text).as_deref(), Some("NOT_REJECTED"));
    assert_eq!(code(AppVersionState::Draft, false, text).as_deref(), Some("NO_APPEAL"));
}
