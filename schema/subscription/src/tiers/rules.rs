//! State machine of tiers, and rules on their fields.

use std::collections::HashMap;

use labs_core::fault::{Fault, FieldError};
use labs_core::scope::ScopeSet;
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};
use serde_json::Value;

use crate::values::{FeatureKind, FeatureValueInput, parse_value};

words! {
    /// State of a tier.
    pub enum TierState {
        /// Visible only to staff.
        Draft = "DRAFT",
        /// In the public catalogue.
        Offered = "OFFERED",
        /// Removed from the catalogue. Its subscribers keep it.
        Retired = "RETIRED",
    }
}

/// Action of staff on a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TierAction {
    /// Offer in the public catalogue.
    Offer,
    /// Retire from the catalogue.
    Retire,
}

impl TierAction {
    const ALL: [Self; 2] = [Self::Offer, Self::Retire];

    const fn name(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Retire => "retire",
        }
    }
}

/// Transition table.
const fn find_transition(state: TierState, action: TierAction) -> Option<TierState> {
    match (state, action) {
        (TierState::Draft | TierState::Retired, TierAction::Offer) => Some(TierState::Offered),
        (TierState::Offered, TierAction::Retire) => Some(TierState::Retired),
        _ => None,
    }
}

/// Returns the state after an action.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] with the currently allowed actions.
pub(super) fn next_state(state: TierState, action: TierAction) -> Result<TierState, Fault> {
    find_transition(state, action)
        .ok_or_else(|| Fault::illegal("tier", state.name(), action.name(), allowed_actions(state)))
}

/// Returns the currently allowed actions of staff.
pub(super) fn allowed_actions(state: TierState) -> Vec<String> {
    let allowed = TierAction::ALL.into_iter().filter(|action| find_transition(state, *action).is_some());
    allowed.map(|action| action.name().to_owned()).collect()
}

/// Draws the state machine.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of("Tier", (TierState::ALL, TierState::name), (&TierAction::ALL, TierAction::name), [&next_state])
}

/// Rejects a change that leaves cancelled subscriptions without a fallback tier.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_fallback(is_left: bool) -> Result<(), Fault> {
    if is_left {
        return Ok(());
    }
    Err(Fault::conflict(
        "This is the last offered tier that is free and that partners can choose themselves, and cancelled \
         subscriptions fall back to it. Offer another one first.",
    ))
}

/// Rejects a tier without the scopes to manage an account and to choose another tier, because its subscribers could not
/// leave it without staff.
///
/// # Errors
/// [`labs_core::Code::Conflict`] with the missing scopes.
pub(super) fn ensure_way_out(code: &str, granted: ScopeSet) -> Result<(), Fault> {
    let lacking = ScopeSet::parse(["auth.account:write", "subscription:write"]).without(granted);
    if lacking.is_empty() {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "Subscribers of the tier {code} could not leave it, because it would not grant {}. Add that to the tier.",
        lacking.text()
    )))
}

/// Rejects a change of the billing period once the tier may have subscribers, because their periods are already
/// running.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_period_changeable(state: TierState, is_changed: bool) -> Result<(), Fault> {
    if is_changed && state != TierState::Draft {
        return Err(Fault::conflict(
            "The billing period can change only while a tier is a DRAFT, because its subscribers have current \
             periods. Create another tier, offer it and retire this one.",
        ));
    }
    Ok(())
}

/// Validates and normalises a name.
pub(super) fn name(text: &str, errors: &mut Vec<FieldError>) -> String {
    let name = text.trim();
    if name.is_empty() {
        errors.push(FieldError::at("/name", "LENGTH", "Send a name of 1 to 80 characters."));
    }
    name.to_owned()
}

/// Validates feature values: each feature known and at most once, each value of its feature's kind.
pub(super) fn features(
    input: &[FeatureValueInput],
    kinds: &HashMap<&str, FeatureKind>,
    errors: &mut Vec<FieldError>,
) -> HashMap<String, Value> {
    let mut values = HashMap::with_capacity(input.len());
    for (place, feature) in input.iter().enumerate() {
        let pointer = format!("/features/{place}");
        let Some(kind) = kinds.get(feature.code.as_str()) else {
            let message = "This feature does not exist. GET /v1/subscription/internal/features lists all features.";
            errors.push(FieldError::at(format!("{pointer}/code"), "UNKNOWN_FEATURE", message));
            continue;
        };
        match parse_value(*kind, &feature.to_input(), &pointer) {
            Err(error) => errors.push(error),
            Ok(value) => {
                if values.insert(feature.code.clone(), value).is_some() {
                    let message = "This feature occurs twice. Send each feature once.";
                    errors.push(FieldError::at(format!("{pointer}/code"), "TWICE", message));
                }
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use labs_core::describe::Json;
    use serde_json::json;

    use super::*;
    use labs_core::fault::Code;

    #[test]
    fn state_machine_matches_table() {
        use TierAction::{Offer, Retire};
        let table: [(TierState, &[(TierAction, TierState)]); 3] = [
            (TierState::Draft, &[(Offer, TierState::Offered)]),
            (TierState::Offered, &[(Retire, TierState::Retired)]),
            (TierState::Retired, &[(Offer, TierState::Offered)]),
        ];
        for (state, row) in table {
            for action in TierAction::ALL {
                let expected = row.iter().find(|(known, _)| *known == action).map(|(_, next)| *next);
                assert_eq!(next_state(state, action).ok(), expected, "{state:?} {action:?}");
            }
        }
        let refused = next_state(TierState::Draft, Retire).unwrap_err();
        assert_eq!((refused.code(), refused.allowed_actions()), (Code::IllegalTransition, &["offer".to_owned()][..]));
    }

    #[test]
    fn last_free_tier_stays_and_running_periods_are_kept() {
        assert_eq!(ensure_fallback(false).unwrap_err().code(), Code::Conflict);
        assert!(ensure_fallback(true).is_ok());
        assert!(ensure_period_changeable(TierState::Draft, true).is_ok());
        assert!(ensure_period_changeable(TierState::Offered, false).is_ok());
        assert_eq!(ensure_period_changeable(TierState::Retired, true).unwrap_err().code(), Code::Conflict);
    }

    #[test]
    fn tier_must_include_scopes_to_leave_it() {
        let set = |names: &[&str]| ScopeSet::parse(names.iter().copied());
        assert!(ensure_way_out("BARE", set(&["auth.account:write", "subscription:write", "marketplace"])).is_ok());
        for lacking in [&["auth.account:write", "subscription"][..], &["subscription:write"], &[]] {
            assert_eq!(ensure_way_out("BARE", set(lacking)).unwrap_err().code(), Code::Conflict, "{lacking:?}");
        }
    }

    #[test]
    fn feature_errors_are_reported_at_their_pointer() {
        let kinds = HashMap::from([("apps", FeatureKind::Limit), ("early_access", FeatureKind::Flag)]);
        let say = |code: &str, value: Value| FeatureValueInput {
            code: code.to_owned(),
            value: Some(Json(value)),
            limit: None,
            enabled: None,
            unlimited: None,
        };
        let mut errors = Vec::new();
        let values = features(&[say("apps", json!(3)), say("early_access", json!(true))], &kinds, &mut errors);
        assert_eq!((errors.len(), &values["apps"], &values["early_access"]), (0, &json!(3), &json!(true)));
        let input = [
            say("apps", json!(true)),
            say("no_such", json!(1)),
            say("early_access", json!(true)),
            say("early_access", json!(false)),
        ];
        features(&input, &kinds, &mut errors);
        let places: Vec<_> = errors.into_iter().map(|error| (error.pointer.unwrap(), error.code)).collect();
        let expected =
            [("/features/0/value", "KIND"), ("/features/1/code", "UNKNOWN_FEATURE"), ("/features/3/code", "TWICE")];
        assert_eq!(places, expected.map(|(place, code)| (place.to_owned(), code.to_owned())));
    }
}
