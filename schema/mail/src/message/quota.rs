//! Mail about a daily budget that is nearly spent.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Use of a partner's daily budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaNotice {
    /// Name of the recipient.
    pub name: String,
    /// Name of the company.
    pub company: String,
    /// Number of requests that are used.
    pub used: i64,
    /// Number of requests in the budget.
    pub limit: i64,
    /// Time when the next budget begins.
    pub resets_at: Timestamp,
}

#[cfg(test)]
impl QuotaNotice {
    /// Returns one of each kind; `text` replaces every text that users write.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        let (name, company) = (text.to_owned(), text.to_owned());
        vec![Self { name, company, used: 8_000, limit: 10_000, resets_at: super::tests::at(0) }]
    }
}
