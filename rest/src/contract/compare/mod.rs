//! Compares two contracts and decides which differences break an existing client.
//!
//! Breaking are the changes that the specification names: an element is removed, renamed, changes its type, becomes
//! required or is restricted. Requests must not become harder to send, and responses must not lose information. Texts
//! and examples do not count. A difference in a schema that several operations share is reported once, with these
//! operations.

mod notes;
mod operations;
mod schemas;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;
use serde_json::Value;

pub use notes::release_notes;

/// Kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Change {
    /// The element is new.
    Added,
    /// The element exists in both and differs.
    Changed,
    /// The element was removed.
    Removed,
}

/// One difference between two contracts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Place of the difference: an operation (`marketplace_apps_list`), a place in one
    /// (`marketplace_apps_list:query/limit`), or a field of a schema (`Listing:/rating/average`).
    pub place: String,
    /// Kind of the difference.
    pub change: Change,
    /// Whether a client of the former contract may fail.
    pub breaking: bool,
    /// The difference in a sentence.
    pub text: String,
    /// Affected operations, in alphabetical order.
    pub operations: Vec<String>,
}

/// Returns all differences of `present` from `former`, both complete `OpenAPI` documents, ordered by place.
#[must_use]
pub fn compare(former: &Value, present: &Value) -> Vec<Difference> {
    let mut comparison = Comparison { former, present, found: BTreeMap::new() };
    operations::compare(&mut comparison);
    let found = comparison.found.into_iter();
    found
        .map(|((place, change, text), Concern { breaking, operations })| Difference {
            place,
            change,
            breaking,
            text,
            operations: operations.into_iter().collect(),
        })
        .collect()
}

/// Two documents and their differences.
struct Comparison<'d> {
    former: &'d Value,
    present: &'d Value,
    found: BTreeMap<(String, Change, String), Concern>,
}

#[derive(Default)]
struct Concern {
    breaking: bool,
    operations: BTreeSet<String>,
}

/// Direction of the data that a schema describes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Direction {
    /// From the client to the service: it must not be restricted.
    In,
    /// From the service to the client: it must not lose information.
    Out,
}

/// Current place in the contract: the operation, the direction, and the pairs of schemas that are being compared.
struct ContractLocation<'c> {
    operation: &'c str,
    direction: Direction,
    at: String,
    visited: &'c mut HashSet<(String, String, Direction)>,
}

impl ContractLocation<'_> {
    /// Returns the place one step below.
    fn below(&mut self, step: &str) -> ContractLocation<'_> {
        let at = format!("{}/{step}", self.at);
        ContractLocation { operation: self.operation, direction: self.direction, at, visited: self.visited }
    }
}

impl Comparison<'_> {
    /// Records a difference of an operation.
    fn note(&mut self, operation: &str, at: &str, change: Change, breaking: bool, text: impl Into<String>) {
        let concern = self.found.entry((at.to_owned(), change, text.into())).or_default();
        concern.breaking |= breaking;
        concern.operations.insert(operation.to_owned());
    }

    /// Records a difference at a place.
    fn note_at(&mut self, place: &ContractLocation<'_>, change: Change, breaking: bool, text: impl Into<String>) {
        self.note(place.operation, &place.at, change, breaking, text);
    }
}
