//! Mail about the board: sent to the author of a contribution that staff suspended or reinstated.

use serde::{Deserialize, Serialize};

/// Action of staff on a user's contribution to the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardNotice {
    /// Name of the recipient.
    pub name: String,
    /// Title of the feature request, or of the request that they commented on.
    pub title: String,
    /// The action.
    pub news: BoardNews,
}

/// Action on a contribution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum BoardNews {
    /// Their feature request was suspended.
    RequestSuspended {
        /// Reason for it.
        reason: String,
    },
    /// Their feature request was reinstated.
    RequestReinstated,
    /// Their comment was suspended.
    CommentSuspended {
        /// Reason for it.
        reason: String,
    },
    /// Their comment was reinstated.
    CommentReinstated,
}

#[cfg(test)]
impl BoardNotice {
    /// Returns one of each kind; `text` replaces every text that users write.
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
