//! The list of a partner's support tickets, with its filters and orders.

use labs_core::describe::InputType;
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::SupportTicketState;
use super::types::{SupportTicket, SupportTopic};

/// Columns of support tickets for their partner.
static TICKET: Select<SupportTicket> = Select::new(
    "ticket_uuid as uuid, subject, topic, app_uuid, app_slug, state, state_changed_at, priority,
     opened_by as opened_by_uuid, opened_by_name, messages_count, last_message_at, created_at",
    "support_ticket_shown",
);

/// Lookup of one of a partner's support tickets.
pub(super) static OWN: Lookup<SupportTicket> = Lookup::new(&TICKET, &["partner_uuid = {}", "ticket_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct SupportTicketFilter {
    state: Option<Vec<SupportTicketState>>,
    topic: Option<Vec<SupportTopic>>,
    app_uuid: Option<Vec<Uuid>>,
    q: Option<String>,
}

/// Support tickets of one partner.
#[derive(Debug, Serialize)]
pub(super) struct OwnTickets {
    pub(super) partner_uuid: Uuid,
    pub(super) filter: SupportTicketFilter,
}

words! {
    /// Orders of a partner's support tickets.
    pub enum SupportTicketSort {
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
        /// Most recent message first.
        LastMessageAtDesc = "LAST_MESSAGE_AT_DESC",
    }
}

/// List query of a partner's support tickets.
pub(super) static TICKETS: ListQuery<OwnTickets, SupportTicket, SupportTicketSort> = ListQuery {
    operation: "partner_support_tickets_list",
    select: &TICKET,
    within: &[Condition { sql: "partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
    conditions: &[
        Condition { sql: "state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) },
        Condition { sql: "topic = any({})", value: |of| SqlValue::words(of.filter.topic.as_ref()) },
        Condition { sql: "app_uuid = any({})", value: |of| SqlValue::ids(of.filter.app_uuid.as_ref()) },
        Condition { sql: matches_words!("subject"), value: |of| of.filter.q.as_deref().map(SqlValue::from) },
    ],
    order: |sort| match sort {
        SupportTicketSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        SupportTicketSort::CreatedAt => const { &[CREATED, ID] },
        SupportTicketSort::LastMessageAtDesc => const { &[LAST_MESSAGE.descending(), ID.descending()] },
    },
};

const ID: Key<SupportTicket> = Key::id("ticket_uuid", |row| json!(row.uuid));
const CREATED: Key<SupportTicket> = Key::moment("created_at", |row| json!(row.created_at));
const LAST_MESSAGE: Key<SupportTicket> = Key::moment("last_message_at", |row| json!(row.last_message_at));

/// Run-time SQL statements of a partner's support tickets, which the compiler does not check.
pub(in crate::partner) static STATEMENTS: [&dyn Statements; 2] = [&TICKETS, &OWN];
