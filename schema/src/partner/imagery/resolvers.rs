//! What may be asked of a vendor page's pictures.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use serde_json::json;
use uuid::Uuid;

use super::rules::ImageKind;
use super::store::{self, ImageRow, NewImage};
use crate::access::{access, answers_file};
use crate::ask::{Ask, Asking};
use crate::daily::{self, Daily};
use crate::entitlement::Allowance;
use crate::fault::Fault;
use crate::marketplace::media::{self, MediaVariant, MediaVariantName};
use crate::page::{List, Page, Window};
use crate::partner::events::{self, PartnerEvent};
use crate::partner::own::own;
use crate::partner::profile;
use crate::time::Time;

/// A picture of a partner's vendor page.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerImage {
    /// Its id.
    uuid: Uuid,
    /// What it is for.
    kind: ImageKind,
    /// What it shows, for those who cannot see it.
    alt_text: Option<String>,
    /// Media type of its bytes.
    media_type: String,
    /// Pixels of the original.
    width: i32,
    /// Pixels of the original.
    height: i32,
    /// Bytes of the original as it is kept.
    size_bytes: i64,
    /// SHA-256 of the original as it is kept, in hexadecimal.
    #[graphql(name = "sha256")]
    #[serde(rename = "sha256")]
    sha256: String,
    /// The sizes in which it can be had, the largest first.
    variants: Vec<MediaVariant>,
    /// Whether the draft of the page has it.
    in_draft: bool,
    /// Whether readers see it.
    is_published: bool,
    /// When it was put.
    created_at: Time,
}

/// What is said about a picture that comes as a file.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerImagePut {
    alt_text: Option<String>,
}

/// Reads of pictures.
#[derive(Default)]
pub(crate) struct ImageryQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ImageryQuery {
    /// Logo and banner with their sizes.
    #[graphql(directive = access::apply("partner.profile".into()))]
    async fn partner_imagery_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<PartnerImage>>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let (data, page) = page(ask, "partner_imagery_list", owner.uuid(), limit, cursor.as_deref()).await?;
        ask.answer_list(List { data, page })
    }

    /// The bytes of the draft's logo or banner, in one of four sizes.
    #[graphql(directive = access::apply("partner.profile".into()), directive = answers_file::apply(), visible = false)]
    async fn partner_imagery_get(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        kind: ImageKind,
        variant: Option<MediaVariantName>,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        let stored = store::stored_get(&ask.db, own(ask, partner_uuid)?, kind.name()).await?;
        let stored = stored.ok_or_else(|| missing(kind))?;
        let called = kind.name().to_ascii_lowercase();
        media::deliver(ask, &stored, variant.unwrap_or(MediaVariantName::Original), &called).await?;
        ask.answer(true)
    }
}

/// Writes of pictures.
#[derive(Default)]
pub(crate) struct ImageryMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ImageryMutation {
    /// Takes a picture into the draft, in the place of the one before it.
    #[graphql(directive = access::apply("partner.profile:write".into()))]
    async fn partner_imagery_put(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        kind: ImageKind,
        body: PartnerImagePut,
    ) -> Result<Option<PartnerImage>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let alt_text = media::text("/alt_text", body.alt_text.as_deref())?;
        let file = ask.attachment()?.bytes.clone();
        // What can be refused is refused before the picture costs a second of a core, or room in the store.
        let (aside, limit) = (ask.db.aside(), media::LIMIT);
        let allowance = Allowance::seen(&aside, partner_uuid, limit).await?;
        let today = async |bytes| {
            daily::check(ask, &aside, partner_uuid, Daily::Uploads, (bytes, media::most_a_day(allowance))).await
        };
        today(1).await?;
        let made = ask.services.pictures.process(ask.party()?, file, kind.picture()).await.map_err(media::refusal)?;
        let kept = store::bytes_get(&aside, owner, kind.name()).await?;
        media::room_checked(allowance, kept, made.size_bytes())?;
        today(made.stored_bytes()).await?;
        let kept = media::keep(ask, &made).await?;
        let new = NewImage {
            image_uuid: ask.new_uuid(),
            kind: kind.name(),
            alt_text,
            original: kept.original,
            sha256: kept.sha256,
            copies: kept.copies,
        };
        take(ask, &new, made.stored_bytes()).await?;
        let images = store::images(&ask.db, partner_uuid).await?;
        let image = images.into_iter().find(|image| image.image_uuid == new.image_uuid);
        ask.answer(image.ok_or_else(|| Fault::internal("a picture that was written is gone"))?.try_into()?)
    }

    /// Takes a picture out of the draft. Readers see it until the next publication.
    #[graphql(directive = access::apply("partner.profile:write".into()))]
    async fn partner_imagery_delete(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        kind: ImageKind,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        profile::lock_of(&ask.db, owner.uuid()).await?;
        if !store::remove(&ask.db, owner.uuid(), kind.name()).await? {
            return Err(missing(kind));
        }
        store::sweep(&ask.db, owner.uuid()).await?;
        note(ask, owner.uuid(), "IMAGE_DELETED", kind.name(), None, None).await?;
        ask.answer(true)
    }
}

/// A page of a partner's pictures, for its team and for staff, under the list's own name.
///
/// # Errors
/// [`crate::Code::InvalidCursor`] for a cursor of another list.
pub(crate) async fn page(
    ask: &Ask,
    list: &'static str,
    partner_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<&str>,
) -> Result<(Vec<PartnerImage>, Page), Fault> {
    let window = Window::read(&ask.services.cursors, list, &partner_uuid, limit, cursor)?;
    let rows = store::page(&ask.db, partner_uuid, &window).await?;
    let (rows, page) = window.cut(rows, ImageRow::keys);
    Ok((rows.into_iter().map(PartnerImage::try_from).collect::<Result<_, _>>()?, page))
}

/// Takes a picture off everywhere for staff: out of the draft, and off the page that readers see.
///
/// # Errors
/// [`crate::Code::NotFound`] when there is no such picture.
pub(crate) async fn delete_by_staff(ask: &Ask, partner_uuid: Uuid, kind: ImageKind, reason: &str) -> Result<(), Fault> {
    profile::lock_of(&ask.db, partner_uuid).await?;
    let was_drawn = store::remove(&ask.db, partner_uuid, kind.name()).await?;
    if !(store::unpublish(&ask.db, partner_uuid, kind.name()).await? || was_drawn) {
        return Err(missing(kind));
    }
    store::sweep(&ask.db, partner_uuid).await?;
    note(ask, partner_uuid, "IMAGE_DELETED", kind.name(), None, Some(reason)).await
}

/// Writes the row of a picture whose objects are there, while the subscription and the page are held: a publication
/// shows the picture before or this one, and a sweep takes neither from under it.
async fn take(ask: &Ask, new: &NewImage, stored: i64) -> Result<(), Fault> {
    let owner = ask.owner()?;
    let allowance = Allowance::lock(&ask.db, owner, media::LIMIT).await?;
    let kept = store::bytes_get(&ask.db, owner, new.kind).await?;
    media::room_checked(allowance, kept, new.original.size_bytes)?;
    daily::spend(ask, owner.uuid(), Daily::Uploads, (stored, media::most_a_day(allowance))).await?;
    profile::lock_of(&ask.db, owner.uuid()).await?;
    store::remove(&ask.db, owner.uuid(), new.kind).await?;
    store::insert(&ask.db, owner, new).await?;
    store::sweep(&ask.db, owner.uuid()).await?;
    note(ask, owner.uuid(), "IMAGE_UPLOADED", new.kind, Some(new.image_uuid), None).await
}

async fn note(
    ask: &Ask,
    partner_uuid: Uuid,
    event: &'static str,
    image_kind: &str,
    subject_uuid: Option<Uuid>,
    reason: Option<&str>,
) -> Result<(), Fault> {
    let event = PartnerEvent::by_caller(ask, partner_uuid, event)?.about(subject_uuid).because(reason);
    events::insert(&ask.db, &event.telling(json!({ "kind": image_kind }))).await
}

fn missing(kind: ImageKind) -> Fault {
    Fault::not_found(match kind {
        ImageKind::Logo => "logo",
        ImageKind::Banner => "banner",
    })
}

impl TryFrom<ImageRow> for PartnerImage {
    type Error = Fault;

    fn try_from(row: ImageRow) -> Result<Self, Fault> {
        let variants = MediaVariant::all(&row.original(), &row.variants.0);
        Ok(Self {
            uuid: row.image_uuid,
            kind: ImageKind::parse(&row.kind)?,
            alt_text: Some(row.alt_text).filter(|text| !text.is_empty()),
            media_type: row.media_type,
            width: row.width,
            height: row.height,
            size_bytes: row.size_bytes,
            sha256: hex::encode(row.sha256),
            variants,
            in_draft: row.in_draft,
            is_published: row.is_published,
            created_at: row.created_at,
        })
    }
}
