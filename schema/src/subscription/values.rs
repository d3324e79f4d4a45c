//! What a feature is worth: how a value is said, kept, shown and compared.
//!
//! A FLAG and a SCOPE are granted or not, a LIMIT is a whole number or has no cap (specification: decisions, Tiers).
//! Kept is true or false, a number, or `"unlimited"`; shown and said is a value, which is null for a limit without a
//! cap, beside `unlimited`.

use std::cmp::Ordering;

use async_graphql::{Enum, InputObject, Json, SimpleObject};
use serde_json::Value;

use crate::fault::FieldError;

/// The largest limit that can be set; beyond it one says that there is none.
const LARGEST: i64 = 999_999_999_999;
/// A limit without a cap, as it is kept.
const UNLIMITED: &str = "unlimited";

/// The kinds of feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum FeatureKind {
    /// It is there or not.
    Flag,
    /// A number, or no cap.
    Limit,
    /// It lets a partner's people and programs hold a scope.
    Scope,
}

/// Whether a change gives or takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Effect {
    /// There is more of it.
    Gain,
    /// There is less of it.
    Loss,
}

/// What a feature is worth somewhere.
#[derive(Clone, Debug, PartialEq, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct FeatureValue {
    /// True or false, or a number; null for a limit without a cap.
    value: Option<Json<Value>>,
    /// Whether a limit has no cap.
    unlimited: bool,
}

/// What a feature is to be worth in a tier.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct FeatureValueInput {
    /// The feature.
    pub(crate) code: String,
    /// True or false, or a number.
    pub(crate) value: Option<Json<Value>>,
    /// Whether a limit has no cap.
    pub(crate) unlimited: Option<bool>,
}

impl Effect {
    /// What going from one amount to another does; `None` when they are the same.
    pub(crate) const fn of(order: Ordering) -> Option<Self> {
        match order {
            Ordering::Less => Some(Self::Gain),
            Ordering::Greater => Some(Self::Loss),
            Ordering::Equal => None,
        }
    }
}

impl FeatureKind {
    /// Reads the column's value.
    pub(crate) fn of(text: &str) -> Self {
        match text {
            "FLAG" => Self::Flag,
            "LIMIT" => Self::Limit,
            _ => Self::Scope,
        }
    }

    /// The column's value.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Flag => "FLAG",
            Self::Limit => "LIMIT",
            Self::Scope => "SCOPE",
        }
    }
}

impl FeatureValue {
    /// A value as it is kept.
    pub(crate) fn of(kind: FeatureKind, kept: Value) -> Self {
        let (value, unlimited) = shown(kind, kept);
        Self { value: value.map(Json), unlimited }
    }
}

/// A feature's value as it is shown, and whether it is a limit without a cap.
pub(crate) fn shown(kind: FeatureKind, kept: Value) -> (Option<Value>, bool) {
    let is_unlimited = kind == FeatureKind::Limit && !kept.is_number();
    ((!is_unlimited).then_some(kept), is_unlimited)
}

/// What is said, as it is kept. `pointer` names the place in the body that says it.
///
/// # Errors
/// What does not suit the kind of the feature, with the place.
pub(crate) fn kept(
    kind: FeatureKind,
    said: Option<&Value>,
    unlimited: Option<bool>,
    pointer: &str,
) -> Result<Value, FieldError> {
    let at = |place: &str, code: &str, message: &str| Err(FieldError::at(format!("{pointer}/{place}"), code, message));
    match (kind, said, unlimited == Some(true)) {
        (FeatureKind::Limit, None, true) => Ok(Value::from(UNLIMITED)),
        (FeatureKind::Limit, Some(_), true) => {
            at("unlimited", "CONTRADICTION", "A limit has a number or no cap. Leave out one of the two.")
        }
        (FeatureKind::Flag | FeatureKind::Scope, _, true) => {
            at("unlimited", "NO_LIMIT", "Only a LIMIT can be without a cap. Say true or false as `value`.")
        }
        (FeatureKind::Flag | FeatureKind::Scope, Some(value @ Value::Bool(_)), false) => Ok(value.clone()),
        (FeatureKind::Flag | FeatureKind::Scope, ..) => {
            at("value", "KIND", "This feature is granted or not. Say true or false.")
        }
        (FeatureKind::Limit, Some(value), false) if is_whole(value) => Ok(value.clone()),
        (FeatureKind::Limit, ..) => at(
            "value",
            "KIND",
            "This feature is a limit. Say a whole number from 0 to 999999999999, or `unlimited`: true for no cap.",
        ),
    }
}

/// What going from one kept value of a feature to another does; `None` when they are worth the same.
pub(crate) fn effect(before: &Value, after: &Value) -> Option<Effect> {
    Effect::of(worth(before).cmp(&worth(after)))
}

/// How much of a limit there is; `None` for no cap, and for what is no limit.
pub(crate) fn cap(kept: &Value) -> Option<i64> {
    kept.as_i64()
}

/// A number that orders the values of one feature.
fn worth(kept: &Value) -> i64 {
    match kept {
        Value::Bool(granted) => i64::from(*granted),
        Value::Number(number) => number.as_i64().unwrap_or(i64::MAX),
        _ => i64::MAX,
    }
}

fn is_whole(value: &Value) -> bool {
    value.as_i64().is_some_and(|number| (0..=LARGEST).contains(&number))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_limit_without_a_cap_has_no_value_and_says_so() {
        assert_eq!(shown(FeatureKind::Limit, json!("unlimited")), (None, true));
        assert_eq!(shown(FeatureKind::Limit, json!(3)), (Some(json!(3)), false));
        assert_eq!(shown(FeatureKind::Flag, json!(false)), (Some(json!(false)), false));
    }

    #[test]
    fn what_is_said_is_kept_as_it_is_shown() {
        let cells = [
            (FeatureKind::Limit, json!(0)),
            (FeatureKind::Limit, json!(20)),
            (FeatureKind::Limit, json!("unlimited")),
            (FeatureKind::Flag, json!(true)),
            (FeatureKind::Scope, json!(false)),
        ];
        for (kind, value) in cells {
            let (said, unlimited) = shown(kind, value.clone());
            assert_eq!(kept(kind, said.as_ref(), Some(unlimited), ""), Ok(value));
        }
    }

    #[test]
    fn a_value_that_does_not_suit_the_kind_is_named_by_its_place() {
        let cells = [
            (FeatureKind::Limit, Some(json!(true)), None, "/value"),
            (FeatureKind::Limit, Some(json!(-1)), None, "/value"),
            (FeatureKind::Limit, Some(json!(1_000_000_000_000_i64)), None, "/value"),
            (FeatureKind::Limit, None, None, "/value"),
            (FeatureKind::Limit, None, Some(false), "/value"),
            (FeatureKind::Limit, Some(json!(3)), Some(true), "/unlimited"),
            (FeatureKind::Flag, Some(json!(1)), None, "/value"),
            (FeatureKind::Flag, None, None, "/value"),
            (FeatureKind::Scope, None, Some(true), "/unlimited"),
        ];
        for (kind, said, unlimited, place) in cells {
            let refused = kept(kind, said.as_ref(), unlimited, "/features/0").unwrap_err();
            assert_eq!(refused.pointer.unwrap(), format!("/features/0{place}"), "{kind:?} {said:?} {unlimited:?}");
        }
    }

    #[test]
    fn no_cap_is_more_than_any_number_and_granted_more_than_not() {
        assert_eq!(effect(&json!("unlimited"), &json!(i64::MAX - 1)), Some(Effect::Loss));
        assert_eq!(effect(&json!(3), &json!(20)), Some(Effect::Gain));
        assert_eq!(effect(&json!(true), &json!(false)), Some(Effect::Loss));
        assert_eq!(effect(&json!("unlimited"), &json!("unlimited")), None);
        assert_eq!((cap(&json!(3)), cap(&json!("unlimited")), cap(&json!(true))), (Some(3), None, None));
    }
}
