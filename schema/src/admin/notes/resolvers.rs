//! What may be asked about staff's notes.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use uuid::Uuid;

use super::list::{NOTES, NotesOfPartner, OF_PARTNER, PartnerNoteFilter, PartnerNoteRow};
use super::{rules, store};
use crate::access::{access, audit_partner, audit_target};
use crate::admin::partners;
use crate::ask::{Ask, Asking};
use crate::fault::Fault;
use crate::list::{FixedOrder, PageRequest};
use crate::page::CountedList;
use crate::principal::PrincipalType;
use crate::time::Time;

/// Who wrote a note.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerNoteAuthor {
    /// Who.
    uuid: Uuid,
    /// Their name.
    name: Option<String>,
}

/// What somebody of the staff noted about a partner.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerNote {
    /// The note.
    uuid: Uuid,
    /// Who wrote it; null when it was a program, or somebody who is gone.
    author: Option<PartnerNoteAuthor>,
    /// The text, plain.
    body: String,
    /// When it was written.
    created_at: Time,
    /// When it last changed.
    updated_at: Time,
}

/// A note to be, or what it is to say.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerNoteCreate {
    /// The text, plain.
    body: String,
}

/// A merge patch of a note (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerNoteUpdate {
    /// The text, plain.
    body: Option<String>,
}

/// Reads of notes.
#[derive(Default)]
pub(crate) struct NotesQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl NotesQuery {
    /// What staff noted about a partner.
    #[graphql(
        directive = access::apply("labs.admin.partners".into()),
        directive = audit_partner::apply("partner_uuid".into())
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
        let ask = ctx.ask();
        partners::seen(ask, partner_uuid).await?;
        let about = NotesOfPartner { partner_uuid, filter: filter.unwrap_or_default() };
        let rows = NOTES.page(ask, &about, &PageRequest { sort: FixedOrder, limit, cursor }).await?;
        let total = NOTES.total(&ask.db, &about, include_total).await?;
        ask.answer_list(rows.map(|row| Ok(row.into()))?.counted_list(total))
    }
}

/// Writes of notes.
#[derive(Default)]
pub(crate) struct NotesMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl NotesMutation {
    /// Notes something about a partner.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_notes_create(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: PartnerNoteCreate,
    ) -> Result<Option<PartnerNote>, Fault> {
        let ask = ctx.ask();
        let note_uuid = ask.new_uuid();
        partners::seen_for(ask, partner_uuid, "PARTNER_NOTE", note_uuid).await?;
        if !store::partner_lock(&ask.db, partner_uuid).await? {
            return Err(Fault::not_found("partner"));
        }
        let (text, principal) = (rules::body(&body.body)?, ask.principal()?);
        let author_uuid = Some(principal.uuid).filter(|_| principal.kind == PrincipalType::StaffUser);
        store::insert(&ask.db, partner_uuid, note_uuid, author_uuid, &text).await?;
        ask.answer_created(note_uuid, found(ask, partner_uuid, note_uuid).await?)
    }

    /// Changes a note of one's own.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_target::apply("note".into(), "note_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_notes_update(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        note_uuid: Uuid,
        body: PartnerNoteUpdate,
    ) -> Result<Option<PartnerNote>, Fault> {
        let ask = ctx.ask();
        held(ask, partner_uuid, note_uuid).await?;
        if let Some(text) = body.body {
            store::update(&ask.db, note_uuid, &rules::body(&text)?).await?;
        }
        ask.answer(found(ask, partner_uuid, note_uuid).await?)
    }

    /// Removes a note of one's own.
    #[graphql(
        directive = access::apply("labs.admin.partners:write".into()),
        directive = audit_target::apply("note".into(), "note_uuid".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn admin_notes_delete(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        note_uuid: Uuid,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        held(ask, partner_uuid, note_uuid).await?;
        store::delete(&ask.db, note_uuid).await?;
        ask.answer(true)
    }
}

/// The note held for a change by its author.
async fn held(ask: &Ask, partner_uuid: Uuid, note_uuid: Uuid) -> Result<(), Fault> {
    partners::seen_for(ask, partner_uuid, "PARTNER_NOTE", note_uuid).await?;
    let author_uuid = store::lock(&ask.db, partner_uuid, note_uuid).await?.ok_or_else(missing)?;
    rules::own(author_uuid, ask.principal()?.uuid)
}

async fn found(ask: &Ask, partner_uuid: Uuid, note_uuid: Uuid) -> Result<PartnerNote, Fault> {
    Ok(OF_PARTNER.one(&ask.db, [partner_uuid.into(), note_uuid.into()]).await?.ok_or_else(missing)?.into())
}

fn missing() -> Fault {
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
