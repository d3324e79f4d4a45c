//! Input and output types of a team's security.

use labs_core::describe::{InputType, OutputType};
use labs_core::scope::ScopeSet;
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

/// Requirements of a team for the sessions of its members.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SecurityPolicy {
    /// Whether members need a second factor to access anything except their own account.
    pub(super) second_factor_required: bool,
    /// Maximum duration of a session in hours; null for the maximum of the service, 30 days.
    pub(super) session_hours: Option<i32>,
}

/// Policy to set.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SecurityPolicyPut {
    /// Whether a second factor is required.
    pub(super) second_factor_required: bool,
    /// Maximum duration of a session in hours; null for the maximum of the service.
    pub(super) session_hours: Option<i32>,
}

words! {
    /// Outcome of a security event.
    pub enum TeamSecurityEventOutcome {
        /// The action succeeded.
        Succeeded = "SUCCEEDED",
        /// The action was not allowed.
        Refused = "REFUSED",
        /// The action failed, for example because of a wrong password or code.
        Failed = "FAILED",
    }
}

/// A security event of a team member or a machine client of the team.
#[derive(Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub(super) struct TeamSecurityEvent {
    /// UUID of the event.
    pub(super) uuid: Uuid,
    /// Time of the event.
    pub(super) occurred_at: Time,
    /// Kind of event: `SIGN_IN`, `SECOND_FACTOR_ENABLED` and so on.
    kind: String,
    /// Outcome of the event.
    outcome: TeamSecurityEventOutcome,
    /// UUID of the team member.
    person_uuid: Option<Uuid>,
    /// Name of the team member.
    person_name: Option<String>,
    /// UUID of the machine client.
    client_uuid: Option<Uuid>,
    /// Name of the machine client.
    client_name: Option<String>,
    /// UUID of the session.
    session_uuid: Option<Uuid>,
    /// Network address of the client.
    address: Option<String>,
    /// User agent header, unchanged.
    user_agent: Option<String>,
}

words! {
    /// State of a machine client.
    pub enum PartnerMachineClientState {
        /// The machine client can authenticate.
        Active = "ACTIVE",
        /// Staff disabled the machine client.
        Disabled = "DISABLED",
    }
}

/// A machine client that can act for the partner.
#[derive(Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub(super) struct PartnerMachineClient {
    /// UUID of the machine client.
    pub(super) uuid: Uuid,
    /// Client id, sent as `username` to get a token.
    client_id: String,
    /// Display name.
    name: String,
    /// State of the machine client.
    state: PartnerMachineClientState,
    /// Scopes that the machine client may request, in alphabetical order.
    allowed_scopes: Vec<String>,
    /// Networks from which the machine client may call; empty means any network.
    allowed_networks: Vec<String>,
    /// Time when the machine client was provisioned.
    pub(super) created_at: Time,
    /// Time when the client last received a token.
    last_used_at: Option<Time>,
}

impl PartnerMachineClient {
    /// Removes scopes under `labs.admin` for the partner: independent of the row, a client bound to a partner never
    /// holds one.
    pub(super) fn without_admin(self) -> Self {
        let mut allowed_scopes =
            ScopeSet::parse(self.allowed_scopes.iter().map(String::as_str)).without_admin().names();
        allowed_scopes.sort_unstable();
        Self { allowed_scopes, ..self }
    }
}
