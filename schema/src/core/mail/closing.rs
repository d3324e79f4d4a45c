//! How far the end of a partner's account is, for its mails.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How far the end of an account is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClosingStep {
    /// Its team asked for it.
    Requested {
        /// When it will end.
        closes_at: Timestamp,
    },
    /// Its team took that back.
    Cancelled,
    /// It has ended.
    Closed {
        /// Until when it can be opened again.
        until: Timestamp,
        /// What staff gave as the reason, where they ended it.
        reason: Option<String>,
    },
}

#[cfg(test)]
pub(super) mod tests {
    use super::ClosingStep;
    use crate::core::mail::message::tests::at;

    /// One of each.
    pub(crate) fn steps(text: String) -> [ClosingStep; 4] {
        [
            ClosingStep::Requested { closes_at: at(86_400) },
            ClosingStep::Cancelled,
            ClosingStep::Closed { until: at(86_400), reason: None },
            ClosingStep::Closed { until: at(86_400), reason: Some(text) },
        ]
    }
}
