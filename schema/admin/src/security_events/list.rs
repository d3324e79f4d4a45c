//! The list of security events across all accounts: the representation of an event, with filters and orders.

use ipnet::IpNet;
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{Condition, IndexedFilter, Key, LogQuery, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::networks;
use labs_identity::auth::devices::UserAgent;
use labs_identity::auth::security_events::SecurityEventOutcome;

/// A security event of a user account or a machine client.
#[derive(Serialize, OutputType, sqlx::FromRow)]
pub(super) struct LedgerEvent {
    /// UUID of the security event.
    uuid: Uuid,
    /// Time of the event.
    occurred_at: Time,
    /// Kind of event: `SIGN_IN`, `TOKEN_REFUSED` and so on.
    kind: String,
    /// Outcome of the event.
    outcome: SecurityEventOutcome,
    /// User concerned. Null if the event concerns a machine client or no known user.
    person_uuid: Option<Uuid>,
    /// Name of the user.
    person_name: Option<String>,
    /// Machine client concerned. Null if the event concerns a user.
    client_uuid: Option<Uuid>,
    /// Name of the machine client.
    client_name: Option<String>,
    /// Partner of the user or machine client. Null for staff members, and for machine clients that are not bound to a
    /// partner.
    partner_uuid: Option<Uuid>,
    /// Name of the partner.
    company_name: Option<String>,
    /// Issuer of the identity for which the machine client requested a token without a secret. Null for other events.
    identity_issuer: Option<String>,
    /// Subject of this identity. Null for other events.
    identity_subject: Option<String>,
    /// Session in which the event happened, or which the event concerns. Null outside a session.
    session_uuid: Option<Uuid>,
    /// Network address of the client.
    address: Option<String>,
    /// Short description of the device.
    #[sqlx(try_from = "UserAgent")]
    device: Option<String>,
    /// User agent header, unchanged.
    user_agent: Option<String>,
}

/// Filter of the security events. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct LedgerEventFilter {
    kind: Option<Vec<String>>,
    outcome: Option<Vec<SecurityEventOutcome>>,
    person_uuid: Option<Vec<Uuid>>,
    client_uuid: Option<Vec<Uuid>>,
    partner_uuid: Option<Vec<Uuid>>,
    session_uuid: Option<Vec<Uuid>>,
    address: Option<Vec<String>>,
    occurred_at_from: Option<Time>,
    occurred_at_until: Option<Time>,
}

/// Requested security events.
#[derive(Debug, Serialize)]
pub(super) struct VisibleEvents {
    /// Networks that contain the address of the event.
    networks: Option<Vec<IpNet>>,
    filter: LedgerEventFilter,
}

impl VisibleEvents {
    /// Resolves a filter.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] for an invalid address.
    pub(super) fn of(mut filter: LedgerEventFilter) -> Result<Self, Fault> {
        Ok(Self { networks: networks::parse_networks("address", filter.address.take())?, filter })
    }
}

words! {
    /// Orders of security events.
    pub enum LedgerEventSort {
        /// Newest first.
        OccurredAtDesc = "OCCURRED_AT_DESC",
        /// Oldest first.
        OccurredAt = "OCCURRED_AT",
    }
}

/// List query of all security events, with the names of the users, machine clients and partners that still exist.
pub(super) static EVENTS: LogQuery<VisibleEvents, LedgerEvent, LedgerEventSort> = LogQuery {
    operation: "admin_security_events_list",
    table: "security_event",
    columns: "event_uuid as uuid, occurred_at, entry.kind, outcome, entry.person_uuid, p.name as person_name,
              entry.client_uuid, c.name as client_name, entry.partner_uuid, company_name, detail ->> 'issuer' as identity_issuer,
              detail ->> 'subject' as identity_subject, session_uuid,
              host(address) as address, user_agent as device, user_agent",
    joined: "left join person as p on p.person_uuid = entry.person_uuid
             left join machine_client as c on c.client_uuid = entry.client_uuid
             left join (select partner_uuid as of_uuid, company_name from partner) as o on o.of_uuid = entry.partner_uuid",
    filters: &[
        IndexedFilter { column: "session_uuid", kind: "uuid", values: |of| SqlValue::ids(of.filter.session_uuid.as_ref()) },
        IndexedFilter { column: "person_uuid", kind: "uuid", values: |of| SqlValue::ids(of.filter.person_uuid.as_ref()) },
        IndexedFilter { column: "client_uuid", kind: "uuid", values: |of| SqlValue::ids(of.filter.client_uuid.as_ref()) },
        IndexedFilter { column: "partner_uuid", kind: "uuid", values: |of| SqlValue::ids(of.filter.partner_uuid.as_ref()) },
        IndexedFilter { column: "kind", kind: "text", values: |of| SqlValue::texts(of.filter.kind.as_ref()) },
    ],
    conditions: &[
        Condition {
            sql: "coalesce(outcome = any({}), false)",
            value: |of| SqlValue::words(of.filter.outcome.as_ref()),
        },
        Condition {
            sql: "coalesce(address <<= any({}), false)",
            value: |of| of.networks.clone().map(SqlValue::Networks),
        },
        Condition { sql: "occurred_at >= {}", value: |of| of.filter.occurred_at_from.map(SqlValue::from) },
        Condition { sql: "occurred_at < {}", value: |of| of.filter.occurred_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        LedgerEventSort::OccurredAtDesc => const { &[OCCURRED.descending(), ID.descending()] },
        LedgerEventSort::OccurredAt => const { &[OCCURRED, ID] },
    },
};

const OCCURRED: Key<LedgerEvent> = Key::moment("occurred_at", |event| json!(event.occurred_at));
const ID: Key<LedgerEvent> = Key::id("event_uuid", |event| json!(event.uuid));

/// Run-time SQL statements of security events, which the compiler does not check.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&EVENTS];
