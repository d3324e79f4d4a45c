//! Steps of a partner account's closure, for its mail messages.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Step of an account's closure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClosingStep {
    /// The team requested it.
    Requested {
        /// Time of the closure.
        closes_at: Timestamp,
    },
    /// The team cancelled the request.
    Cancelled,
    /// The account is closed.
    Closed {
        /// Time until which the account can be reopened.
        until: Timestamp,
        /// Reason given by staff, if they closed the account.
        reason: Option<String>,
    },
}

#[cfg(test)]
pub(super) mod tests {
    use super::ClosingStep;
    use crate::message::tests::at;

    /// Returns one of each step.
    pub(crate) fn steps(text: String) -> [ClosingStep; 4] {
        [
            ClosingStep::Requested { closes_at: at(86_400) },
            ClosingStep::Cancelled,
            ClosingStep::Closed { until: at(86_400), reason: None },
            ClosingStep::Closed { until: at(86_400), reason: Some(text) },
        ]
    }
}
