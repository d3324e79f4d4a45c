//! What may be asked of an app's pictures.

use std::collections::BTreeMap;

use async_graphql::{Context, InputObject, Object, SimpleObject};
use serde::Serialize;
use uuid::Uuid;

use super::content::{self, Kept, MediaVariantName, Size};
use super::list::{MediaFilter, MediaRow, OF_AN_APP, OwnPictures};
use super::rules::{self, MediaKind};
use super::store::{self, NewMedia, Room};
use crate::access::{access, answers_file};
use crate::ask::{Ask, Asking};
use crate::daily::{self, Daily};
use crate::entitlement::Allowance;
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::marketplace::apps;
use crate::page::List;
use crate::time::Time;

/// A picture of an app's draft.
#[derive(Clone, Debug, serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct Media {
    /// Its id.
    uuid: Uuid,
    /// Its app.
    app_uuid: Uuid,
    /// What it is for.
    kind: MediaKind,
    /// Its place among the pictures of its kind, from 1.
    position: i32,
    /// What it shows, for those who cannot see it.
    alt_text: Option<String>,
    /// A line shown under it.
    caption: Option<String>,
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
    /// The sizes in which its content can be had, the largest first.
    variants: Vec<MediaVariant>,
    /// When it was uploaded.
    created_at: Time,
}

/// A size in which a picture can be had.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct MediaVariant {
    /// Which one.
    pub(crate) name: MediaVariantName,
    /// Pixels.
    pub(crate) width: i32,
    /// Pixels.
    pub(crate) height: i32,
}

impl MediaVariant {
    /// Every size of a picture, the largest first.
    pub(crate) fn all(original: &Size, copies: &BTreeMap<String, Size>) -> Vec<Self> {
        let sizes = content::sizes(original, copies).into_iter();
        sizes.map(|(name, size)| Self { name, width: size.width, height: size.height }).collect()
    }
}

/// What is said about a picture that comes as a file.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct MediaUpload {
    kind: MediaKind,
    alt_text: Option<String>,
    caption: Option<String>,
}

/// Reads of pictures.
#[derive(Default)]
pub(in crate::marketplace) struct MediaQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl MediaQuery {
    /// The pictures of an app's draft: icon, banner, screenshots.
    #[graphql(directive = access::apply("marketplace.apps".into()))]
    async fn marketplace_media_list(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
        filter: Option<MediaFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<Media>>, Fault> {
        let ask = ctx.ask();
        let filter = filter.unwrap_or_default();
        let own = OwnPictures { partner_uuid: ask.owner()?.uuid(), app_uuid, filter };
        let found = OF_AN_APP.page(ask, &own, &PageRequest::new(None, limit, cursor)).await?;
        if found.rows.is_empty() {
            room(ask, app_uuid, MediaKind::Icon).await?;
        }
        ask.answer_list(found.map(|row| Ok(Media::from(row)))?.list())
    }

    /// The bytes of a picture, in one of four sizes.
    #[graphql(directive = access::apply("marketplace.apps".into()), directive = answers_file::apply(), visible = false)]
    async fn marketplace_media_get_content(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
        media_uuid: Uuid,
        variant: Option<MediaVariantName>,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        let stored = store::stored_get(&ask.db, ask.owner()?, app_uuid, media_uuid).await?;
        let stored = stored.ok_or_else(|| Fault::not_found("picture"))?;
        let called = stored.media_uuid.to_string();
        content::deliver(ask, &stored, variant.unwrap_or(MediaVariantName::Original), &called).await?;
        ask.answer(true)
    }
}

/// Writes of pictures.
#[derive(Default)]
pub(in crate::marketplace) struct MediaMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl MediaMutation {
    /// Takes a picture into an app's draft.
    #[graphql(directive = access::apply("marketplace.apps:write".into()))]
    async fn marketplace_media_upload(
        &self,
        ctx: &Context<'_>,
        app_uuid: Uuid,
        body: MediaUpload,
    ) -> Result<Option<Media>, Fault> {
        let (ask, kind) = (ctx.ask(), body.kind);
        let alt_text = rules::text("/alt_text", body.alt_text.as_deref())?;
        let caption = rules::text("/caption", body.caption.as_deref())?;
        let file = ask.attachment()?.bytes.clone();
        // What can be refused is refused before the picture costs a second of a core, or room in the store.
        let before = room(ask, app_uuid, kind).await?;
        rules::place(kind, before.of_kind)?;
        let (aside, owner) = (ask.db.aside(), ask.owner()?.uuid());
        let allowance = Allowance::seen(&aside, owner, rules::LIMIT).await?;
        let today =
            async |bytes| daily::check(ask, &aside, owner, Daily::Uploads, (bytes, rules::most_a_day(allowance))).await;
        today(1).await?;
        let made = ask.services.pictures.process(ask.party()?, file, kind.picture()).await.map_err(rules::refusal)?;
        rules::room_checked(allowance, before.bytes, made.size_bytes())?;
        today(made.stored_bytes()).await?;
        let kept = content::keep(ask, &made).await?;
        let new = NewMedia { app_uuid, alt_text, caption, ..begun(ask, kind, kept) };
        let row = take(ask, kind, new, made.stored_bytes()).await?;
        ask.answer_created(row.media_uuid, row.into())
    }
}

/// What there is before an upload, as anybody may have changed it meanwhile.
async fn room(ask: &Ask, app_uuid: Uuid, kind: MediaKind) -> Result<Room, Fault> {
    let room = store::room_get(&ask.db.aside(), ask.owner()?, app_uuid, kind.name(), kind.is_single()).await?;
    room.ok_or_else(|| Fault::not_found("app"))
}

/// A picture whose objects are there, on its way into a draft. Whose it is and what is said about it is left open.
fn begun(ask: &Ask, kind: MediaKind, kept: Kept) -> NewMedia {
    NewMedia {
        media_uuid: ask.new_uuid(),
        app_uuid: Uuid::nil(),
        kind,
        position: 1,
        alt_text: String::new(),
        caption: String::new(),
        original: kept.original,
        sha256: kept.sha256,
        copies: kept.copies,
    }
}

/// Writes the row of a picture whose objects are there: asked again, now that app and subscription are held.
async fn take(ask: &Ask, kind: MediaKind, mut new: NewMedia, stored: i64) -> Result<MediaRow, Fault> {
    let (owner, missing) = (ask.owner()?, || Fault::not_found("app"));
    let allowance = Allowance::lock(&ask.db, owner, rules::LIMIT).await?;
    apps::lock(&ask.db, owner, new.app_uuid).await?.ok_or_else(missing)?;
    let room = store::room_get(&ask.db, owner, new.app_uuid, kind.name(), kind.is_single()).await?;
    let room = room.ok_or_else(missing)?;
    new.position = rules::place(kind, room.of_kind)?;
    rules::room_checked(allowance, room.bytes, new.original.size_bytes)?;
    daily::spend(ask, owner.uuid(), Daily::Uploads, (stored, rules::most_a_day(allowance))).await?;
    let row = store::insert(&ask.db, &new, kind.is_single()).await?;
    let detail = serde_json::json!({ "media_uuid": row.media_uuid, "kind": row.kind });
    apps::event_insert(&ask.db, row.app_uuid, "MEDIA_UPLOADED", detail, apps::event(ask)?).await?;
    Ok(row)
}

impl From<MediaRow> for Media {
    fn from(row: MediaRow) -> Self {
        let original = row.original();
        let variants = MediaVariant::all(&original, &row.variants.0);
        let said = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            uuid: row.media_uuid,
            app_uuid: row.app_uuid,
            kind: row.kind,
            position: row.position,
            alt_text: said(row.alt_text),
            caption: said(row.caption),
            media_type: row.media_type,
            width: row.width,
            height: row.height,
            size_bytes: row.size_bytes,
            sha256: hex::encode(row.sha256),
            variants,
            created_at: row.created_at,
        }
    }
}
