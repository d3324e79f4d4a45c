//! Operations on staff notes.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use labs_core::access::{access, audit_partner, audit_target, hidden_from_partner};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, RequestContextExt};
use labs_core::fault::Fault;
use labs_core::list::{FixedOrder, PageRequest};
use labs_core::page::CountedList;
use labs_core::principal::PrincipalType;
use labs_core::time::Time;
use uuid::Uuid;

use super::list::{NOTES, NotesOfPartner, OF_PARTNER, PartnerNoteFilter, PartnerNoteRow};
use super::{rules, store};
use crate::admin::partners;

/// Author of a note.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerNoteAuthor {
    /// UUID of the author.
    uuid: Uuid,
    /// Name of the author.
    name: Option<String>,
}

/// Note of a staff member about a partner.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerNote {
    /// UUID of the note.
    uuid: Uuid,
    /// Author of the note; null for a machine client or an erased user.
    author: Option<PartnerNoteAuthor>,
    /// Plain text of the note.
    body: String,
    /// Time when the note was written.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
}

/// Text of a note to create or replace.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerNoteCreate {
    /// Plain text of the note.
    body: String,
}

/// A merge patch of a note (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerNoteUpdate {
    /// Plain text of the note.
    body: Option<String>,
}

/// Queries for notes.
#[derive(Default)]
pub(crate) struct NotesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl NotesQuery {
    /// List notes on a partner.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = hidden_from_partner::apply()
    )]
    async fn admin_notes_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<PartnerNoteFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<PartnerNote>>, Fault> {
        let cx = ctx.cx();
        partners::note_partner(cx, partner_uuid).await?;
        let about = NotesOfPartner { partner_uuid, filter: filter.unwrap_or_default() };
        let rows = NOTES.page(cx, &about, &PageRequest { sort: FixedOrder, limit, cursor }).await?;
        let total = NOTES.total(&cx.db, &about, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(row.into()))?.counted_list(total))
    }
}

/// Mutations of notes.
#[derive(Default)]
pub(crate) struct NotesMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl NotesMutation {
    /// Create a note on a partner.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = hidden_from_partner::apply()
    )]
    async fn admin_notes_create(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: PartnerNoteCreate,
    ) -> Result<Option<PartnerNote>, Fault> {
        let cx = ctx.cx();
        let note_uuid = cx.new_uuid();
        partners::note_partner_for(cx, partner_uuid, AuditTargetKind::PartnerNote, note_uuid).await?;
        if !store::lock_partner(&cx.db, partner_uuid).await? {
            return Err(Fault::not_found("partner"));
        }
        let (text, principal) = (rules::body(&body.body)?, cx.principal()?);
        let author_uuid = Some(principal.uuid).filter(|_| principal.kind == PrincipalType::StaffUser);
        store::insert(&cx.db, partner_uuid, note_uuid, author_uuid, &text).await?;
        cx.answer_created(note_uuid, load_note(cx, partner_uuid, note_uuid).await?)
    }

    /// Update a note on a partner.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_target::apply(AuditTargetKind::PartnerNote, "note_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = hidden_from_partner::apply()
    )]
    async fn admin_notes_update(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        note_uuid: Uuid,
        body: PartnerNoteUpdate,
    ) -> Result<Option<PartnerNote>, Fault> {
        let cx = ctx.cx();
        lock_note(cx, partner_uuid, note_uuid).await?;
        if let Some(text) = body.body {
            store::update(&cx.db, note_uuid, &rules::body(&text)?).await?;
        }
        cx.answer(load_note(cx, partner_uuid, note_uuid).await?)
    }

    /// Delete a note on a partner.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_target::apply(AuditTargetKind::PartnerNote, "note_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into()),
        directive = hidden_from_partner::apply()
    )]
    async fn admin_notes_delete(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        note_uuid: Uuid,
    ) -> Result<Option<bool>, Fault> {
        let cx = ctx.cx();
        lock_note(cx, partner_uuid, note_uuid).await?;
        store::delete(&cx.db, note_uuid).await?;
        cx.answer(true)
    }
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
