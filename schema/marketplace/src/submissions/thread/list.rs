//! Queries for the conversation about a version: lookup of an entry, and the list with its filters and orders.

use labs_core::list::{Condition, Key, ListQuery, Select, SqlValue};
use labs_core::time::Time;
use labs_core::words::words;
use serde::Serialize;
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::types::SubmissionMessageKind;
use crate::submissions::rules::SubmissionState;
use crate::submissions::store::FindingRow;

/// Entry of a conversation.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(in crate::submissions) struct MessageRow {
    pub(super) message_uuid: Uuid,
    pub(super) kind: SubmissionMessageKind,
    pub(super) author_kind: String,
    pub(super) author_uuid: Option<Uuid>,
    pub(super) author_name: Option<String>,
    /// Whether the app belonged to another partner when the entry was written.
    pub(super) by_former_owner: bool,
    pub(super) body: Option<String>,
    pub(super) decision: Option<SubmissionState>,
    pub(super) findings: Json<Vec<FindingRow>>,
    pub(super) submission_uuid: Uuid,
    pub(super) appeal: bool,
    pub(super) created_at: Time,
    /// Whether the entry is newer than the caller's last read time.
    pub(super) unread: bool,
}

/// Entries; `{}` is the reader.
static SAID: Select<MessageRow> = Select::new(
    "m.message_uuid, m.kind, m.author_kind, m.author_uuid, actor_name(m.author_kind, m.author_uuid) as author_name,
     m.created_at < app_owned_since(s.app_uuid) as by_former_owner, m.body, m.decision, m.submission_uuid, s.appeal, m.created_at,
     m.created_at > coalesce((
         select read.read_until from review_thread_read as read
         where read.version_uuid = m.version_uuid and read.person_uuid = {}), '-infinity') as unread,
     case when m.kind = 'DECISION' then coalesce((
         select jsonb_agg(to_jsonb(f) order by f.position, f.finding_uuid) from version_finding as f
         where f.submission_uuid = m.submission_uuid), '[]') else '[]' end as findings",
    "review_message as m join submission as s on s.submission_uuid = m.submission_uuid",
);

/// Parameters of a conversation about a version.
#[derive(Debug, Serialize)]
pub(in crate::submissions) struct MessageThread {
    /// Reader.
    pub(super) reader_uuid: Uuid,
    /// Version that the conversation concerns.
    pub(super) version_uuid: Uuid,
    /// Whether the result includes the reviewers' notes.
    pub(super) with_notes: bool,
    /// Restricts the result to one entry.
    pub(super) message_uuid: Option<Uuid>,
}

words! {
    /// Orders of a conversation.
    pub(crate) enum ReviewMessageSort {
        /// Oldest first.
        CreatedAt = "CREATED_AT",
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
    }
}

/// List of the entries.
pub(in crate::submissions) static MESSAGES: ListQuery<MessageThread, MessageRow, ReviewMessageSort> = ListQuery {
    operation: "marketplace_versions_list_messages",
    select: &SAID,
    within: &[
        Condition::given(|of| Some(of.reader_uuid.into())),
        Condition { sql: "m.version_uuid = {}", value: |of| Some(of.version_uuid.into()) },
        Condition { sql: "m.message_uuid = {}", value: |of| of.message_uuid.map(SqlValue::from) },
        Condition { sql: "not m.internal", value: |of| (!of.with_notes).then_some(SqlValue::Nothing) },
    ],
    conditions: &[],
    order: |sort| match sort {
        ReviewMessageSort::CreatedAt => const { &[CREATED, ID] },
        ReviewMessageSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
    },
};

const ID: Key<MessageRow> = Key::id("m.message_uuid", |row| json!(row.message_uuid));
const CREATED: Key<MessageRow> = Key::moment("m.created_at", |row| json!(row.created_at));
