//! The mails about the board: to whom wrote something that staff took off it, or put back.

use serde::{Deserialize, Serialize};

/// Something that staff did to what a person wrote on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardNotice {
    /// The person who is written to.
    pub name: String,
    /// The title of the feature request, or of the one beneath which they wrote.
    pub title: String,
    /// Events of this page.
    pub news: BoardNews,
}

/// What happened to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum BoardNews {
    /// Their feature request is off the board.
    RequestSuspended {
        /// Why.
        reason: String,
    },
    /// Their feature request is back on it.
    RequestReinstated,
    /// Their comment is not shown any more.
    CommentSuspended {
        /// Why.
        reason: String,
    },
    /// Their comment is shown again.
    CommentReinstated,
}

#[cfg(test)]
impl BoardNotice {
    /// One of each; `text` stands wherever a person's own words do.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        let text = || text.to_owned();
        [
            BoardNews::RequestSuspended { reason: text() },
            BoardNews::RequestReinstated,
            BoardNews::CommentSuspended { reason: text() },
            BoardNews::CommentReinstated,
        ]
        .map(|news| Self { name: text(), title: text(), news })
        .into()
    }
}
