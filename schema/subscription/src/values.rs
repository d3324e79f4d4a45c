//! Values of features: input, stored form, output and comparison.
//!
//! A FLAG or a SCOPE is granted or not; a LIMIT is an integer or unlimited (docs/decisions/partners.md#tiers-are-data).
//! The stored form is true or false, a number, or `"unlimited"`. The output has `limit` for a LIMIT and `enabled` for
//! the other kinds; the field that does not apply is null. Only `unlimited` marks an unlimited LIMIT. `value` repeats
//! the field that applies, because clients generated from a contract cannot read a field of either type. The input
//! accepts either form, or both if they agree.

use labs_core::describe::{InputType, Json, OutputType};
use std::cmp::Ordering;

use labs_core::fault::FieldError;
use labs_core::words::words;
use serde_json::Value;

/// Largest limit that can be set; a larger one must be unlimited.
const LARGEST: i64 = 999_999_999_999;
/// Stored form of an unlimited LIMIT.
const UNLIMITED: &str = "unlimited";

words! {
    /// Kind of the feature.
    pub enum FeatureKind {
        /// Is granted or not.
        Flag = "FLAG",
        /// A number.
        Limit = "LIMIT",
        /// Allows the partner's users and machine clients to have a scope, if their role or allowed scopes include it.
        Scope = "SCOPE",
    }
}

words! {
    /// Whether a change increases or reduces a value.
    pub enum Effect {
        /// The value increases.
        Gain = "GAIN",
        /// The value decreases.
        Loss = "LOSS",
    }
}

/// Value of a feature.
#[derive(Clone, Debug, PartialEq, serde::Serialize, OutputType)]
pub struct FeatureValue {
    /// Value of `limit` or `enabled`, depending on the kind. Null for a `LIMIT` without a cap. Its type depends on the
    /// kind; typed clients read the other two fields.
    pub value: Option<Json<Value>>,
    /// Number of a `LIMIT`. Null for a limit without a cap, where `unlimited` is true, and for the other kinds.
    pub limit: Option<i64>,
    /// Whether a `FLAG` or a `SCOPE` is granted. Null for a `LIMIT`.
    pub enabled: Option<bool>,
    /// Whether a `LIMIT` has no cap. Always false for the other kinds.
    pub unlimited: bool,
}

/// New value of a feature: `limit` or `unlimited` for a `LIMIT`, `enabled` for a `FLAG` or a `SCOPE`. `value` can
/// replace `limit` or `enabled`, or accompany it if they agree. The service returns 422 if they disagree, or if none is
/// given.
#[derive(serde::Deserialize, InputType)]
pub struct FeatureValueInput {
    /// Code of the feature.
    pub(crate) code: String,
    /// Either form in one field. True or false for `FLAG` and `SCOPE`, a number for `LIMIT`.
    pub(crate) value: Option<Json<Value>>,
    /// Number of a `LIMIT`. Not allowed for other kinds. Null counts as omitted.
    pub(crate) limit: Option<i64>,
    /// Whether a `FLAG` or a `SCOPE` is granted. Not allowed for other kinds. Null counts as omitted.
    pub(crate) enabled: Option<bool>,
    /// True for a `LIMIT` without a cap.
    pub(crate) unlimited: Option<bool>,
}

/// Input of a feature value. Null and a missing field are equivalent.
#[derive(Clone, Copy, Debug, Default)]
pub struct ValueInput<'a> {
    /// Either of the next two fields.
    pub value: Option<&'a Value>,
    /// Number of a LIMIT.
    pub limit: Option<i64>,
    /// Whether a FLAG or SCOPE is granted.
    pub enabled: Option<bool>,
    /// Whether a LIMIT is unlimited.
    pub unlimited: Option<bool>,
}

impl Effect {
    /// Returns the effect of a change between two amounts; `None` if they are equal.
    pub const fn of(order: Ordering) -> Option<Self> {
        match order {
            Ordering::Less => Some(Self::Gain),
            Ordering::Greater => Some(Self::Loss),
            Ordering::Equal => None,
        }
    }
}

impl FeatureValue {
    /// Creates the output form from the stored form.
    pub fn of(kind: FeatureKind, kept: Value) -> Self {
        let is_limit = kind == FeatureKind::Limit;
        let unlimited = is_limit && !kept.is_number();
        let limit = if is_limit { kept.as_i64() } else { None };
        let enabled = if is_limit { None } else { kept.as_bool() };
        Self { value: (!unlimited).then_some(Json(kept)), limit, enabled, unlimited }
    }
}

impl FeatureValueInput {
    /// Returns the value fields without the code of the feature.
    pub fn to_input(&self) -> ValueInput<'_> {
        let value = self.value.as_ref().map(|value| &value.0);
        ValueInput { value, limit: self.limit, enabled: self.enabled, unlimited: self.unlimited }
    }
}

/// Parses an input value to its stored form. `pointer` names its place in the body.
///
/// # Errors
/// If the value does not match the kind of the feature or is contradictory; the error contains the place.
pub fn parse_value(kind: FeatureKind, said: &ValueInput<'_>, pointer: &str) -> Result<Value, FieldError> {
    let kept = if kind == FeatureKind::Limit { limit(said) } else { grant(said) };
    kept.map_err(|(place, code, message)| FieldError::at(format!("{pointer}/{place}"), code, message))
}

/// Place and code of an error, and how to fix it.
type ValueError = (&'static str, &'static str, &'static str);

/// Parses the number of a LIMIT, or that it is unlimited.
fn limit(said: &ValueInput<'_>) -> Result<Value, ValueError> {
    if said.enabled.is_some() {
        return Err(("enabled", "KIND", "This feature is a limit. Send a number as `limit`, and omit `enabled`."));
    }
    let (place, number) = match (said.value, said.limit) {
        (None, None) if said.unlimited == Some(true) => return Ok(Value::from(UNLIMITED)),
        (_, _) if said.unlimited == Some(true) => {
            return Err(("unlimited", "CONTRADICTION", "A limit has either a number or no cap. Omit one of the two."));
        }
        (Some(value), Some(limit)) if value.as_i64() != Some(limit) => {
            return Err(("limit", "CONTRADICTION", "`limit` and `value` contradict each other. Omit one of the two."));
        }
        (_, Some(limit)) => ("limit", Some(limit)),
        (value, None) => ("value", value.and_then(Value::as_i64)),
    };
    match number.filter(|number| (0..=LARGEST).contains(number)) {
        Some(number) => Ok(Value::from(number)),
        None => Err((
            place,
            "KIND",
            "This feature is a limit. Send a whole number from 0 to 999999999999 as `limit`, or `unlimited`: true \
             for no cap.",
        )),
    }
}

/// Parses whether a FLAG or a SCOPE is granted.
fn grant(said: &ValueInput<'_>) -> Result<Value, ValueError> {
    if said.unlimited == Some(true) {
        return Err(("unlimited", "NO_LIMIT", "Only a LIMIT can be without a cap. Send true or false as `enabled`."));
    }
    if said.limit.is_some() {
        let message = "This feature is either granted or not. Send true or false as `enabled`, and omit `limit`.";
        return Err(("limit", "KIND", message));
    }
    match (said.value, said.enabled) {
        (Some(value), Some(enabled)) if *value != Value::Bool(enabled) => {
            Err(("enabled", "CONTRADICTION", "`enabled` and `value` contradict each other. Omit one of the two."))
        }
        (_, Some(enabled)) => Ok(Value::Bool(enabled)),
        (Some(Value::Bool(granted)), None) => Ok(Value::Bool(*granted)),
        (..) => Err(("value", "KIND", "This feature is either granted or not. Send true or false as `enabled`.")),
    }
}

/// Returns the effect of a change between two stored values of a feature; `None` if they are equivalent.
pub fn effect(before: &Value, after: &Value) -> Option<Effect> {
    Effect::of(worth(before).cmp(&worth(after)))
}

/// Returns the number of a LIMIT; `None` if it is unlimited, and for other kinds.
pub fn cap(kept: &Value) -> Option<i64> {
    kept.as_i64()
}

/// Returns a number that orders the values of one feature.
fn worth(kept: &Value) -> i64 {
    match kept {
        Value::Bool(granted) => i64::from(*granted),
        Value::Number(number) => number.as_i64().unwrap_or(i64::MAX),
        _ => i64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn says(kind: FeatureKind, said: ValueInput<'_>) -> Result<Value, String> {
        parse_value(kind, &said, "/features/0").map_err(|error| format!("{} {}", error.pointer.unwrap(), error.code))
    }

    #[test]
    fn unlimited_limit_has_no_value_but_unlimited_flag() {
        let worth = |kind, kept| {
            let FeatureValue { value, limit, enabled, unlimited } = FeatureValue::of(kind, kept);
            (value.map(|value| value.0), limit, enabled, unlimited)
        };
        assert_eq!(worth(FeatureKind::Limit, json!("unlimited")), (None, None, None, true));
        assert_eq!(worth(FeatureKind::Limit, json!(3)), (Some(json!(3)), Some(3), None, false));
        assert_eq!(worth(FeatureKind::Flag, json!(false)), (Some(json!(false)), None, Some(false), false));
        assert_eq!(worth(FeatureKind::Scope, json!(true)), (Some(json!(true)), None, Some(true), false));
    }

    #[test]
    fn value_forms_round_trip() {
        let cells = [
            (FeatureKind::Limit, json!(0)),
            (FeatureKind::Limit, json!(20)),
            (FeatureKind::Limit, json!("unlimited")),
            (FeatureKind::Flag, json!(true)),
            (FeatureKind::Scope, json!(false)),
        ];
        for (kind, kept) in cells {
            let FeatureValue { value, limit, enabled, unlimited } = FeatureValue::of(kind, kept.clone());
            let value = value.map(|value| value.0);
            let whole = ValueInput { value: value.as_ref(), limit, enabled, unlimited: Some(unlimited) };
            let older = ValueInput { limit: None, enabled: None, ..whole };
            let typed = ValueInput { value: None, ..whole };
            for said in [whole, older, typed] {
                assert_eq!(says(kind, said), Ok(kept.clone()), "{said:?}");
            }
        }
    }

    #[test]
    fn value_of_wrong_kind_is_reported_at_its_pointer() {
        let none = ValueInput::default();
        let (yes, one, below, beyond) = (json!(true), json!(1), json!(-1), json!(1_000_000_000_000_i64));
        let cells = [
            (FeatureKind::Limit, ValueInput { value: Some(&yes), ..none }, "value KIND"),
            (FeatureKind::Limit, ValueInput { value: Some(&below), ..none }, "value KIND"),
            (FeatureKind::Limit, ValueInput { value: Some(&beyond), ..none }, "value KIND"),
            (FeatureKind::Limit, ValueInput { limit: Some(-1), ..none }, "limit KIND"),
            (FeatureKind::Limit, ValueInput { enabled: Some(true), ..none }, "enabled KIND"),
            (FeatureKind::Limit, none, "value KIND"),
            (FeatureKind::Limit, ValueInput { unlimited: Some(false), ..none }, "value KIND"),
            (FeatureKind::Flag, ValueInput { value: Some(&one), ..none }, "value KIND"),
            (FeatureKind::Flag, ValueInput { limit: Some(1), ..none }, "limit KIND"),
            (FeatureKind::Flag, none, "value KIND"),
            (FeatureKind::Scope, ValueInput { unlimited: Some(true), ..none }, "unlimited NO_LIMIT"),
        ];
        for (kind, said, refused) in cells {
            assert_eq!(says(kind, said), Err(format!("/features/0/{refused}")), "{kind:?} {said:?}");
        }
    }

    #[test]
    fn conflicting_value_forms_are_rejected() {
        let (one, yes, none) = (json!(1), json!(true), ValueInput::default());
        let cells = [
            (FeatureKind::Limit, ValueInput { value: Some(&one), limit: Some(2), ..none }, "limit"),
            (FeatureKind::Limit, ValueInput { value: Some(&yes), limit: Some(1), ..none }, "limit"),
            (FeatureKind::Limit, ValueInput { limit: Some(3), unlimited: Some(true), ..none }, "unlimited"),
            (FeatureKind::Limit, ValueInput { value: Some(&one), unlimited: Some(true), ..none }, "unlimited"),
            (FeatureKind::Flag, ValueInput { value: Some(&yes), enabled: Some(false), ..none }, "enabled"),
            (FeatureKind::Scope, ValueInput { value: Some(&one), enabled: Some(true), ..none }, "enabled"),
        ];
        for (kind, said, place) in cells {
            assert_eq!(says(kind, said), Err(format!("/features/0/{place} CONTRADICTION")), "{kind:?} {said:?}");
        }
    }

    #[test]
    fn unlimited_exceeds_any_number_and_granted_exceeds_denied() {
        assert_eq!(effect(&json!("unlimited"), &json!(i64::MAX - 1)), Some(Effect::Loss));
        assert_eq!(effect(&json!(3), &json!(20)), Some(Effect::Gain));
        assert_eq!(effect(&json!(true), &json!(false)), Some(Effect::Loss));
        assert_eq!(effect(&json!("unlimited"), &json!("unlimited")), None);
        assert_eq!((cap(&json!(3)), cap(&json!("unlimited")), cap(&json!(true))), (Some(3), None, None));
    }
}
