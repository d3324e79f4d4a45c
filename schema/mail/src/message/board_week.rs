//! Weekly mail about the board.

use serde::{Deserialize, Serialize};

/// Weekly numbers of the board. The content is the same for every recipient.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardWeek {
    /// Name of the recipient.
    pub name: String,
    /// Number of feature requests whose status staff changed.
    pub status_changes: i64,
    /// Number of answers by staff.
    pub answers: i64,
    /// Token that unsubscribes from this mail without signing in; it permits nothing else.
    pub token: String,
}

impl BoardWeek {
    /// Returns the address that unsubscribes from this mail.
    pub(crate) fn unsubscribe_at(&self, base_url: &str) -> String {
        format!("{base_url}/board/mail?token={}", self.token)
    }
}

#[cfg(test)]
impl BoardWeek {
    /// Returns one of each kind; `text` replaces every text that users write.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        let of = |status_changes, answers| Self {
            name: text.to_owned(),
            status_changes,
            answers,
            token: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
        };
        vec![of(3, 7), of(1, 1), of(0, 2)]
    }
}
