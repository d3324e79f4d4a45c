//! The history of a partner's account, with its filters and order.

use labs_core::access;
use labs_core::describe::InputType;
use labs_core::event_positions::EventList;
use labs_core::list::{Condition, FixedOrder, FollowQuery, Key, ListQuery, Select, SqlValue, Statements};
use labs_core::of_positions;
use labs_core::time::Time;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::types::{PartnerEventActorKind, PartnerEventGroup};

/// An entry of the history.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct HistoryRow {
    pub(super) event_group: PartnerEventGroup,
    pub(super) event_uuid: Uuid,
    pub(super) occurred_at: Time,
    pub(super) kind: String,
    pub(super) actor_kind: PartnerEventActorKind,
    pub(super) actor_uuid: Option<Uuid>,
    pub(super) actor_name: Option<String>,
    pub(super) subject_uuid: Option<Uuid>,
    pub(super) operation: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) detail: Value,
}

/// Columns of the account history.
const COLUMNS: &str = "e.event_group, e.event_uuid, e.occurred_at, e.kind, e.actor_kind, e.actor_uuid,
     coalesce(h.name, c.name) as actor_name, e.subject_uuid, e.operation, e.reason, e.detail";

/// Relations with the names of actors. A former team member is shown without a name.
macro_rules! named {
    () => {
        "left join person as h on h.person_uuid = e.actor_uuid and h.partner_uuid = e.partner_uuid
     left join machine_client as c on c.client_uuid = e.actor_uuid and c.partner_uuid = e.partner_uuid"
    };
}

static HISTORY: Select<HistoryRow> = Select::new(COLUMNS, concat!("partner_account_history as e ", named!()));

static HISTORY_BY_POSITION: Select<HistoryRow> =
    Select::new(COLUMNS, concat!(of_positions!("partner_account_history", "e"), named!()));

/// Filter of the history. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct PartnerEventFilter {
    group: Option<Vec<PartnerEventGroup>>,
    kind: Option<Vec<String>>,
    actor_kind: Option<Vec<PartnerEventActorKind>>,
    occurred_at_from: Option<Time>,
    occurred_at_until: Option<Time>,
}

/// The history of a partner.
#[derive(Debug, Serialize)]
pub(super) struct OwnHistory {
    pub(super) partner_uuid: Uuid,
    pub(super) filter: PartnerEventFilter,
}

/// List query of the events of a partner's account, newest first.
pub(super) static EVENTS: ListQuery<OwnHistory, HistoryRow, FixedOrder> = ListQuery {
    operation: "partner_account_list_events",
    select: &HISTORY,
    within: &[Condition { sql: "e.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }, SHOWN, DISCLOSED],
    conditions: NARROWED,
    order: |_| const { &[OCCURRED.descending(), ID.descending()] },
};

/// The events of a partner's account by position, oldest first.
pub(super) static FOLLOWED: FollowQuery<OwnHistory, HistoryRow> = FollowQuery {
    operation: "partner_account_list_events",
    list: EventList::Account,
    select: &HISTORY_BY_POSITION,
    about: |of| of.partner_uuid,
    // The positions are the partner's.
    within: &[SHOWN, DISCLOSED],
    conditions: NARROWED,
};

const SHOWN: Condition<OwnHistory> = Condition { sql: "e.is_shown", value: |_| Some(SqlValue::Nothing) };
/// Staff operations that the partner may read about.
const DISCLOSED: Condition<OwnHistory> = Condition {
    sql: "(e.operation is null or e.operation = any({}))",
    value: |_| Some(SqlValue::Texts(access::list_disclosed().operations.clone())),
};

const NARROWED: &[Condition<OwnHistory>] = &[
    Condition { sql: "e.event_group = any({})", value: |of| SqlValue::words(of.filter.group.as_ref()) },
    Condition { sql: "e.kind = any({})", value: |of| SqlValue::texts(of.filter.kind.as_ref()) },
    Condition { sql: "e.actor_kind = any({})", value: |of| SqlValue::words(of.filter.actor_kind.as_ref()) },
    Condition { sql: "e.occurred_at >= {}", value: |of| of.filter.occurred_at_from.map(SqlValue::from) },
    Condition { sql: "e.occurred_at < {}", value: |of| of.filter.occurred_at_until.map(SqlValue::from) },
];

const OCCURRED: Key<HistoryRow> = Key::moment("e.occurred_at", |row| json!(row.occurred_at));
const ID: Key<HistoryRow> = Key::id("e.event_uuid", |row| json!(row.event_uuid));

/// Run-time SQL statements of accounts, which the compiler does not check.
pub(in crate::partner) static STATEMENTS: [&dyn Statements; 2] = [&EVENTS, &FOLLOWED];
