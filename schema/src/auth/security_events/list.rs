//! The ledger of one person: an entry as it is shown, and what narrows the list.

use async_graphql::{InputObject, SimpleObject};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::auth::devices::UserAgent;
use crate::core::list::{Bound, Condition, FixedOrder, Key, ListQuery, Select};
use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// How something in the ledger ended.
    pub(crate) enum SecurityEventOutcome {
        /// It was done.
        Succeeded = "SUCCEEDED",
        /// It was not allowed.
        Refused = "REFUSED",
        /// It did not work: a wrong password, a wrong code.
        Failed = "FAILED",
    }
}

/// A security event of the caller's account.
#[derive(Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SecurityEvent {
    /// The entry.
    uuid: Uuid,
    /// Time of the event.
    occurred_at: Time,
    /// What: `SIGN_IN`, `PASSWORD_CHANGED` and so on.
    kind: String,
    /// How it ended.
    outcome: SecurityEventOutcome,
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

/// What a ledger is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct SecurityEventFilter {
    kind: Option<Vec<String>>,
    outcome: Option<Vec<SecurityEventOutcome>>,
    occurred_at_from: Option<Time>,
    occurred_at_until: Option<Time>,
}

/// The ledger of a person.
#[derive(Debug, Serialize)]
pub(crate) struct PersonEvents {
    /// Whose.
    pub(crate) person_uuid: Uuid,
    /// Which entries.
    pub(crate) filter: SecurityEventFilter,
}

static ENTRY: Select<SecurityEvent> = Select::new(
    "event_uuid as uuid, occurred_at, kind, outcome, session_uuid, host(address) as address, user_agent as device,
     user_agent",
    "security_event",
);

/// The list of a person's ledger, the latest entry first, as an operation answers it.
pub(crate) const fn person_events(operation: &'static str) -> ListQuery<PersonEvents, SecurityEvent, FixedOrder> {
    ListQuery { operation, select: &ENTRY, within: OF_PERSON, conditions: NARROWED, order: |FixedOrder| LATEST_FIRST }
}

const OF_PERSON: &[Condition<PersonEvents>] =
    &[Condition { sql: "person_uuid = {}", value: |of| Some(of.person_uuid.into()) }];

const NARROWED: &[Condition<PersonEvents>] = &[
    Condition { sql: "kind = any({})", value: |of| Bound::texts(of.filter.kind.as_ref()) },
    Condition { sql: "outcome = any({})", value: |of| Bound::words(of.filter.outcome.as_ref()) },
    Condition { sql: "occurred_at >= {}", value: |of| of.filter.occurred_at_from.map(Bound::from) },
    Condition { sql: "occurred_at < {}", value: |of| of.filter.occurred_at_until.map(Bound::from) },
];

const LATEST_FIRST: &[Key<SecurityEvent>] = &[
    Key::moment("occurred_at", |event: &SecurityEvent| json!(event.occurred_at)).descending(),
    Key::id("event_uuid", |event: &SecurityEvent| json!(event.uuid)).descending(),
];
