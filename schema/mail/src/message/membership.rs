//! Mail about a user's team membership.

use serde::{Deserialize, Serialize};

/// Change of a user's team membership.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Name of the user.
    pub name: String,
    /// Name of the team's company.
    pub company: String,
    /// The change.
    pub change: MembershipChange,
}

/// Kind of the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MembershipChange {
    /// The user has another role.
    Role {
        /// The role, as named in the contract.
        role: String,
    },
    /// The team suspended the user.
    Suspended,
    /// The team reinstated the user.
    Reinstated,
    /// The user was removed from the team.
    Removed,
    /// The user left the team.
    Left,
}

#[cfg(test)]
impl Membership {
    /// Returns one of each kind; `text` replaces every text that users write.
    pub(super) fn one_of_each(text: &str) -> Vec<Self> {
        let changes = [
            MembershipChange::Role { role: "EDITOR".to_owned() },
            MembershipChange::Suspended,
            MembershipChange::Reinstated,
            MembershipChange::Removed,
            MembershipChange::Left,
        ];
        changes.map(|change| Self { name: text.to_owned(), company: text.to_owned(), change }).into()
    }
}
