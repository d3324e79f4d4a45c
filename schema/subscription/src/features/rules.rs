//! Rules on the fields of a feature.

use labs_core::fault::{Fault, FieldError};
use labs_core::scope::Scope;
use serde_json::Value;

use crate::values::{FeatureKind, ValueInput, parse_value};

/// Validates and normalises the name.
pub(super) fn name(text: &str, errors: &mut Vec<FieldError>) -> String {
    let name = text.trim();
    if name.is_empty() {
        errors.push(FieldError::at("/name", "LENGTH", "Send a name of 1 to 80 characters."));
    }
    name.to_owned()
}

/// Checks that a feature of this kind can grant this scope. A staff scope is never allowed.
pub(super) fn scope(kind: FeatureKind, input: Option<&str>, errors: &mut Vec<FieldError>) {
    let error = match (kind, input) {
        (FeatureKind::Scope, None) => ("REQUIRED", "A SCOPE feature must name the scope that it grants."),
        (FeatureKind::Scope, Some(name)) => match Scope::parse(name) {
            None => ("UNKNOWN_SCOPE", "This scope does not exist. GET /v1/admin/scopes lists all scopes."),
            Some(scope) if scope.is_admin() => {
                ("SCOPE_OF_STAFF", "A tier cannot grant a scope under labs.admin. Name a scope of partners.")
            }
            Some(_) => return,
        },
        (_, Some(_)) => ("NO_SCOPE", "Only a SCOPE feature grants a scope. Omit `scope`."),
        (_, None) => return,
    };
    errors.push(FieldError::at("/scope", error.0, error.1));
}

/// Validates and normalises the unit of a limit.
pub(super) fn unit(kind: FeatureKind, input: Option<&str>, errors: &mut Vec<FieldError>) -> Option<String> {
    let unit = input.map(str::trim).filter(|unit| !unit.is_empty())?;
    if kind != FeatureKind::Limit {
        errors.push(FieldError::at("/unit", "NO_LIMIT", "Only a LIMIT feature has a unit. Omit `unit`."));
    }
    Some(unit.to_owned())
}

/// Largest number of features. The limit exists because each tier lists all of them in one response.
const MOST: i64 = 200;

/// Checks the number of features.
pub(super) fn ensure_few_features(number: i64) -> Result<(), Fault> {
    if number <= MOST {
        return Ok(());
    }
    Err(Fault::conflict(format!("There are {MOST} features, which is the maximum. Change one of them instead.")))
}

/// Validates the default value of a feature.
pub(super) fn default_value(kind: FeatureKind, input: &ValueInput<'_>, errors: &mut Vec<FieldError>) -> Option<Value> {
    let place = |mut error: FieldError| {
        error.pointer = error.pointer.map(|pointer| pointer.replacen('/', "/default_", 1));
        error
    };
    parse_value(kind, input, "").map_err(|error| errors.push(place(error))).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(judge: impl FnOnce(&mut Vec<FieldError>)) -> Vec<(String, String)> {
        let mut errors = Vec::new();
        judge(&mut errors);
        errors.into_iter().map(|error| (error.pointer.unwrap(), error.code)).collect()
    }

    #[test]
    fn scope_feature_needs_a_partner_scope() {
        let judged = |kind, input| places(|errors| scope(kind, input, errors));
        assert!(judged(FeatureKind::Scope, Some("statistics:write")).is_empty());
        assert!(judged(FeatureKind::Flag, None).is_empty());
        for (kind, input, code) in [
            (FeatureKind::Scope, None, "REQUIRED"),
            (FeatureKind::Scope, Some("coffee"), "UNKNOWN_SCOPE"),
            (FeatureKind::Scope, Some("labs.admin"), "SCOPE_OF_STAFF"),
            (FeatureKind::Scope, Some("labs.admin.tiers:write"), "SCOPE_OF_STAFF"),
            (FeatureKind::Flag, Some("statistics"), "NO_SCOPE"),
            (FeatureKind::Limit, Some("statistics"), "NO_SCOPE"),
        ] {
            assert_eq!(judged(kind, input), [("/scope".to_owned(), code.to_owned())], "{kind:?} {input:?}");
        }
    }

    #[test]
    fn invalid_default_is_reported_at_its_pointer() {
        let judged = |kind, input: Option<Value>, unlimited| {
            let input = ValueInput { value: input.as_ref(), unlimited, ..ValueInput::default() };
            places(|errors| drop(default_value(kind, &input, errors)))
        };
        assert!(judged(FeatureKind::Limit, None, Some(true)).is_empty());
        assert_eq!(judged(FeatureKind::Limit, Some(json!("x")), None)[0].0, "/default_value");
        assert_eq!(judged(FeatureKind::Flag, None, Some(true))[0].0, "/default_unlimited");
    }

    #[test]
    fn only_limit_feature_has_a_unit() {
        assert!(places(|errors| drop(unit(FeatureKind::Limit, Some("apps"), errors))).is_empty());
        assert!(places(|errors| drop(unit(FeatureKind::Flag, Some(" "), errors))).is_empty());
        assert_eq!(places(|errors| drop(unit(FeatureKind::Flag, Some("apps"), errors)))[0].1, "NO_LIMIT");
    }
}
