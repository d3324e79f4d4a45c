//! What a partner's administrators are told of its subscription.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Something that happened to a subscription, as a letter tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionNotice {
    /// The person.
    pub name: String,
    /// Id of the partner.
    pub company: String,
    /// Events of this page.
    pub news: SubscriptionNews,
    /// The name of the tier that it is about.
    pub tier: String,
    /// When it takes effect, or until when, where it is about a moment.
    pub at: Option<Timestamp>,
    /// What staff gave as the reason.
    pub reason: Option<String>,
}

/// What can happen to a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SubscriptionNews {
    /// It is on this tier now.
    Changed,
    /// It will be on this tier from a moment on.
    WillChange,
    /// It is cancelled, and falls back to this tier at a moment.
    WillEnd,
    /// It goes on with this tier: what was to come was taken back.
    Resumed,
    /// It fell back to this tier.
    Ended,
    /// Its period lasts until a later moment.
    Extended,
    /// Staff refused this tier.
    RequestRejected,
}

impl SubscriptionNews {
    /// All of them, for tests.
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
