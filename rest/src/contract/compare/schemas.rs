//! Compares JSON Schemas (2020-12), as far as contracts use them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::operations::{entries, members};
use super::{Change, Comparison, ContractLocation, Direction};

/// Returns the target of a reference, and the name of the last component on the path to it. Any other value is returned
/// unchanged.
pub(super) fn resolve<'d>(document: &'d Value, value: &'d Value) -> (&'d Value, Option<&'d str>) {
    let (mut value, mut name) = (value, None);
    // Circular references are not followed.
    for _ in 0..16 {
        let Some(reference) = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) else { break };
        name = reference.rsplit('/').next();
        value = document.pointer(reference).unwrap_or(&Value::Null);
    }
    (value, name)
}

/// Returns the inner schema of a nullable schema, written as an alternative with null.
fn unwrap_nullable<'d>(document: &'d Value, schema: &'d Value) -> (&'d Value, Option<&'d str>, bool) {
    let (resolved, name) = resolve(document, schema);
    let alternatives: Vec<&Value> = entries(&resolved["oneOf"]).chain(entries(&resolved["anyOf"])).collect();
    let is_null = |alternative: &&Value| alternative["type"] == "null";
    let mut others = alternatives.iter().filter(|alternative| !is_null(alternative));
    match (others.next(), others.next()) {
        (Some(only), None) if alternatives.iter().any(is_null) => {
            let (inner, inner_name, _) = unwrap_nullable(document, only);
            (inner, inner_name.or(name), true)
        }
        _ => (resolved, name, false),
    }
}

/// Compares two schemas and their subschemas.
pub(super) fn compare(
    comparison: &mut Comparison<'_>,
    place: &mut ContractLocation<'_>,
    former: &Value,
    present: &Value,
) {
    let (before, former_name, was_nullable) = unwrap_nullable(comparison.former, former);
    let (now, present_name, is_nullable) = unwrap_nullable(comparison.present, present);
    let types = (types(before, was_nullable), types(now, is_nullable));
    compare_types(comparison, place, &types.0, &types.1);
    let mut at = std::mem::take(&mut place.at);
    if let Some(name) = present_name {
        let pair = (former_name.unwrap_or_default().to_owned(), name.to_owned(), place.direction);
        if !place.visited.insert(pair) {
            place.at = at;
            return;
        }
        at = format!("{name}:");
    }
    let mut inner =
        ContractLocation { operation: place.operation, direction: place.direction, at, visited: place.visited };
    compare_values(comparison, &inner, before, now);
    compare_bounds(comparison, &inner, before, now);
    compare_forms(comparison, &inner, before, now);
    compare_members(comparison, &mut inner, before, now);
    compare_alternatives(comparison, &mut inner, before, now);
    if before["items"].is_object() && now["items"].is_object() {
        compare(comparison, &mut inner.below("*"), &before["items"], &now["items"]);
    }
    place.at = inner.at;
}

fn types(schema: &Value, nullable: bool) -> BTreeSet<&str> {
    let named = schema["type"].as_str().into_iter().chain(entries(&schema["type"]).filter_map(Value::as_str));
    let mut types: BTreeSet<&str> = named.collect();
    if nullable && !types.is_empty() {
        types.insert("null");
    }
    types
}

/// Every integer is a number.
fn drop_integer<'t>(all: &BTreeSet<&'t str>, covered: &BTreeSet<&str>) -> Vec<&'t str> {
    let is_covered = |name: &str| covered.contains(name) || (name == "integer" && covered.contains("number"));
    all.iter().copied().filter(|name| !is_covered(name)).collect()
}

fn compare_types(
    comparison: &mut Comparison<'_>,
    place: &ContractLocation<'_>,
    before: &BTreeSet<&str>,
    now: &BTreeSet<&str>,
) {
    if before == now
        || (before.is_empty() && place.direction == Direction::Out)
        || (now.is_empty() && place.direction == Direction::In)
    {
        return;
    }
    let breaking = match place.direction {
        Direction::In => before.is_empty() || !drop_integer(before, now).is_empty(),
        Direction::Out => now.is_empty() || !drop_integer(now, before).is_empty(),
    };
    let say = |types: &BTreeSet<&str>| match types.iter().copied().collect::<Vec<_>>().join(" or ") {
        any if any.is_empty() => "anything".to_owned(),
        types => types,
    };
    comparison.note_at(
        place,
        Change::Changed,
        breaking,
        format!("The type changed from {} to {}.", say(before), say(now)),
    );
}

fn values(schema: &Value) -> Option<BTreeSet<String>> {
    let listed = schema["enum"].as_array().map(|all| all.iter().map(Value::to_string).collect());
    listed.or_else(|| schema.get("const").map(|only| BTreeSet::from([only.to_string()])))
}

fn compare_values(comparison: &mut Comparison<'_>, place: &ContractLocation<'_>, before: &Value, now: &Value) {
    match (values(before), values(now)) {
        (Some(before), Some(now)) => {
            for value in before.difference(&now) {
                comparison.note_at(place, Change::Removed, true, format!("The value {value} was removed."));
            }
            for value in now.difference(&before) {
                comparison.note_at(place, Change::Added, false, format!("The value {value} was added."));
            }
        }
        (None, Some(_)) => {
            let breaking = place.direction == Direction::In;
            comparison.note_at(place, Change::Changed, breaking, "Only the listed values are now allowed.");
        }
        (Some(_), None) => comparison.note_at(place, Change::Changed, false, "Any value is now allowed."),
        (None, None) => {}
    }
}

/// Bounds that are narrower if their value is smaller.
const UPPER: [&str; 5] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
/// Bounds that are narrower if their value is larger.
const LOWER: [&str; 5] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];

fn compare_bounds(comparison: &mut Comparison<'_>, place: &ContractLocation<'_>, before: &Value, now: &Value) {
    let bounds = UPPER.map(|key| (key, true)).into_iter().chain(LOWER.map(|key| (key, false)));
    for (key, is_upper) in bounds {
        let (former, present) = (before[key].as_f64(), now[key].as_f64());
        let is_narrower = match (former, present) {
            (None, Some(_)) => true,
            (Some(former), Some(present)) => {
                if is_upper {
                    present < former
                } else {
                    present > former
                }
            }
            _ => false,
        };
        if former == present {
            continue;
        }
        let say = |value: &Value| if value.is_null() { "nothing".to_owned() } else { value.to_string() };
        let text = format!("`{key}` changed from {} to {}.", say(&before[key]), say(&now[key]));
        comparison.note_at(place, Change::Changed, is_narrower && place.direction == Direction::In, text);
    }
}

fn compare_forms(comparison: &mut Comparison<'_>, place: &ContractLocation<'_>, before: &Value, now: &Value) {
    for key in ["pattern", "format", "multipleOf", "uniqueItems", "contentMediaType", "contentEncoding"] {
        let (former, present) = (&before[key], &now[key]);
        if former == present || (key == "uniqueItems" && *present == Value::Bool(false) && former.is_null()) {
            continue;
        }
        // For requests, values that were valid may not fit another format; for responses, another format is another
        // type.
        let breaking = match place.direction {
            Direction::In => !present.is_null() && *present != Value::Bool(false),
            Direction::Out => key == "format" || key.starts_with("content"),
        };
        let say = |value: &Value| if value.is_null() { "not set".to_owned() } else { value.to_string() };
        let text = format!("`{key}` changed from {} to {}.", say(former), say(present));
        comparison.note_at(place, Change::Changed, breaking, text);
    }
    if before["default"] != now["default"] {
        let text = format!("The default changed from {} to {}.", before["default"], now["default"]);
        comparison.note_at(place, Change::Changed, false, text);
    }
}

/// The members of an object, including those from all of its parts, and which of them are required.
struct Object<'d> {
    members: BTreeMap<&'d str, &'d Value>,
    required: BTreeSet<&'d str>,
    is_closed: bool,
    others: Option<&'d Value>,
}

fn object<'d>(document: &'d Value, schema: &'d Value) -> Object<'d> {
    let mut object = Object {
        members: members(&schema["properties"]).map(|(name, member)| (name.as_str(), member)).collect(),
        required: entries(&schema["required"]).filter_map(Value::as_str).collect(),
        is_closed: schema["additionalProperties"] == Value::Bool(false),
        others: schema.get("additionalProperties").filter(|others| others.is_object()),
    };
    for part in entries(&schema["allOf"]) {
        let part = self::object(document, resolve(document, part).0);
        object.members.extend(part.members);
        object.required.extend(part.required);
        object.is_closed |= part.is_closed;
        object.others = object.others.or(part.others);
    }
    object
}

fn compare_members(comparison: &mut Comparison<'_>, place: &mut ContractLocation<'_>, before: &Value, now: &Value) {
    let (former, present) = (object(comparison.former, before), object(comparison.present, now));
    for (name, member) in &former.members {
        let Some(member_now) = present.members.get(name) else {
            comparison.note_at(&place.below(name), Change::Removed, true, format!("`{name}` was removed."));
            continue;
        };
        let was = former.required.contains(name);
        let below = place.below(name);
        match (was, present.required.contains(name), below.direction) {
            (false, true, direction) => {
                comparison.note_at(
                    &below,
                    Change::Changed,
                    direction == Direction::In,
                    format!("`{name}` is now always present."),
                );
            }
            (true, false, direction) => {
                comparison.note_at(
                    &below,
                    Change::Changed,
                    direction == Direction::Out,
                    format!("`{name}` can now be absent."),
                );
            }
            _ => {}
        }
        compare(comparison, &mut place.below(name), member, member_now);
    }
    for name in present.members.keys().filter(|name| !former.members.contains_key(*name)) {
        let breaking = place.direction == Direction::In && present.required.contains(name);
        comparison.note_at(&place.below(name), Change::Added, breaking, format!("`{name}` was added."));
    }
    if former.is_closed != present.is_closed {
        let breaking = present.is_closed && place.direction == Direction::In;
        let text = if present.is_closed { "Other members are now rejected." } else { "Other members are now allowed." };
        comparison.note_at(place, Change::Changed, breaking, text);
    }
    if let (Some(before), Some(now)) = (former.others, present.others) {
        compare(comparison, &mut place.below("*"), before, now);
    }
}

/// Returns the alternatives of a schema by the names of their references, or by position.
fn alternatives<'d>(schema: &'d Value, key: &str) -> BTreeMap<String, &'d Value> {
    let listed = entries(&schema[key]).enumerate();
    let named = listed.map(|(place, alternative)| {
        let name = alternative["$ref"].as_str().and_then(|reference| reference.rsplit('/').next());
        (name.map_or_else(|| place.to_string(), str::to_owned), alternative)
    });
    named.collect()
}

fn compare_alternatives(
    comparison: &mut Comparison<'_>,
    place: &mut ContractLocation<'_>,
    before: &Value,
    now: &Value,
) {
    for key in ["oneOf", "anyOf"] {
        let (former, present) = (alternatives(before, key), alternatives(now, key));
        for (name, alternative) in &former {
            match present.get(name) {
                Some(now) => compare(comparison, &mut place.below(name), alternative, now),
                None => {
                    comparison.note_at(place, Change::Removed, true, format!("The alternative {name} was removed."));
                }
            }
        }
        // A client of a former single shape cannot handle alternatives.
        let is_first = former.is_empty() && place.direction == Direction::Out;
        for name in present.keys().filter(|name| !former.contains_key(*name)) {
            comparison.note_at(place, Change::Added, is_first, format!("The alternative {name} was added."));
        }
    }
}
