//! The mail about what a partner calls and what is to go.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// That a partner still calls what is to go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeprecationNotice {
    /// The person who is written to.
    pub name: String,
    /// What is called, that which ends first first.
    pub calls: Vec<DeprecatedCall>,
}

/// Something that a partner called in the last 14 days and that is to go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeprecatedCall {
    /// What it is, in the words of the contract: `operation marketplace_apps_list` for example.
    pub what: String,
    /// Number of calls.
    pub requests: u64,
    /// The program that called; none for people, and for calls of which it is not known.
    pub program: Option<String>,
    /// Sunset: time when the element is removed.
    pub sunset_at: Timestamp,
}

#[cfg(test)]
impl DeprecationNotice {
    /// One of each; `text` stands wherever a person's own words do.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        let of = |program: Option<&str>| DeprecatedCall {
            what: "operation marketplace_apps_list".to_owned(),
            requests: 7,
            program: program.map(str::to_owned),
            sunset_at: super::tests::at(0),
        };
        vec![Self { name: text.to_owned(), calls: vec![of(Some(text)), of(None)] }]
    }
}
