//! Rules for the elements that can be deprecated and for the sunset.

use jiff::ToSpan as _;
use jiff::tz::TimeZone;
use labs_core::deprecation::DeprecationTarget;
use labs_core::fault::FieldError;
use labs_core::surface::Surface;
use labs_core::time::Time;

/// Minimum number of months between deprecation and sunset (deprecation rule of the specification).
const LEAST_MONTHS: i32 = 6;

/// Contract element as the caller names it.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    pub(super) operation_id: Option<String>,
    pub(super) parameter: Option<String>,
    pub(super) schema: Option<String>,
    pub(super) field: Option<String>,
    pub(super) value: Option<String>,
}

/// Resolves the named element in the contract. Adds every objection to `errors`.
pub(super) fn target(named: Named, surface: &Surface, errors: &mut Vec<FieldError>) -> Option<DeprecationTarget> {
    let mut refuse = |pointer: &str, code: &str, message: String| {
        errors.push(FieldError::at(pointer, code, message));
        None
    };
    let Named { operation_id, parameter, schema, field, value } = named;
    match (operation_id, parameter, schema, field) {
        (Some(id), None, None, None) => match (surface.operations.contains_key(&id), value) {
            (false, _) => refuse("/operation_id", "UNKNOWN_OPERATION", unknown_operation(&id)),
            (true, Some(_)) => refuse(
                "/value",
                "NO_FIELD",
                "`value` is a value of a parameter or a field. Name the parameter or the field too.".to_owned(),
            ),
            (true, None) => Some(DeprecationTarget::Operation(id)),
        },
        (Some(operation_id), Some(name), None, None) => {
            let Some(parameters) = surface.operations.get(&operation_id) else {
                return refuse("/operation_id", "UNKNOWN_OPERATION", unknown_operation(&operation_id));
            };
            let Some(values) = parameters.get(&name) else {
                let message =
                    format!("{operation_id} has no such query or header parameter. {}", one_of(parameters.keys()));
                return refuse("/parameter", "UNKNOWN_PARAMETER", message);
            };
            match value {
                Some(value) if !values.contains(&value) => refuse("/value", "UNKNOWN_VALUE", one_of(values)),
                value => Some(DeprecationTarget::Parameter { operation_id, name, value }),
            }
        }
        (None, None, Some(schema), Some(name)) => {
            let Some(known) = surface.fields.get(&(schema.clone(), name.clone())) else {
                let of_schema = surface.fields.keys().filter(|(known, _)| *known == schema).map(|(_, field)| field);
                let message = format!("The contract has no such field in this schema. {}", one_of(of_schema));
                return refuse("/field", "UNKNOWN_FIELD", message);
            };
            match value {
                Some(value) if !known.values.contains(&value) => {
                    refuse("/value", "UNKNOWN_VALUE", one_of(&known.values))
                }
                value => Some(DeprecationTarget::Field { schema, name, value }),
            }
        }
        _ => {
            let message = "Send `operation_id` alone or with `parameter`, or send `schema` with `field`. Add `value` \
                           to deprecate one value of the parameter or field.";
            refuse("/operation_id", "AMBIGUOUS", message.to_owned())
        }
    }
}

/// Rejects a replacement that is not an operation or is itself deprecated.
pub(super) fn replacement(
    named: Option<&str>,
    target: Option<&DeprecationTarget>,
    surface: &Surface,
    errors: &mut Vec<FieldError>,
) {
    let Some(named) = named else { return };
    let pointer = "/replacement_operation_id";
    if !surface.operations.contains_key(named) {
        errors.push(FieldError::at(pointer, "UNKNOWN_OPERATION", unknown_operation(named)));
    }
    if matches!(target, Some(DeprecationTarget::Operation(id)) if id == named) {
        errors.push(FieldError::at(
            pointer,
            "ITSELF",
            "This is the operation that you deprecate. Name another operation.",
        ));
    }
}

/// Rejects a sunset that leaves callers less than six months.
pub(super) fn sunset(sunset_at: Time, now: Time, errors: &mut Vec<FieldError>) {
    let earliest = now.0.to_zoned(TimeZone::UTC).saturating_add(LEAST_MONTHS.months()).timestamp();
    if sunset_at.0 < earliest {
        let message = format!("Callers need six months of notice. Send {earliest:.0} or a later time.");
        errors.push(FieldError::at("/sunset_at", "TOO_SOON", message));
    }
}

fn unknown_operation(id: &str) -> String {
    format!("The contract has no operation {id}. The reference lists all operations.")
}

fn one_of<'a>(known: impl IntoIterator<Item = &'a String>) -> String {
    let known: Vec<&str> = known.into_iter().map(String::as_str).take(50).collect();
    if known.is_empty() {
        "There are no allowed values.".to_owned()
    } else {
        format!("Send one of {}.", known.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use labs_core::surface::SurfaceField;

    fn surface() -> Surface {
        let set = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<BTreeSet<_>>();
        let parameters = BTreeMap::from([("q".to_owned(), set(&[])), ("sort".to_owned(), set(&["name", "-name"]))]);
        let field =
            SurfaceField { values: set(&["A", "B"]), answered_by: set(&["apps_list"]), ..SurfaceField::default() };
        Surface {
            operations: BTreeMap::from([
                ("apps_list".to_owned(), parameters),
                ("apps_get".to_owned(), BTreeMap::new()),
            ]),
            fields: BTreeMap::from([(("App".to_owned(), "state".to_owned()), field)]),
        }
    }

    fn verdict(named: [Option<&str>; 5]) -> Result<String, String> {
        let [operation_id, parameter, schema, field, value] = named.map(|name| name.map(str::to_owned));
        let mut errors = Vec::new();
        let found = target(Named { operation_id, parameter, schema, field, value }, &surface(), &mut errors);
        let told = errors.first().map(|error| format!("{} {}", error.pointer.clone().unwrap_or_default(), error.code));
        found.map(|target| target.describe()).ok_or_else(|| told.unwrap_or_default())
    }

    #[test]
    fn deprecation_target_must_exist_in_contract() {
        let good = |text: &str| Ok(text.to_owned());
        let bad = |text: &str| Err(text.to_owned());
        let table = [
            ([Some("apps_list"), None, None, None, None], good("operation `apps_list`")),
            ([Some("apps_list"), Some("q"), None, None, None], good("parameter `q` of `apps_list`")),
            (
                [Some("apps_list"), Some("sort"), None, None, Some("-name")],
                good("value `-name` of the parameter `sort` of `apps_list`"),
            ),
            ([None, None, Some("App"), Some("state"), None], good("field `state` of `App`")),
            ([None, None, Some("App"), Some("state"), Some("B")], good("value `B` of the field `state` of `App`")),
            ([None, None, None, None, None], bad("/operation_id AMBIGUOUS")),
            ([Some("apps_list"), None, Some("App"), None, None], bad("/operation_id AMBIGUOUS")),
            ([None, None, Some("App"), None, None], bad("/operation_id AMBIGUOUS")),
            ([Some("apps_drop"), None, None, None, None], bad("/operation_id UNKNOWN_OPERATION")),
            ([Some("apps_list"), None, None, None, Some("x")], bad("/value NO_FIELD")),
            ([Some("apps_get"), Some("q"), None, None, None], bad("/parameter UNKNOWN_PARAMETER")),
            ([Some("apps_list"), Some("sort"), None, None, Some("x")], bad("/value UNKNOWN_VALUE")),
            ([None, None, Some("App"), Some("name"), None], bad("/field UNKNOWN_FIELD")),
            ([None, None, Some("App"), Some("state"), Some("C")], bad("/value UNKNOWN_VALUE")),
        ];
        for (named, expected) in table {
            assert_eq!(verdict(named), expected, "{named:?}");
        }
    }

    #[test]
    fn sunset_is_at_least_six_calendar_months_away() {
        let found = |sunset_at: &str| {
            let mut errors = Vec::new();
            sunset(sunset_at.parse().unwrap(), "2026-08-31T12:00:00Z".parse().unwrap(), &mut errors);
            errors.len()
        };
        assert_eq!(
            [found("2027-02-28T11:59:59Z"), found("2027-02-28T12:00:00Z"), found("2030-01-01T00:00:00Z")],
            [1, 0, 0]
        );
    }

    #[test]
    fn replacement_must_be_another_operation() {
        let found = |named| {
            let (target, mut errors) = (DeprecationTarget::Operation("apps_list".to_owned()), Vec::new());
            replacement(named, Some(&target), &surface(), &mut errors);
            errors.into_iter().map(|error| error.code).collect::<Vec<_>>()
        };
        assert!(found(None).is_empty() && found(Some("apps_get")).is_empty());
        assert_eq!(
            (found(Some("apps_list")), found(Some("x"))),
            (vec!["ITSELF".into()], vec!["UNKNOWN_OPERATION".into()])
        );
    }
}
