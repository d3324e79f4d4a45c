//! The list of where a person is signed in.

use async_graphql::SimpleObject;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::auth::devices::UserAgent;
use crate::core::list::{Bound, Condition, FixedOrder, Key, ListQuery, Select, Statements};
use crate::core::time::Time;

/// Where a person is signed in.
#[derive(Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct OpenSession {
    /// The session.
    pub(super) uuid: Uuid,
    /// With what the person signed in, in a few words.
    #[sqlx(try_from = "UserAgent")]
    device: Option<String>,
    /// With what, in its own words.
    user_agent: Option<String>,
    /// From which network address.
    address: Option<String>,
    /// Whether a second factor was given.
    second_factor: bool,
    /// Time when the user signed in.
    created_at: Time,
    /// When the session was last refreshed.
    last_used_at: Time,
    /// Time when the session ends if it is not refreshed earlier.
    idle_expires_at: Time,
    /// Time when the session ends in any case.
    expires_at: Time,
}

static SESSION: Select<OpenSession> = Select::new(
    "session_uuid as uuid, user_agent as device, user_agent, host(address) as address, second_factor, created_at,
     last_used_at, idle_expires_at, expires_at",
    "session",
);

/// The list of a person's sessions that go on, the newest first, as an operation answers it.
pub(crate) const fn open_sessions(operation: &'static str) -> ListQuery<Uuid, OpenSession, FixedOrder> {
    ListQuery { operation, select: &SESSION, within: OPEN, conditions: &[], order: |FixedOrder| NEWEST_FIRST }
}

const OPEN: &[Condition<Uuid>] = &[
    Condition { sql: "person_uuid = {}", value: |person_uuid| Some((*person_uuid).into()) },
    Condition {
        sql: "ended_at is null and idle_expires_at > labs_now() and expires_at > labs_now()",
        value: |_| Some(Bound::Nothing),
    },
];

const NEWEST_FIRST: &[Key<OpenSession>] = &[
    Key::moment("created_at", |session: &OpenSession| json!(session.created_at)).descending(),
    Key::id("session_uuid", |session: &OpenSession| json!(session.uuid)).descending(),
];

/// The sessions of whoever asks.
pub(super) static OWN_SESSIONS: ListQuery<Uuid, OpenSession, FixedOrder> = open_sessions("auth_sessions_list");

/// What is asked of sessions in words that the compiler has not checked.
pub(in crate::auth) static STATEMENTS: [&dyn Statements; 1] = [&OWN_SESSIONS];
