//! The machine, cell by cell.

use super::*;
use crate::fault::Code;

/// Every cell that leads somewhere; all the others lead nowhere.
const TABLE: &[(State, &[(Action, State)])] = &[
    (State::Draft, &[(Action::Submit, State::Submitted)]),
    (State::Submitted, &[(Action::Claim, State::InReview), (Action::Withdraw, State::Withdrawn)]),
    (
        State::InReview,
        &[
            (Action::Unclaim, State::Submitted),
            (Action::RequestChanges, State::ChangesRequested),
            (Action::Approve, State::Approved),
            (Action::Reject, State::Rejected),
            (Action::Withdraw, State::Withdrawn),
        ],
    ),
    (State::ChangesRequested, &[(Action::Submit, State::Submitted)]),
    (
        State::Approved,
        &[
            (Action::Withdraw, State::Withdrawn),
            (Action::Publish, State::Published),
            (Action::Schedule, State::Scheduled),
        ],
    ),
    (
        State::Scheduled,
        &[
            (Action::Withdraw, State::Withdrawn),
            (Action::Publish, State::Published),
            (Action::Schedule, State::Scheduled),
            (Action::Overtake, State::Approved),
        ],
    ),
    (State::Published, &[(Action::Supersede, State::Superseded)]),
    (State::Superseded, &[]),
    (State::Rejected, &[(Action::Submit, State::Submitted)]),
    (State::Withdrawn, &[]),
];

fn allowed(state: State, action: Action, was_appealed: bool) -> Option<Vec<String>> {
    let refusal = after("version", state, action, was_appealed).err()?;
    assert_eq!(refusal.code(), Code::IllegalTransition);
    Some(refusal.parts().allowed_actions.clone())
}

#[test]
fn the_machine_cell_by_cell() {
    assert_eq!(TABLE.len(), State::ALL.len());
    for (state, row) in TABLE {
        for action in Action::ALL {
            let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
            assert_eq!(after("version", *state, action, false).ok(), expected, "{state:?} {action:?}");
        }
    }
}

#[test]
fn an_appeal_is_had_once() {
    for (state, row) in TABLE {
        for action in Action::ALL {
            let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
            let expected = expected.filter(|_| (*state, action) != (State::Rejected, Action::Submit));
            assert_eq!(after("version", *state, action, true).ok(), expected, "{state:?} {action:?}");
        }
    }
    assert_eq!(allowed(State::Rejected, Action::Submit, true), Some(vec![]));
}

#[test]
fn a_refusal_names_what_the_same_side_may_do() {
    assert_eq!(allowed(State::InReview, Action::Submit, false), Some(vec!["withdraw".to_owned()]));
    assert_eq!(allowed(State::Submitted, Action::Approve, false), Some(vec!["claim".to_owned()]));
    let decisions = ["unclaim", "request-changes", "approve", "reject"].map(str::to_owned).to_vec();
    assert_eq!(allowed(State::InReview, Action::Claim, false), Some(decisions));
    assert_eq!(allowed(State::Draft, Action::Publish, false), Some(vec!["submit".to_owned()]));
    assert_eq!(allowed(State::Published, Action::Publish, false), Some(vec![]));
}

#[test]
fn names_are_read_as_they_are_written() {
    for state in State::ALL {
        assert_eq!(State::parse(state.name()).ok(), Some(state));
        let shown = async_graphql::resolver_utils::enum_value(state);
        assert_eq!(shown, async_graphql::Value::Enum(async_graphql::Name::new(state.name())));
    }
}

#[test]
fn an_appeal_is_of_a_rejection_and_gives_its_reason() {
    let text = Some("The finding says we read payments.");
    let code = |state, appeal, text| {
        appeal_checked(state, appeal, text).err().and_then(|fault| fault.parts().errors.first().cloned())
    };
    let code = |state, appeal, text| code(state, appeal, text).map(|error| error.code);
    assert_eq!(code(State::Rejected, true, text), None);
    assert_eq!(code(State::Draft, false, None), None);
    assert_eq!(code(State::Draft, false, Some("  ")), None);
    assert_eq!(code(State::Rejected, false, None).as_deref(), Some("APPEAL_NEEDED"));
    assert_eq!(code(State::Rejected, true, None).as_deref(), Some("REQUIRED"));
    assert_eq!(code(State::Rejected, true, Some(" ")).as_deref(), Some("REQUIRED"));
    assert_eq!(code(State::ChangesRequested, true, text).as_deref(), Some("NOT_REJECTED"));
    assert_eq!(code(State::Draft, false, text).as_deref(), Some("NO_APPEAL"));
}
