//! Security events of one user: representation and filter.

use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::auth::devices::UserAgent;

words! {
    /// Outcome of a security event.
    pub enum SecurityEventOutcome {
        /// The action was completed.
        Succeeded = "SUCCEEDED",
        /// The action was not allowed.
        Refused = "REFUSED",
        /// The action did not succeed, for example because of a wrong password.
        Failed = "FAILED",
    }
}

/// A security event of the caller's account.
#[derive(Serialize, OutputType, sqlx::FromRow)]
pub struct SecurityEvent {
    /// UUID of the event.
    uuid: Uuid,
    /// Time of the event.
    occurred_at: Time,
    /// Kind of the event, for example `SIGN_IN` or `PASSWORD_CHANGED`.
    kind: String,
    /// Outcome of the event.
    outcome: SecurityEventOutcome,
    /// Session in which the event occurred, or which it concerns. Null without a session.
    session_uuid: Option<Uuid>,
    /// Network address of the client.
    address: Option<String>,
    /// Short name of the device.
    #[sqlx(try_from = "UserAgent")]
    device: Option<String>,
    /// User agent of the client.
    user_agent: Option<String>,
}

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub struct SecurityEventFilter {
    kind: Option<Vec<String>>,
    outcome: Option<Vec<SecurityEventOutcome>>,
    occurred_at_from: Option<Time>,
    occurred_at_until: Option<Time>,
}

/// Scope and filter of a user's security events.
#[derive(Debug, Serialize)]
pub struct PersonEvents {
    /// User whose events are listed.
    pub person_uuid: Uuid,
    /// Filter of the list.
    pub filter: SecurityEventFilter,
}

static ENTRY: Select<SecurityEvent> = Select::new(
    "event_uuid as uuid, occurred_at, kind, outcome, session_uuid, host(address) as address, user_agent as device,
     user_agent",
    "security_event",
);

/// List of a user's security events, newest first, for one operation.
pub const fn person_events(operation: &'static str) -> ListQuery<PersonEvents, SecurityEvent, FixedOrder> {
    ListQuery { operation, select: &ENTRY, within: OF_PERSON, conditions: NARROWED, order: |FixedOrder| LATEST_FIRST }
}

const OF_PERSON: &[Condition<PersonEvents>] =
    &[Condition { sql: "person_uuid = {}", value: |of| Some(of.person_uuid.into()) }];

const NARROWED: &[Condition<PersonEvents>] = &[
    Condition { sql: "kind = any({})", value: |of| SqlValue::texts(of.filter.kind.as_ref()) },
    Condition { sql: "outcome = any({})", value: |of| SqlValue::words(of.filter.outcome.as_ref()) },
    Condition { sql: "occurred_at >= {}", value: |of| of.filter.occurred_at_from.map(SqlValue::from) },
    Condition { sql: "occurred_at < {}", value: |of| of.filter.occurred_at_until.map(SqlValue::from) },
];

const LATEST_FIRST: &[Key<SecurityEvent>] = &[
    Key::moment("occurred_at", |event: &SecurityEvent| json!(event.occurred_at)).descending(),
    Key::id("event_uuid", |event: &SecurityEvent| json!(event.uuid)).descending(),
];
