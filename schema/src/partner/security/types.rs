//! What a team is shown of its security, and what it sends.

use async_graphql::{InputObject, SimpleObject};
use uuid::Uuid;

use crate::core::scope::ScopeSet;
use crate::core::time::Time;
use crate::core::words::words;

/// Requirements of a team for the sessions of its members.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SecurityPolicy {
    /// Whether a member reaches anything but their own account only with a second factor.
    pub(super) second_factor_required: bool,
    /// Hours after which a session ends for good; null: as long as the service allows, 30 days.
    pub(super) session_hours: Option<i32>,
}

/// The new policy.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SecurityPolicyPut {
    /// Whether a second factor is required.
    pub(super) second_factor_required: bool,
    /// Hours after which a session ends for good; null: as long as the service allows.
    pub(super) session_hours: Option<i32>,
}

words! {
    /// How something in the ledger ended.
    pub(crate) enum TeamSecurityEventOutcome {
        /// It was done.
        Succeeded = "SUCCEEDED",
        /// It was not allowed.
        Refused = "REFUSED",
        /// It did not work: a wrong password, a wrong code.
        Failed = "FAILED",
    }
}

/// A security event of a team member or a machine client of the team.
#[derive(Debug, serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct TeamSecurityEvent {
    /// The entry.
    pub(super) uuid: Uuid,
    /// Time of the event.
    pub(super) occurred_at: Time,
    /// What: `SIGN_IN`, `SECOND_FACTOR_ENABLED` and so on.
    kind: String,
    /// How it ended.
    outcome: TeamSecurityEventOutcome,
    /// The member concerned.
    person_uuid: Option<Uuid>,
    /// Their name.
    person_name: Option<String>,
    /// The program concerned.
    client_uuid: Option<Uuid>,
    /// Its name.
    client_name: Option<String>,
    /// The session concerned.
    session_uuid: Option<Uuid>,
    /// From which network address.
    address: Option<String>,
    /// With what, in its own words.
    user_agent: Option<String>,
}

words! {
    /// Whether a program may sign in.
    pub(crate) enum PartnerMachineClientState {
        /// It may.
        Active = "ACTIVE",
        /// The operator shut it out.
        Disabled = "DISABLED",
    }
}

/// A program that may act for the partner.
#[derive(Debug, serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerMachineClient {
    /// The program.
    pub(super) uuid: Uuid,
    /// What it sends as `username` for a token.
    client_id: String,
    /// What it is, for people.
    name: String,
    /// Whether it may sign in.
    state: PartnerMachineClientState,
    /// What it may ask for, in alphabetical order.
    allowed_scopes: Vec<String>,
    /// Where it may come from; empty means from anywhere.
    allowed_networks: Vec<String>,
    /// Time when the machine client was provisioned.
    pub(super) created_at: Time,
    /// When it last got a token.
    last_used_at: Option<Time>,
}

impl PartnerMachineClient {
    /// The program as its partner sees it: whatever a row says, nothing bound to a partner holds anything of the operator's
    /// domain.
    pub(super) fn without_admin(self) -> Self {
        let mut allowed_scopes =
            ScopeSet::parse(self.allowed_scopes.iter().map(String::as_str)).without_admin().names();
        allowed_scopes.sort_unstable();
        Self { allowed_scopes, ..self }
    }
}
