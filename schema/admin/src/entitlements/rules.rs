//! Rules for the content of an override.

use labs_core::fault::{Fault, FieldError};
use labs_core::time::Time;
use serde_json::Value;

use labs_subscription::values::{FeatureKind, ValueInput, parse_value};

/// Checks a new override and returns its value as it is stored.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] if the value does not fit the feature, or the end is in the past.
pub(super) fn check_override(
    kind: FeatureKind,
    input: &ValueInput<'_>,
    (expires_at, moment): (Time, Time),
) -> Result<Value, Fault> {
    let mut errors = Vec::new();
    let value = parse_value(kind, input, "").map_err(|error| errors.push(error)).ok();
    if expires_at <= moment {
        errors.push(FieldError::at("/expires_at", "PAST", "An override must end in the future. Send a later time."));
    }
    value.filter(|_| errors.is_empty()).ok_or_else(|| Fault::invalid(errors))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn override_must_fit_feature_and_end_in_future() {
        let at = |seconds| Time(jiff::Timestamp::UNIX_EPOCH).plus_seconds(seconds);
        assert_eq!(
            check_override(FeatureKind::Limit, &ValueInput { limit: Some(9), ..ValueInput::default() }, (at(2), at(1)))
                .unwrap(),
            json!(9)
        );
        assert_eq!(
            check_override(
                FeatureKind::Limit,
                &ValueInput { unlimited: Some(true), ..ValueInput::default() },
                (at(2), at(1))
            )
            .unwrap(),
            json!("unlimited")
        );
        let refused = check_override(
            FeatureKind::Flag,
            &ValueInput { value: Some(&json!(9)), ..ValueInput::default() },
            (at(1), at(1)),
        )
        .unwrap_err();
        let places: Vec<_> = refused.errors().iter().map(|error| error.pointer.clone().unwrap()).collect();
        assert_eq!(places, ["/value", "/expires_at"]);
    }
}
