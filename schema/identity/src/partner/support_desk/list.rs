//! The queue of the support desk, with its filters and orders.

use labs_core::describe::InputType;
use labs_core::list::{Condition, EdgeQuery, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use labs_core::{matches_longest_word, matches_words};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::store::TicketRow;
use crate::partner::support_tickets::{SupportTicketPriority, SupportTicketState, SupportTopic};

/// Columns of the support tickets of all partners, for the support desk.
static TICKET: Select<TicketRow> = Select::new(
    "ticket_uuid, partner_uuid, company_name, subject, topic, app_uuid, app_slug, state, state_changed_at, priority,
     urgency, assignee_uuid, assignee_name, opened_by, opened_by_name, messages_count, last_message_at, waiting_since,
     created_at, updated_at",
    "support_desk_shown",
);

/// Lookup of one support ticket of any partner.
pub(super) static ANY: Lookup<TicketRow> = Lookup::new(&TICKET, &["ticket_uuid = {}"]);

/// Edge to a support ticket.
pub static TICKET_OF_DESK: EdgeQuery<TicketRow> = EdgeQuery {
    operation: "partner_support_desk_get",
    argument: "ticket_uuid",
    select: &TICKET,
    condition: "ticket_uuid = above.uuid",
    order: &[],
};

/// Edge to the support tickets of each partner, newest first.
pub static TICKETS_OF_EACH: EdgeQuery<TicketRow> = EdgeQuery {
    operation: "partner_support_desk_list",
    argument: "partner_uuid",
    select: &TICKET,
    condition: "partner_uuid = above.uuid",
    order: &[CREATED.descending(), ID.descending()],
};

/// Filter of the queue. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct SupportDeskFilter {
    state: Option<Vec<SupportTicketState>>,
    priority: Option<Vec<SupportTicketPriority>>,
    topic: Option<Vec<SupportTopic>>,
    assignee_uuid: Option<Vec<Uuid>>,
    assigned: Option<bool>,
    partner_uuid: Option<Vec<Uuid>>,
    pub(super) q: Option<String>,
    created_at_from: Option<Time>,
    created_at_until: Option<Time>,
    /// Whether many support tickets have the text in their subject or in the name of their partner.
    #[serde(skip)]
    pub(super) is_common_text: bool,
}

words! {
    /// Orders of the queue.
    pub enum SupportDeskSort {
        /// Most urgent first; oldest first within a priority.
        PriorityDesc = "PRIORITY_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
    }
}

/// List query of the queue.
pub(super) static QUEUE: ListQuery<SupportDeskFilter, TicketRow, SupportDeskSort> = ListQuery {
    operation: "partner_support_desk_list",
    select: &TICKET,
    within: &[],
    conditions: &[
        Condition { sql: "state = any({})", value: |filter| SqlValue::words(filter.state.as_ref()) },
        Condition { sql: "priority = any({})", value: |filter| SqlValue::words(filter.priority.as_ref()) },
        Condition { sql: "topic = any({})", value: |filter| SqlValue::words(filter.topic.as_ref()) },
        Condition { sql: "assignee_uuid = any({})", value: |filter| SqlValue::ids(filter.assignee_uuid.as_ref()) },
        Condition { sql: "(assignee_uuid is not null) = {}", value: |filter| filter.assigned.map(SqlValue::from) },
        Condition { sql: "partner_uuid = any({})", value: |filter| SqlValue::ids(filter.partner_uuid.as_ref()) },
        Condition {
            sql: concat!(
                "ticket_uuid = any(array(select s.ticket_uuid from support_ticket as s where ",
                matches_longest_word!("s.subject"),
                " union select s.ticket_uuid from support_ticket as s where s.partner_uuid = any(array(
                     select p.partner_uuid from partner as p where ",
                matches_longest_word!("p.company_name"),
                ")))) and ",
                matches_words!("subject", "company_name")
            ),
            value: |filter| filter.q.as_deref().filter(|_| !filter.is_common_text).map(SqlValue::from),
        },
        Condition {
            sql: matches_words!("subject", "company_name"),
            value: |filter| filter.q.as_deref().filter(|_| filter.is_common_text).map(SqlValue::from),
        },
        Condition { sql: "created_at >= {}", value: |filter| filter.created_at_from.map(SqlValue::from) },
        Condition { sql: "created_at < {}", value: |filter| filter.created_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        SupportDeskSort::PriorityDesc => const { &[URGENCY, CREATED, ID] },
        SupportDeskSort::CreatedAt => const { &[CREATED, ID] },
        SupportDeskSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
    },
};

const ID: Key<TicketRow> = Key::id("ticket_uuid", |row| json!(row.ticket_uuid));
const CREATED: Key<TicketRow> = Key::moment("created_at", |row| json!(row.created_at));
/// Sort key of the queue: lower values first.
const URGENCY: Key<TicketRow> = Key::whole("urgency", |row| json!(row.urgency));

/// Run-time SQL statements of support tickets at the desk, which the compiler does not check.
pub(in crate::partner) static STATEMENTS: [&dyn Statements; 4] = [&QUEUE, &ANY, &TICKET_OF_DESK, &TICKETS_OF_EACH];
