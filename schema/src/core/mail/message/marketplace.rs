//! The mails about what a partner has in the marketplace. What reviewers or the partner wrote to each other stands in none
//! of them: a mail says that there is something to read, and whoever may read it signs in.

use serde::{Deserialize, Serialize};

/// How a submission was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Decision {
    /// The version may be published.
    Approved,
    /// The version needs changes first.
    ChangesRequested,
    /// The version is refused.
    Rejected,
    /// An appeal was right: the version may be published.
    AppealUpheld,
    /// An appeal was refused, which is final.
    AppealDenied,
}

/// Something that happened while a version is with the reviewers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionReview {
    /// The person who is written to.
    pub name: String,
    /// The app.
    pub app: String,
    /// The version's number.
    pub version: String,
    /// Where it can be read, as a path below the base address.
    pub path: String,
    /// Events of this page.
    pub event: VersionReviewEvent,
}

/// What happened to a version that is with the reviewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VersionReviewEvent {
    /// To the partner: the reviewers wrote.
    Written,
    /// To the partner: the reviewers wrote and wait for an answer.
    Asked,
    /// To the reviewer: the partner wrote.
    Answered,
    /// To the partner: the reviewers still wait.
    Reminded,
    /// To the partner: nobody answered for so long that the version was withdrawn.
    Lapsed,
}

/// Something that staff did to a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListingNotice {
    /// The person who is written to.
    pub name: String,
    /// The app.
    pub app: String,
    /// What staff gave as the reason.
    pub reason: Option<String>,
    /// Events of this page.
    pub event: ListingEvent,
}

/// What staff did to a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ListingEvent {
    /// Readers see it no longer.
    Suspended,
    /// It is where it was.
    Reinstated,
    /// To its former owner: it is another partner's.
    GivenAway,
    /// To its new owner: it is theirs.
    Received,
}

#[cfg(test)]
impl Decision {
    /// Every one.
    pub(super) const ALL: [Self; 5] =
        [Self::Approved, Self::ChangesRequested, Self::Rejected, Self::AppealUpheld, Self::AppealDenied];
}

#[cfg(test)]
impl VersionReview {
    /// One of each; `text` stands wherever a person's own words do.
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
    /// One of each; `text` stands wherever a person's own words do.
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
