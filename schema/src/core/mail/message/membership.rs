//! The mails about somebody's place in a team.

use serde::{Deserialize, Serialize};

/// A change of somebody's place in their team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The person.
    pub name: String,
    /// The company of the team.
    pub company: String,
    /// What changed.
    pub change: MembershipChange,
}

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum MembershipChange {
    /// They have another role.
    Role {
        /// The role, as the contract names it.
        role: String,
    },
    /// Their team holds them back.
    Suspended,
    /// Their team lets them in again.
    Reinstated,
    /// They were taken out of the team.
    Removed,
    /// They left the team themselves.
    Left,
}

#[cfg(test)]
impl Membership {
    /// One of each; `text` stands wherever a person's own words do.
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
