//! The list of mail messages for staff, without their content, with its filters and orders.

use labs_core::describe::InputType;
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::MailMessageState;

/// A mail message without its content.
#[derive(sqlx::FromRow)]
pub(super) struct MailMessageRow {
    pub(super) message_uuid: Uuid,
    pub(super) kind: String,
    pub(super) recipient: String,
    pub(super) locale: String,
    pub(super) subject: String,
    pub(super) state: MailMessageState,
    pub(super) attempts: i32,
    pub(super) next_attempt_at: Time,
    pub(super) sent_at: Option<Time>,
    pub(super) last_error: Option<String>,
    pub(super) created_at: Time,
    pub(super) person_uuid: Option<Uuid>,
    pub(super) partner_uuid: Option<Uuid>,
}

static WITHOUT_CONTENT: Select<MailMessageRow> = Select::new(
    "message_uuid, kind, recipient, locale, subject, state, attempts, next_attempt_at, sent_at, last_error, created_at,
     person_uuid, partner_uuid",
    "mail_message",
);

/// Lookup of one mail message.
pub(super) static BY_ID: Lookup<MailMessageRow> = Lookup::new(&WITHOUT_CONTENT, &["message_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct MailMessageFilter {
    state: Option<Vec<MailMessageState>>,
    kind: Option<Vec<String>>,
    recipient: Option<Vec<String>>,
    person_uuid: Option<Vec<Uuid>>,
    partner_uuid: Option<Vec<Uuid>>,
    created_at_from: Option<Time>,
    created_at_until: Option<Time>,
}

words! {
    /// Orders of mail messages.
    pub enum MailMessageSort {
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
    }
}

/// List query of the outbox.
pub(super) static MAIL_MESSAGES: ListQuery<MailMessageFilter, MailMessageRow, MailMessageSort> = ListQuery {
    operation: "admin_mail_messages_list",
    select: &WITHOUT_CONTENT,
    within: &[],
    conditions: &[
        Condition { sql: "state = any({})", value: |filter| SqlValue::words(filter.state.as_ref()) },
        // There are few kinds and no index on them. The condition makes the planner follow the index of the order.
        Condition { sql: "coalesce(kind = any({}), false)", value: |filter| SqlValue::texts(filter.kind.as_ref()) },
        Condition { sql: "lower(recipient) = any({})", value: |filter| to_lower_case(filter.recipient.as_ref()) },
        Condition { sql: "person_uuid = any({})", value: |filter| SqlValue::ids(filter.person_uuid.as_ref()) },
        Condition { sql: "partner_uuid = any({})", value: |filter| SqlValue::ids(filter.partner_uuid.as_ref()) },
        Condition { sql: "created_at >= {}", value: |filter| filter.created_at_from.map(SqlValue::from) },
        Condition { sql: "created_at < {}", value: |filter| filter.created_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        MailMessageSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        MailMessageSort::CreatedAt => const { &[CREATED, ID] },
    },
};

const ID: Key<MailMessageRow> = Key::id("message_uuid", |row| json!(row.message_uuid));
const CREATED: Key<MailMessageRow> = Key::moment("created_at", |row| json!(row.created_at));

/// Converts addresses to the form in which they are compared.
fn to_lower_case(addresses: Option<&Vec<String>>) -> Option<SqlValue> {
    let addresses = addresses.map(|addresses| addresses.iter().map(|address| address.to_lowercase()).collect());
    SqlValue::texts(addresses.as_ref())
}

/// Run-time SQL statements of mail messages, which the compiler does not check.
pub static STATEMENTS: [&dyn Statements; 2] = [&MAIL_MESSAGES, &BY_ID];
