//! The lookup of one staff note about a partner and the list of these notes, with its filters.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::matches_words;
use labs_core::time::Time;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

/// A note with the name of its author.
#[derive(sqlx::FromRow)]
pub(super) struct PartnerNoteRow {
    pub(super) note_uuid: Uuid,
    pub(super) author_uuid: Option<Uuid>,
    pub(super) author_name: Option<String>,
    pub(super) body: String,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

static WITH_AUTHOR: Select<PartnerNoteRow> = Select::new(
    "note.note_uuid, note.author_uuid, author.name as author_name, note.body, note.created_at, note.updated_at",
    "partner_note as note left join person as author on author.person_uuid = note.author_uuid",
);

/// Lookup of one note about a partner.
pub(super) static OF_PARTNER: Lookup<PartnerNoteRow> =
    Lookup::new(&WITH_AUTHOR, &["note.partner_uuid = {}", "note.note_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct PartnerNoteFilter {
    author_uuid: Option<Vec<Uuid>>,
    q: Option<String>,
}

/// Notes about one partner.
#[derive(Debug, Serialize)]
pub(super) struct NotesOfPartner {
    pub(super) partner_uuid: Uuid,
    pub(super) filter: PartnerNoteFilter,
}

/// List query of the notes about a partner, newest first.
pub(super) static NOTES: ListQuery<NotesOfPartner, PartnerNoteRow, FixedOrder> = ListQuery {
    operation: "admin_notes_list",
    select: &WITH_AUTHOR,
    within: &[Condition { sql: "note.partner_uuid = {}", value: |of| Some(of.partner_uuid.into()) }],
    conditions: &[
        Condition { sql: "note.author_uuid = any({})", value: |of| SqlValue::ids(of.filter.author_uuid.as_ref()) },
        Condition { sql: matches_words!("note.body"), value: |of| of.filter.q.as_deref().map(SqlValue::from) },
    ],
    order: |FixedOrder| const { &[CREATED.descending(), ID.descending()] },
};

const ID: Key<PartnerNoteRow> = Key::id("note.note_uuid", |row| json!(row.note_uuid));
const CREATED: Key<PartnerNoteRow> = Key::moment("note.created_at", |row| json!(row.created_at));

/// Run-time SQL statements of notes, which the compiler does not check.
pub(crate) static STATEMENTS: [&dyn Statements; 2] = [&NOTES, &OF_PARTNER];
