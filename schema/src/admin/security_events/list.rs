//! The whole ledger: an entry as it is shown, what narrows the list, and its orders.

use async_graphql::{InputObject, SimpleObject};
use ipnet::IpNet;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::admin::networks;
use crate::auth::devices::UserAgent;
use crate::auth::security_events::SecurityEventOutcome;
use crate::core::fault::Fault;
use crate::core::list::{Bound, Condition, Key, Lead, LedgerQuery, Statements};
use crate::core::time::Time;
use crate::core::words::words;

/// Something that happened to an account or a program.
#[derive(Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct LedgerEvent {
    /// The entry.
    uuid: Uuid,
    /// Time of the event.
    occurred_at: Time,
    /// What: `SIGN_IN`, `TOKEN_REFUSED` and so on.
    kind: String,
    /// How it ended.
    outcome: SecurityEventOutcome,
    /// The person concerned.
    person_uuid: Option<Uuid>,
    /// Their name.
    person_name: Option<String>,
    /// The program concerned.
    client_uuid: Option<Uuid>,
    /// Its name.
    client_name: Option<String>,
    /// The partner concerned.
    partner_uuid: Option<Uuid>,
    /// Its name.
    company_name: Option<String>,
    /// The session concerned.
    session_uuid: Option<Uuid>,
    /// From which network address.
    address: Option<String>,
    /// With what, in a few words.
    #[sqlx(try_from = "UserAgent")]
    device: Option<String>,
    /// With what, in its own words.
    user_agent: Option<String>,
}

/// What the ledger is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct LedgerEventFilter {
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

/// The entries that are asked for.
#[derive(Debug, Serialize)]
pub(super) struct ShownEvents {
    /// From an address in any of these.
    networks: Option<Vec<IpNet>>,
    filter: LedgerEventFilter,
}

impl ShownEvents {
    /// What a filter asks for.
    ///
    /// # Errors
    /// [`crate::Code::ValidationFailed`] for an address that is none.
    pub(super) fn of(mut filter: LedgerEventFilter) -> Result<Self, Fault> {
        Ok(Self { networks: networks::parse_networks("address", filter.address.take())?, filter })
    }
}

words! {
    /// The orders of the ledger.
    pub(crate) enum LedgerEventSort {
        /// The latest first.
        OccurredAtDesc = "OCCURRED_AT_DESC",
        /// The earliest first.
        OccurredAt = "OCCURRED_AT",
    }
}

/// The list of the whole ledger, with the names of those whom an entry concerns, as far as they are there.
pub(super) static EVENTS: LedgerQuery<ShownEvents, LedgerEvent, LedgerEventSort> = LedgerQuery {
    operation: "admin_security_events_list",
    table: "security_event",
    columns: "event_uuid as uuid, occurred_at, entry.kind, outcome, entry.person_uuid, p.name as person_name,
              entry.client_uuid, c.name as client_name, entry.partner_uuid, company_name, session_uuid,
              host(address) as address, user_agent as device, user_agent",
    joined: "left join person as p on p.person_uuid = entry.person_uuid
             left join machine_client as c on c.client_uuid = entry.client_uuid
             left join (select partner_uuid as of_uuid, company_name from partner) as o on o.of_uuid = entry.partner_uuid",
    leads: &[
        Lead { column: "session_uuid", kind: "uuid", values: |of| Bound::ids(of.filter.session_uuid.as_ref()) },
        Lead { column: "person_uuid", kind: "uuid", values: |of| Bound::ids(of.filter.person_uuid.as_ref()) },
        Lead { column: "client_uuid", kind: "uuid", values: |of| Bound::ids(of.filter.client_uuid.as_ref()) },
        Lead { column: "partner_uuid", kind: "uuid", values: |of| Bound::ids(of.filter.partner_uuid.as_ref()) },
        Lead { column: "kind", kind: "text", values: |of| Bound::texts(of.filter.kind.as_ref()) },
    ],
    conditions: &[
        Condition {
            sql: "coalesce(outcome = any({}), false)",
            value: |of| Bound::words(of.filter.outcome.as_ref()),
        },
        Condition {
            sql: "coalesce(address <<= any({}), false)",
            value: |of| of.networks.clone().map(Bound::Networks),
        },
        Condition { sql: "occurred_at >= {}", value: |of| of.filter.occurred_at_from.map(Bound::from) },
        Condition { sql: "occurred_at < {}", value: |of| of.filter.occurred_at_until.map(Bound::from) },
    ],
    order: |sort| match sort {
        LedgerEventSort::OccurredAtDesc => const { &[OCCURRED.descending(), ID.descending()] },
        LedgerEventSort::OccurredAt => const { &[OCCURRED, ID] },
    },
};

const OCCURRED: Key<LedgerEvent> = Key::moment("occurred_at", |event| json!(event.occurred_at));
const ID: Key<LedgerEvent> = Key::id("event_uuid", |event| json!(event.uuid));

/// What is asked of the ledger in words that the compiler has not checked.
pub(in crate::admin) static STATEMENTS: [&dyn Statements; 1] = [&EVENTS];
