//! Input and output types of a team's security.

use labs_core::describe::{InputType, OutputType};
use labs_core::scope::ScopeSet;
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

use crate::auth::trusted_identities::TrustedIdentity;

/// Requirements of a team for the sessions of its members.
#[derive(serde::Serialize, OutputType)]
pub(super) struct SecurityPolicy {
    /// Whether members need a second factor. A session that was opened without one has only the scope
    /// `auth.account:write`, so that the member can enrol one.
    pub(super) second_factor_required: bool,
    /// Hours after which a session ends, regardless of use. Null for the maximum, 720.
    pub(super) session_hours: Option<i32>,
}

/// The new policy.
#[derive(serde::Deserialize, InputType)]
pub(super) struct SecurityPolicyPut {
    /// Whether members need a second factor. A session that was opened without one has only the scope
    /// `auth.account:write`, so that the member can enrol one.
    pub(super) second_factor_required: bool,
    /// Hours after which a session ends, regardless of use. Null for the maximum, 720.
    pub(super) session_hours: Option<i32>,
}

words! {
    /// Outcome of a security event.
    pub enum TeamSecurityEventOutcome {
        /// The action was completed.
        Succeeded = "SUCCEEDED",
        /// The action was not allowed.
        Refused = "REFUSED",
        /// The action did not succeed, for example because of a wrong code.
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
    /// Kind of the event, such as `SIGN_IN`, `SIGN_OUT`, `SECOND_FACTOR`, `SECOND_FACTOR_ENABLED`, `REFRESH_REUSED`,
    /// `TOKEN_ISSUED`, `TOKEN_REFUSED`, `NETWORK_REFUSED` or `SECURITY_POLICY_CHANGED`. New kinds may be added.
    kind: String,
    /// Outcome of the event.
    outcome: TeamSecurityEventOutcome,
    /// UUID of the affected member. Null if the event concerns a machine client or an unknown user.
    person_uuid: Option<Uuid>,
    /// Name of the member.
    person_name: Option<String>,
    /// UUID of the affected machine client. Null if the event concerns a user.
    client_uuid: Option<Uuid>,
    /// Name of the machine client.
    client_name: Option<String>,
    /// Issuer of the identity for which the machine client requested a token without a secret. Null for other events.
    identity_issuer: Option<String>,
    /// Subject of this identity. Null for other events.
    identity_subject: Option<String>,
    /// UUID of the affected session, if there is one.
    session_uuid: Option<Uuid>,
    /// Network address from which the request came.
    address: Option<String>,
    /// Browser or program that sent the request, from its own user agent.
    user_agent: Option<String>,
}

words! {
    /// State of a machine client. Only staff can change it.
    pub enum PartnerMachineClientState {
        /// The machine client can authenticate.
        Active = "ACTIVE",
        /// It receives no tokens, and the service rejects its existing tokens.
        Disabled = "DISABLED",
    }
}

/// A machine client that staff have created for the partner. Its secrets are never shown.
#[derive(Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub(super) struct PartnerMachineClient {
    /// UUID of the machine client.
    pub(super) uuid: Uuid,
    /// Client id, which the machine client sends as `username` to get a token.
    client_id: String,
    /// Display name of the machine client.
    name: String,
    /// State of the machine client.
    state: PartnerMachineClientState,
    /// Scopes that the machine client may request, in alphabetical order. Its tokens contain only scopes that the
    /// partner's tier also grants.
    allowed_scopes: Vec<String>,
    /// Networks from which the machine client may request and use tokens. Empty means any network.
    allowed_networks: Vec<String>,
    /// Identities of other issuers that get tokens of the machine client without a secret, for example the jobs of a
    /// repository.
    #[sqlx(json)]
    trusted_identities: Vec<TrustedIdentity>,
    /// Time when the machine client was provisioned.
    pub(super) created_at: Time,
    /// Time when the machine client last received a token. Null before the first one.
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
