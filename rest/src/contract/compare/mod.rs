//! What differs between two contracts, and whether it breaks a client that was made for the former.
//!
//! Breaking is what the specification calls so: something is removed, renamed, re-typed, newly required or narrowed. What a
//! client sends may not become harder to send, and what it reads may not become poorer. Texts and examples are no
//! difference. A field of a schema that several operations share is told once, with the operations that it concerns.

mod notes;
mod operations;
mod schemas;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde::Serialize;
use serde_json::Value;

pub use notes::release_notes;

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Change {
    /// It was not there before.
    Added,
    /// It is there and different.
    Changed,
    /// It is gone.
    Removed,
}

/// One thing in which two contracts differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What it is about: an operation (`marketplace_apps_list`), a place in one (`marketplace_apps_list:query/limit`), or a
    /// field of a schema (`Listing:/rating/average`).
    pub place: String,
    /// What became of it.
    pub change: Change,
    /// Whether a client that was made for the former contract may fail.
    pub breaking: bool,
    /// What differs, in a sentence.
    pub text: String,
    /// The operations concerned, in alphabetical order.
    pub operations: Vec<String>,
}

/// Everything in which `present` differs from `former`, both whole `OpenAPI` documents, in the order of their places.
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

/// Two documents and what was found between them.
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

/// Which way what a schema describes goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    /// From the client to the service: it may not be narrowed.
    In,
    /// From the service to the client: it may not become poorer.
    Out,
}

/// Where in the contract one looks: the operation, the way, and the pairs of schemas that are being compared.
struct Place<'c> {
    operation: &'c str,
    way: Way,
    at: String,
    visited: &'c mut HashSet<(String, String, Way)>,
}

impl Place<'_> {
    /// The same place one step further.
    fn below(&mut self, step: &str) -> Place<'_> {
        let at = format!("{}/{step}", self.at);
        Place { operation: self.operation, way: self.way, at, visited: self.visited }
    }
}

impl Comparison<'_> {
    /// Notes a difference of an operation.
    fn note(&mut self, operation: &str, at: &str, change: Change, breaking: bool, text: impl Into<String>) {
        let concern = self.found.entry((at.to_owned(), change, text.into())).or_default();
        concern.breaking |= breaking;
        concern.operations.insert(operation.to_owned());
    }

    /// Notes a difference at a place.
    fn note_at(&mut self, place: &Place<'_>, change: Change, breaking: bool, text: impl Into<String>) {
        self.note(place.operation, &place.at, change, breaking, text);
    }
}
