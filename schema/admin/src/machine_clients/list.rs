//! The list of machine clients, with its filters and orders.

pub(super) mod grants;
pub(super) mod secrets;

use jiff::Timestamp;
use labs_core::describe::InputType;
use labs_core::list::{Condition, Key, ListQuery, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::scope::opening_scopes;
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::lifecycle::MachineClientState;
use super::store::{BY_ID, MachineClientRow, PROGRAM, SHOWN};

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct MachineClientFilter {
    state: Option<Vec<MachineClientState>>,
    partner_uuid: Option<Vec<Uuid>>,
    bound: Option<bool>,
    scope: Option<Vec<String>>,
    q: Option<String>,
    last_used_at_from: Option<Time>,
    last_used_at_until: Option<Time>,
}

words! {
    /// Orders of machine clients.
    pub enum MachineClientSort {
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
        /// By name, ignoring case.
        Name = "NAME",
        /// Most recently used first; never used last.
        LastUsedAtDesc = "LAST_USED_AT_DESC",
    }
}

/// List query of machine clients.
pub(super) static MACHINE_CLIENTS: ListQuery<MachineClientFilter, MachineClientRow, MachineClientSort> = ListQuery {
    operation: "admin_machine_clients_list",
    select: &SHOWN,
    within: &[],
    conditions: &[
        Condition { sql: "state = any({})", value: |filter| SqlValue::words(filter.state.as_ref()) },
        Condition { sql: "partner_uuid = any({})", value: |filter| SqlValue::ids(filter.partner_uuid.as_ref()) },
        Condition { sql: "(partner_uuid is not null) = {}", value: |filter| filter.bound.map(SqlValue::from) },
        Condition {
            // A broad condition. If the planner could estimate it, it would read and sort all machine clients.
            sql: "coalesce(allowed_scopes && {}, false)",
            value: |filter| {
                let named = filter.scope.as_ref().filter(|named| !named.is_empty());
                named.map(|named| SqlValue::Texts(opening_scopes(named)))
            },
        },
        Condition {
            sql: matches_words!("name", "client_id", "contact_email", "company_name"),
            value: |filter| filter.q.as_deref().map(SqlValue::from),
        },
        Condition { sql: "last_used_at >= {}", value: |filter| filter.last_used_at_from.map(SqlValue::from) },
        Condition { sql: "last_used_at < {}", value: |filter| filter.last_used_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        MachineClientSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        MachineClientSort::CreatedAt => const { &[CREATED, ID] },
        MachineClientSort::Name => const { &[NAME, ID] },
        MachineClientSort::LastUsedAtDesc => const { &[USED.descending(), ID.descending()] },
    },
};

const ID: Key<MachineClientRow> = Key::id("client_uuid", |row| json!(row.client_uuid));
const CREATED: Key<MachineClientRow> = Key::moment("created_at", |row| json!(row.created_at));
const NAME: Key<MachineClientRow> = Key::text("name_order(name) collate \"C\"", |row| json!(row.name_sorted));
const USED: Key<MachineClientRow> =
    Key::moment("coalesce(last_used_at, '1970-01-01 00:00:00+00'::timestamptz)", |row| {
        json!(row.last_used_at.unwrap_or(Time(Timestamp::UNIX_EPOCH)))
    });

/// Run-time SQL statements of machine clients, which the compiler does not check.
pub static STATEMENTS: [&dyn Statements; 5] =
    [&MACHINE_CLIENTS, &BY_ID, &PROGRAM, &secrets::SECRETS, &grants::TOKEN_GRANTS];
