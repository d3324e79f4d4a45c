//! The mails about customers' reviews. What a customer wrote stands in none of them.

use serde::{Deserialize, Serialize};

/// Something that happened to a review of an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewNotice {
    /// The person who is written to.
    pub name: String,
    /// The app.
    pub app: String,
    /// Events of this page.
    pub news: ReviewNews,
}

/// What happened to a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ReviewNews {
    /// A customer's text is shown from now on.
    Shown,
    /// The text that the partner flagged is gone.
    FlagUpheld,
    /// The text that the partner flagged stays.
    FlagDismissed,
}

impl ReviewNews {
    /// Every one.
    #[cfg(test)]
    pub(super) const ALL: [Self; 3] = [Self::Shown, Self::FlagUpheld, Self::FlagDismissed];
}

#[cfg(test)]
impl ReviewNotice {
    /// One of each; `text` stands wherever a person's own words do.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        ReviewNews::ALL.map(|news| Self { name: text.to_owned(), app: text.to_owned(), news }).into()
    }
}
