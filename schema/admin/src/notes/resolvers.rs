//! Operations on staff notes.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::RequestContext;
use labs_core::describe::{Created, InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{FixedOrder, PageRequest};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::principal::PrincipalType;
use labs_core::time::Time;
use uuid::Uuid;

use super::list::{NOTES, NotesOfPartner, OF_PARTNER, PartnerNoteFilter, PartnerNoteRow};
use super::{rules, store};
use crate::partners;

/// Author of a note.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerNoteAuthor {
    /// UUID of the author.
    uuid: Uuid,
    /// Name of the author.
    name: Option<String>,
}

/// A note that a staff member wrote about a partner. The partner never sees it.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerNote {
    /// UUID of the note.
    uuid: Uuid,
    /// Author of the note. Null if a machine client wrote it, or if the account no longer exists.
    author: Option<PartnerNoteAuthor>,
    /// Content of the note, in plain text. 1 to 5,000 characters.
    body: String,
    /// Time when the note was written.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
}

/// A note to create.
#[derive(serde::Deserialize, InputType)]
pub(super) struct PartnerNoteCreate {
    /// Content of the note, in plain text. 1 to 5,000 characters.
    body: String,
}

/// A merge patch (RFC 7396) of a note. Omitted fields remain unchanged.
#[derive(serde::Deserialize, InputType)]
pub(super) struct PartnerNoteUpdate {
    /// Content of the note, in plain text. 1 to 5,000 characters.
    body: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![admin_notes_list, admin_notes_create, admin_notes_update, admin_notes_delete];

/// List notes on a partner.
#[operation(query, access = "labs.admin.partners", audit_partner = "partner_uuid", hidden_from_partner)]
async fn admin_notes_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<PartnerNoteFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<PartnerNote>, Fault> {
    partners::note_partner(cx, partner_uuid).await?;
    let about = NotesOfPartner { partner_uuid, filter: filter.unwrap_or_default() };
    let rows = NOTES.page(cx, &about, &PageRequest { sort: FixedOrder, limit, cursor }).await?;
    let total = NOTES.total(&cx.db, &about, include_total).await?;
    Ok(rows.map(|row| Ok(row.into()))?.counted_list(total))
}

/// Create a note on a partner.
#[operation(mutation, access = "labs.admin.partners:write", audit_partner = "partner_uuid", hidden_from_partner)]
async fn admin_notes_create(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: PartnerNoteCreate,
) -> Result<Created<PartnerNote>, Fault> {
    let note_uuid = cx.new_uuid();
    partners::note_partner_for(cx, partner_uuid, AuditTargetKind::PartnerNote, note_uuid).await?;
    if !store::lock_partner(&cx.db, partner_uuid).await? {
        return Err(Fault::not_found("partner"));
    }
    let (text, principal) = (rules::body(&body.body)?, cx.principal()?);
    let author_uuid = Some(principal.uuid).filter(|_| principal.kind == PrincipalType::StaffUser);
    store::insert(&cx.db, partner_uuid, note_uuid, author_uuid, &text).await?;
    Ok(Created::new(note_uuid, load_note(cx, partner_uuid, note_uuid).await?))
}

/// Update a note on a partner.
#[operation(
    mutation,
    access = "labs.admin.partners:write",
    audit_target(PartnerNote, "note_uuid"),
    audit_partner = "partner_uuid",
    hidden_from_partner
)]
async fn admin_notes_update(
    cx: &RequestContext,
    partner_uuid: Uuid,
    note_uuid: Uuid,
    body: PartnerNoteUpdate,
) -> Result<PartnerNote, Fault> {
    lock_note(cx, partner_uuid, note_uuid).await?;
    if let Some(text) = body.body {
        store::update(&cx.db, note_uuid, &rules::body(&text)?).await?;
    }
    load_note(cx, partner_uuid, note_uuid).await
}

/// Delete a note on a partner.
#[operation(
    mutation,
    access = "labs.admin.partners:write",
    audit_target(PartnerNote, "note_uuid"),
    audit_partner = "partner_uuid",
    hidden_from_partner
)]
async fn admin_notes_delete(cx: &RequestContext, partner_uuid: Uuid, note_uuid: Uuid) -> Result<bool, Fault> {
    lock_note(cx, partner_uuid, note_uuid).await?;
    store::delete(&cx.db, note_uuid).await?;
    Ok(true)
}

/// Locks the note for a change by its author.
async fn lock_note(cx: &RequestContext, partner_uuid: Uuid, note_uuid: Uuid) -> Result<(), Fault> {
    partners::note_partner_for(cx, partner_uuid, AuditTargetKind::PartnerNote, note_uuid).await?;
    let author_uuid = store::lock(&cx.db, partner_uuid, note_uuid).await?.ok_or_else(err_not_found)?;
    rules::ensure_author(author_uuid, cx.principal()?.uuid)
}

async fn load_note(cx: &RequestContext, partner_uuid: Uuid, note_uuid: Uuid) -> Result<PartnerNote, Fault> {
    Ok(OF_PARTNER.fetch_one(&cx.db, [partner_uuid.into(), note_uuid.into()]).await?.ok_or_else(err_not_found)?.into())
}

fn err_not_found() -> Fault {
    Fault::not_found("note about this partner")
}

impl From<PartnerNoteRow> for PartnerNote {
    fn from(row: PartnerNoteRow) -> Self {
        let (uuid, name) = (row.author_uuid, row.author_name);
        Self {
            uuid: row.note_uuid,
            author: uuid.map(|uuid| PartnerNoteAuthor { uuid, name }),
            body: row.body,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}
