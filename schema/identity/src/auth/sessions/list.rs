//! List of a user's open sessions.

use labs_core::describe::OutputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue, Statements};
use labs_core::time::Time;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::auth::devices::UserAgent;

/// An open session of a user.
#[derive(Serialize, OutputType, sqlx::FromRow)]
pub struct OpenSession {
    /// UUID of the session.
    pub(super) uuid: Uuid,
    /// Short name of the device.
    #[sqlx(try_from = "UserAgent")]
    device: Option<String>,
    /// User agent of the client.
    user_agent: Option<String>,
    /// Network address of the client.
    address: Option<String>,
    /// Whether the user provided a second factor in this session.
    second_factor: bool,
    /// Time when the user signed in.
    created_at: Time,
    /// Hour in which the refresh cookie of the session was last used. Before the first use, the time when the session
    /// was opened.
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

/// List of a user's open sessions, newest first, for one operation.
pub const fn open_sessions(operation: &'static str) -> ListQuery<Uuid, OpenSession, FixedOrder> {
    ListQuery { operation, select: &SESSION, within: OPEN, conditions: &[], order: |FixedOrder| NEWEST_FIRST }
}

const OPEN: &[Condition<Uuid>] = &[
    Condition { sql: "person_uuid = {}", value: |person_uuid| Some((*person_uuid).into()) },
    Condition {
        sql: "ended_at is null and idle_expires_at > labs_now() and expires_at > labs_now()",
        value: |_| Some(SqlValue::Nothing),
    },
];

const NEWEST_FIRST: &[Key<OpenSession>] = &[
    Key::moment("created_at", |session: &OpenSession| json!(session.created_at)).descending(),
    Key::id("session_uuid", |session: &OpenSession| json!(session.uuid)).descending(),
];

/// The caller's own sessions.
pub(super) static OWN_SESSIONS: ListQuery<Uuid, OpenSession, FixedOrder> = open_sessions("auth_sessions_list");

/// SQL that this module assembles at run time, so the compiler does not check it.
pub(in crate::auth) static STATEMENTS: [&dyn Statements; 1] = [&OWN_SESSIONS];
