//! Mail about deprecated elements that a partner still calls.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Deprecated elements that a partner still calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeprecationNotice {
    /// Name of the recipient.
    pub name: String,
    /// The calls, earliest sunset first.
    pub calls: Vec<DeprecatedCall>,
}

/// Deprecated element that a partner called in the last 14 days.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeprecatedCall {
    /// Name of the element in the contract, for example `operation marketplace_apps_list`.
    pub what: String,
    /// Number of calls.
    pub requests: u64,
    /// The calling machine client; `None` for users, and for calls with an unknown client.
    pub program: Option<String>,
    /// Sunset: time when the element is removed.
    pub sunset_at: Timestamp,
}

#[cfg(test)]
impl DeprecationNotice {
    /// Returns one of each kind; `text` replaces every text that users write.
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
