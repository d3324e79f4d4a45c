//! Adds a message to each pattern (`x-message`), which error responses contain instead of a regular expression. Each
//! pattern has its message once, in `contract/patterns.yaml`.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::contract::problem::Problem;

/// File with the messages.
const FILE: &str = "contract/patterns.yaml";

/// Adds the message of each pattern to the document. A pattern without a message, and a message without a pattern, is a
/// problem.
pub(super) fn explain(document: &mut Value, sentences: &Map<String, Value>, problems: &mut Vec<Problem>) {
    let mut found = BTreeSet::new();
    walk(document, sentences, &mut found);
    let known: BTreeSet<&String> = sentences.keys().collect();
    for pattern in found.iter().filter(|pattern| !known.contains(pattern)) {
        problems.push(Problem::new(FILE, pattern, "this pattern has no message that says what to send"));
    }
    for pattern in known.into_iter().filter(|pattern| !found.contains(*pattern)) {
        problems.push(Problem::new(FILE, pattern, "no schema uses this pattern"));
    }
}

fn walk(value: &mut Value, sentences: &Map<String, Value>, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            if let Some(pattern) = map.get("pattern").and_then(Value::as_str).map(str::to_owned) {
                if let Some(sentence) = sentences.get(&pattern) {
                    let place = map.keys().position(|key| key == "pattern").map_or(map.len(), |place| place + 1);
                    map.shift_insert(place, "x-message".to_owned(), sentence.clone());
                }
                found.insert(pattern);
            }
            for (key, value) in map {
                if !matches!(key.as_str(), "example" | "examples" | "default" | "const" | "enum") {
                    walk(value, sentences, found);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, sentences, found)),
        _ => {}
    }
}
