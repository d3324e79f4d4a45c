//! Mail about a partner's apps and listings. It never contains messages between reviewers and the partner: the mail
//! only announces them, and authorised users sign in to read them.

use serde::{Deserialize, Serialize};

/// Decision on a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Decision {
    /// Approved: the version can be published.
    Approved,
    /// Changes requested: the version needs changes first.
    ChangesRequested,
    /// The version was rejected.
    Rejected,
    /// The appeal succeeded: the version can be published.
    AppealUpheld,
    /// The appeal was rejected, which is final.
    AppealDenied,
}

/// Event of an app version in review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionReview {
    /// Name of the recipient.
    pub name: String,
    /// Name of the app.
    pub app: String,
    /// Number of the app version.
    pub version: String,
    /// Page for reading it, as a path below the base address.
    pub path: String,
    /// The event.
    pub event: VersionReviewEvent,
}

/// Event of an app version in review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VersionReviewEvent {
    /// To the partner: the reviewers sent a message.
    Written,
    /// To the partner: the reviewers sent a message and wait for an answer.
    Asked,
    /// To the reviewer: the partner sent a message.
    Answered,
    /// To the partner: the reviewers are still waiting.
    Reminded,
    /// To the partner: the version was withdrawn because no answer arrived in time.
    Lapsed,
}

/// Action of staff on a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListingNotice {
    /// Name of the recipient.
    pub name: String,
    /// Name of the app.
    pub app: String,
    /// Reason given by staff.
    pub reason: Option<String>,
    /// The action.
    pub event: ListingEvent,
}

/// Action of staff on a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ListingEvent {
    /// The listing was removed from the storefront.
    Suspended,
    /// The listing is on the storefront again.
    Reinstated,
    /// To the former owner: the listing was transferred to another partner.
    GivenAway,
    /// To the new owner: the listing was transferred to them.
    Received,
}

#[cfg(test)]
impl Decision {
    pub(super) const ALL: [Self; 5] =
        [Self::Approved, Self::ChangesRequested, Self::Rejected, Self::AppealUpheld, Self::AppealDenied];
}

#[cfg(test)]
impl VersionReview {
    /// Returns one of each kind; `text` replaces every text that users write.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        use VersionReviewEvent::{Answered, Asked, Lapsed, Reminded, Written};
        let text = || text.to_owned();
        let path = || "/v1/marketplace/internal/submissions/019aa5c2-7b1e-7c40-9d52-3f8e6a1b0c47".to_owned();
        let of = |event| Self { name: text(), app: text(), version: text(), path: path(), event };
        [Written, Asked, Answered, Reminded, Lapsed].map(of).into()
    }
}

#[cfg(test)]
impl ListingNotice {
    /// Returns one of each kind; `text` replaces every text that users write.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        let text = || text.to_owned();
        let of = |(event, reason)| Self { name: text(), app: text(), reason, event };
        let each = [
            (ListingEvent::Suspended, Some(text())),
            (ListingEvent::Reinstated, Some(text())),
            (ListingEvent::Reinstated, None),
            (ListingEvent::GivenAway, Some(text())),
            (ListingEvent::Received, Some(text())),
        ];
        each.map(of).into()
    }
}
