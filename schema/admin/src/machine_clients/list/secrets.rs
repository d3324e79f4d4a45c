//! The list of the current and former client secrets of a machine client.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::super::resolvers::types::MachineClientSecretEntry;
use super::super::rules::lifecycle::MachineClientSecretState;

/// State of a client secret: deletion outranks expiry.
macro_rules! state {
    () => {
        "case when revoked_at is not null then 'DELETED' when expires_at <= labs_now() then 'EXPIRED' else 'ACTIVE' end"
    };
}

static ENTRIES: Select<MachineClientSecretEntry> = Select::new(
    concat!(
        "secret_uuid as uuid, prefix, ",
        state!(),
        " as state, created_at, expires_at, revoked_at as deleted_at, last_used_at"
    ),
    "machine_client_secret",
);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(crate) struct MachineClientSecretFilter {
    state: Option<Vec<MachineClientSecretState>>,
}

/// Client secrets of one machine client.
#[derive(Debug, Serialize)]
pub(in super::super) struct SecretsOfClient {
    pub(in super::super) client_uuid: Uuid,
    pub(in super::super) filter: MachineClientSecretFilter,
}

/// List query of a machine client's client secrets, newest first.
pub(in super::super) static SECRETS: ListQuery<SecretsOfClient, MachineClientSecretEntry, FixedOrder> = ListQuery {
    operation: "admin_machine_clients_list_secrets",
    select: &ENTRIES,
    within: &[Condition { sql: "client_uuid = {}", value: |of| Some(of.client_uuid.into()) }],
    conditions: &[Condition {
        sql: concat!(state!(), " = any({})"),
        value: |of| SqlValue::words(of.filter.state.as_ref()),
    }],
    order: |FixedOrder| const { &[CREATED.descending(), ID.descending()] },
};

const ID: Key<MachineClientSecretEntry> = Key::id("secret_uuid", |entry| json!(entry.uuid));
const CREATED: Key<MachineClientSecretEntry> = Key::moment("created_at", |entry| json!(entry.created_at));
