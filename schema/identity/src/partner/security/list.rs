//! Lists of a team's security: its security events, and the machine clients that can act for the partner.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::types::{PartnerMachineClient, PartnerMachineClientState, TeamSecurityEvent, TeamSecurityEventOutcome};

/// Columns of security events. A former team member is shown with a name while the service has one.
static EVENT: Select<TeamSecurityEvent> = Select::new(
    "e.event_uuid as uuid, e.occurred_at, e.kind, e.outcome, e.person_uuid, p.name as person_name, e.client_uuid,
     c.name as client_name, e.detail ->> 'issuer' as identity_issuer,
     e.detail ->> 'subject' as identity_subject, e.session_uuid, host(e.address) as address, e.user_agent",
    "security_event as e
     left join person as p on p.person_uuid = e.person_uuid and p.partner_uuid = e.partner_uuid
     left join machine_client as c on c.client_uuid = e.client_uuid and c.partner_uuid = e.partner_uuid",
);

/// Filter of the security events. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct TeamSecurityEventFilter {
    kind: Option<Vec<String>>,
    outcome: Option<Vec<TeamSecurityEventOutcome>>,
    person_uuid: Option<Vec<Uuid>>,
    client_uuid: Option<Vec<Uuid>>,
    occurred_at_from: Option<Time>,
    occurred_at_until: Option<Time>,
}

/// Security events of one team.
#[derive(Debug, Serialize)]
pub(super) struct OwnEvents {
    pub(super) partner_uuid: Uuid,
    pub(super) filter: TeamSecurityEventFilter,
}

words! {
    /// Orders of security events.
    pub enum TeamSecurityEventSort {
        /// Newest first.
        OccurredAtDesc = "OCCURRED_AT_DESC",
        /// Oldest first.
        OccurredAt = "OCCURRED_AT",
    }
}

/// List query of the security events of a team's accounts and machine clients.
pub(super) static EVENTS: ListQuery<OwnEvents, TeamSecurityEvent, TeamSecurityEventSort> = ListQuery {
    operation: "partner_security_list_events",
    select: &EVENT,
    within: &[Condition { sql: "e.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
    conditions: &[
        Condition { sql: "e.kind = any({})", value: |of| SqlValue::texts(of.filter.kind.as_ref()) },
        Condition { sql: "e.outcome = any({})", value: |of| SqlValue::words(of.filter.outcome.as_ref()) },
        Condition { sql: "e.person_uuid = any({})", value: |of| SqlValue::ids(of.filter.person_uuid.as_ref()) },
        Condition { sql: "e.client_uuid = any({})", value: |of| SqlValue::ids(of.filter.client_uuid.as_ref()) },
        Condition { sql: "e.occurred_at >= {}", value: |of| of.filter.occurred_at_from.map(SqlValue::from) },
        Condition { sql: "e.occurred_at < {}", value: |of| of.filter.occurred_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        TeamSecurityEventSort::OccurredAtDesc => const { &[OCCURRED.descending(), EVENT_ID.descending()] },
        TeamSecurityEventSort::OccurredAt => const { &[OCCURRED, EVENT_ID] },
    },
};

const EVENT_ID: Key<TeamSecurityEvent> = Key::id("e.event_uuid", |row| json!(row.uuid));
const OCCURRED: Key<TeamSecurityEvent> = Key::moment("e.occurred_at", |row| json!(row.occurred_at));

/// Columns of machine clients for their partner.
static CLIENT: Select<PartnerMachineClient> = Select::new(
    "client_uuid as uuid, client_id, name, state, allowed_scopes, allowed_networks::text[] as allowed_networks,
     trusted_identities, created_at, last_used_at",
    "machine_client",
);

/// Filter of the list of machine clients. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct PartnerMachineClientFilter {
    state: Option<Vec<PartnerMachineClientState>>,
}

/// Machine clients of one partner.
#[derive(Debug, Serialize)]
pub(super) struct OwnClients {
    pub(super) partner_uuid: Uuid,
    pub(super) filter: PartnerMachineClientFilter,
}

/// List query of the machine clients of a partner, newest first.
pub(super) static CLIENTS: ListQuery<OwnClients, PartnerMachineClient, FixedOrder> = ListQuery {
    operation: "partner_security_list_machine_clients",
    select: &CLIENT,
    within: &[Condition { sql: "partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
    conditions: &[Condition { sql: "state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) }],
    order: |_| const { &[CREATED.descending(), CLIENT_ID.descending()] },
};

const CLIENT_ID: Key<PartnerMachineClient> = Key::id("client_uuid", |row| json!(row.uuid));
const CREATED: Key<PartnerMachineClient> = Key::moment("created_at", |row| json!(row.created_at));

/// Run-time SQL statements of a team's security, which the compiler does not check.
pub(in crate::partner) static STATEMENTS: [&dyn Statements; 2] = [&EVENTS, &CLIENTS];
