//! Mail to a partner's administrators about its subscription.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Event of a subscription, for a mail message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionNotice {
    /// Name of the user.
    pub name: String,
    /// Name of the company.
    pub company: String,
    /// The event.
    pub news: SubscriptionNews,
    /// Name of the tier concerned.
    pub tier: String,
    /// Time when it takes effect or ends, if the event has one.
    pub at: Option<Timestamp>,
    /// Reason given by staff.
    pub reason: Option<String>,
}

/// Event of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SubscriptionNews {
    /// The subscription changed to this tier.
    Changed,
    /// The subscription will change to this tier at a set time.
    WillChange,
    /// The subscription was cancelled and falls back to this tier at a set time.
    WillEnd,
    /// The subscription continues with this tier: the pending change was cancelled.
    Resumed,
    /// The subscription fell back to this tier.
    Ended,
    /// The period was extended to a later time.
    Extended,
    /// Staff rejected the change to this tier.
    RequestRejected,
}

impl SubscriptionNews {
    /// All events, for tests.
    #[cfg(test)]
    pub(super) const ALL: [Self; 7] = [
        Self::Changed,
        Self::WillChange,
        Self::WillEnd,
        Self::Resumed,
        Self::Ended,
        Self::Extended,
        Self::RequestRejected,
    ];
}
