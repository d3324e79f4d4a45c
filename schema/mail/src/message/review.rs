//! Mail about customer reviews. It never contains the text of a review.

use serde::{Deserialize, Serialize};

/// Event of a customer review of an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewNotice {
    /// Name of the recipient.
    pub name: String,
    /// Name of the app.
    pub app: String,
    /// The event.
    pub news: ReviewNews,
}

/// Event of a customer review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewNews {
    /// A customer review was published.
    Shown,
    /// The text that the partner flagged was removed.
    FlagUpheld,
    /// The text that the partner flagged remains.
    FlagDismissed,
}

impl ReviewNews {
    #[cfg(test)]
    pub(super) const ALL: [Self; 3] = [Self::Shown, Self::FlagUpheld, Self::FlagDismissed];
}

#[cfg(test)]
impl ReviewNotice {
    /// Returns one of each kind; `text` replaces every text that users write.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        ReviewNews::ALL.map(|news| Self { name: text.to_owned(), app: text.to_owned(), news }).into()
    }
}
