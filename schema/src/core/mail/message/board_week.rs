//! The weekly mail about the board.

use serde::{Deserialize, Serialize};

/// How much happened on the board in a week. It says the same to everybody who gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardWeek {
    /// The person who is written to.
    pub name: String,
    /// How many feature requests staff moved on.
    pub status_changes: i64,
    /// How often staff answered.
    pub answers: i64,
    /// What ends this mail without signing in; it opens nothing else.
    pub token: String,
}

impl BoardWeek {
    /// The address that ends this mail.
    pub(in crate::core::mail) fn unsubscribe_at(&self, base_url: &str) -> String {
        format!("{base_url}/board/mail?token={}", self.token)
    }
}

#[cfg(test)]
impl BoardWeek {
    /// One of each; `text` stands wherever a person's own words do.
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
