//! The representation and the list of signing keys, with its filters.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;

words! {
    /// State of a signing key.
    pub enum SigningKeyState {
        /// Signs after the next rotation.
        Next = "NEXT",
        /// Signs now.
        Current = "CURRENT",
        /// No longer signs, but verifies until its `expires_at`.
        Retired = "RETIRED",
    }
}

/// A signing key without its private key.
#[derive(sqlx::FromRow)]
pub(super) struct KeyRow {
    pub(super) key_id: String,
    pub(super) algorithm: String,
    pub(super) state: SigningKeyState,
    pub(super) public_key: Vec<u8>,
    pub(super) created_at: Time,
    pub(super) activated_at: Option<Time>,
    pub(super) retired_at: Option<Time>,
    pub(super) expires_at: Option<Time>,
}

static KEY: Select<KeyRow> = Select::new(
    "key_id, algorithm, state, public_key, created_at, activated_at, retired_at, expires_at",
    "signing_key",
);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct SigningKeyFilter {
    state: Option<Vec<SigningKeyState>>,
}

/// List query of signing keys, newest first.
pub(super) static KEYS: ListQuery<SigningKeyFilter, KeyRow, FixedOrder> = ListQuery {
    operation: "admin_signing_keys_list",
    select: &KEY,
    within: &[],
    conditions: &[Condition { sql: "state = any({})", value: |of| SqlValue::words(of.state.as_ref()) }],
    order: |FixedOrder| {
        const {
            &[
                Key::moment("created_at", |key: &KeyRow| json!(key.created_at)).descending(),
                Key::text("key_id", |key: &KeyRow| json!(key.key_id)).descending(),
            ]
        }
    },
};

/// Run-time SQL statements of signing keys, which the compiler does not check.
pub(crate) static STATEMENTS: [&dyn Statements; 1] = [&KEYS];
