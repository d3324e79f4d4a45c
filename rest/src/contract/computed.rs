//! Parts of a response that change without an edit: counts, expected dates, allowed next actions (`x-computed` in the
//! contract). An entity tag contains a hash of the editable fields and a hash of the whole response: `If-Match`
//! compares the first, `If-None-Match` the second. A resource that is read only in lists returns the first hash itself,
//! as its `revision` (`x-revision` in the contract).

use std::collections::BTreeSet;

use serde_json::Value;

use super::resolve;

/// Maximum depth of the search for members.
const DEEPEST: usize = 6;

/// Member that contains the hash of the editable fields.
const REVISION: &str = "revision";

/// The computed members of a response, each by the names on its path; lists on the path have no name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Computed {
    members: BTreeSet<Vec<String>>,
    /// Whether the response contains its revision.
    tells_revision: bool,
}

impl Computed {
    /// Returns the computed members of a response with this schema.
    pub(super) fn of(document: &Value, schema: &Value) -> Self {
        let mut members = BTreeSet::new();
        walk(document, schema, &mut Vec::new(), &mut members);
        let own = resolve(document, schema).get("properties").and_then(|properties| properties.get(REVISION));
        let tells_revision = own.is_some_and(|member| resolve(document, member).get("x-revision").is_some());
        Self { members, tells_revision }
    }

    /// Whether no member is computed: then the whole response is editable.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the revision in a response, if it contains one.
    pub fn revision_of(&self, body: &[u8]) -> Option<String> {
        if !self.tells_revision {
            return None;
        }
        let value = serde_json::from_slice::<Value>(body).ok()?;
        Some(value.get(REVISION)?.as_str()?.to_owned())
    }

    /// Returns the editable part of a response. Bytes that are not JSON are returned unchanged.
    pub fn remove_computed(&self, body: &[u8]) -> Vec<u8> {
        let Ok(mut value) = serde_json::from_slice::<Value>(body) else { return body.to_vec() };
        for path in &self.members {
            remove(&mut value, path);
        }
        value.to_string().into_bytes()
    }
}

fn walk(document: &Value, schema: &Value, path: &mut Vec<String>, found: &mut BTreeSet<Vec<String>>) {
    if path.len() > DEEPEST {
        return;
    }
    let resolved = resolve(document, schema);
    for (name, member) in resolved.get("properties").and_then(Value::as_object).into_iter().flatten() {
        path.push(name.clone());
        if is_computed(member) || is_computed(resolve(document, member)) {
            found.insert(path.clone());
        } else {
            walk(document, member, path, found);
        }
        path.pop();
    }
    let alternatives =
        ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|word| resolved.get(word)?.as_array()).flatten();
    for inner in alternatives.chain(resolved.get("items")) {
        walk(document, inner, path, found);
    }
}

fn is_computed(schema: &Value) -> bool {
    schema.get("x-computed").and_then(Value::as_bool) == Some(true)
}

fn remove(value: &mut Value, path: &[String]) {
    match (value, path) {
        (Value::Array(items), _) => items.iter_mut().for_each(|item| remove(item, path)),
        (Value::Object(members), [name]) => {
            members.shift_remove(name);
        }
        (Value::Object(members), [name, rest @ ..]) => {
            if let Some(member) = members.get_mut(name) {
                remove(member, rest);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn computed_members_are_omitted_at_any_depth() {
        let document = json!({ "components": { "schemas": {
            "Actions": { "type": "array", "x-computed": true },
            "Thing": { "properties": {
                "name": { "type": "string" },
                "allowed_actions": { "$ref": "#/components/schemas/Actions" },
                "count": { "type": "integer", "x-computed": true },
                "parts": { "type": "array", "items": { "$ref": "#/components/schemas/Part" } },
                "best": { "oneOf": [{ "$ref": "#/components/schemas/Part" }, { "type": "null" }] },
            } },
            "Part": { "properties": { "label": {}, "used_at": { "x-computed": true } } },
        } } });
        let computed = Computed::of(&document, &json!({ "$ref": "#/components/schemas/Thing" }));
        let body = json!({
            "name": "a", "allowed_actions": ["archive"], "count": 3,
            "parts": [{ "label": "b", "used_at": 1 }], "best": { "label": "c", "used_at": 2 },
        });
        let left = computed.remove_computed(body.to_string().as_bytes());
        let expected = json!({ "name": "a", "parts": [{ "label": "b" }], "best": { "label": "c" } });
        assert_eq!(serde_json::from_slice::<Value>(&left).unwrap(), expected);
        assert!(Computed::of(&document, &json!({ "type": "object" })).is_empty());
    }

    #[test]
    fn revision_is_found_if_contract_declares_it() {
        let of = |marked: Value| {
            let document = json!({ "components": { "schemas": { "Revision": marked } } });
            let schema = json!({ "properties": { "revision": { "$ref": "#/components/schemas/Revision" } } });
            Computed::of(&document, &schema).revision_of(br#"{"revision":"0a1b","name":"a"}"#)
        };
        assert_eq!(of(json!({ "type": "string", "x-revision": true })).as_deref(), Some("0a1b"));
        assert_eq!(of(json!({ "type": "string" })), None, "a word like any other");
    }
}
