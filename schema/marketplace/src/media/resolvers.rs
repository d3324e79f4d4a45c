//! Resolvers of an app's media.

use std::collections::BTreeMap;

use labs_core::context::RequestContext;
use labs_core::daily::{self, Daily};
use labs_core::describe::{Created, InputType, Json, OutputType};
use labs_core::entitlement::Allowance;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::time::Time;
use labs_shared::images::{self, MediaVariant, MediaVariantName, StoredPicture};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::list::{MediaFilter, MediaRow, OF_AN_APP, OwnPictures};
use super::rules::{self, MediaKind};
use super::store::{self, MediaQuota, NewMedia};
use crate::apps;

/// A media item in the draft of an app.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct Media {
    /// UUID of the object.
    uuid: Uuid,
    /// UUID of the app.
    app_uuid: Uuid,
    /// Kind of media item.
    kind: MediaKind,
    /// Position among the media items of its kind, from 1 without gaps.
    position: i32,
    /// Text alternative for readers who cannot see the image. Shown to readers whose locale matches no entry of
    /// `alt_texts`.
    alt_text: Option<String>,
    /// Text shown below the image, in one line. Shown to readers whose locale matches no entry of `captions`.
    caption: Option<String>,
    /// Text alternatives in further locales.
    alt_texts: Json<BTreeMap<String, String>>,
    /// Captions in further locales.
    captions: Json<BTreeMap<String, String>>,
    /// Media type of the content.
    media_type: String,
    /// Size of the original, in pixels.
    width: i32,
    /// Size of the original, in pixels.
    height: i32,
    /// Size of the stored original, in bytes. The service re-encodes uploaded images, so the size differs from the
    /// uploaded file.
    size_bytes: i64,
    /// SHA-256 of the stored original, in hexadecimal.
    sha256: String,
    /// Available sizes of the content, largest first.
    variants: Vec<MediaVariant>,
    /// Time of the upload.
    created_at: Time,
}

/// An image with its texts, as multipart/form-data.
#[derive(Deserialize, InputType)]
pub(super) struct MediaUpload {
    /// Kind of the media item, as described in `MediaKind`.
    kind: MediaKind,
    /// Text alternative for readers who cannot see the image.
    alt_text: Option<String>,
    /// Text shown below the image, in one line.
    caption: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![marketplace_media_list, marketplace_media_get_content, marketplace_media_upload];

/// List an app's media.
#[operation(query, access = "marketplace.apps")]
async fn marketplace_media_list(
    cx: &RequestContext,
    app_uuid: Uuid,
    filter: Option<MediaFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<Media>, Fault> {
    let filter = filter.unwrap_or_default();
    let own = OwnPictures { partner_uuid: cx.owner()?.uuid(), app_uuid, filter };
    let found = OF_AN_APP.page(cx, &own, &PageRequest::new(None, limit, cursor)).await?;
    if found.rows.is_empty() {
        load_quota(cx, app_uuid, MediaKind::Icon).await?;
    }
    Ok(found.map(|row| Ok(Media::from(row)))?.list())
}

/// Get the content of an app's media item.
#[operation(query, access = "marketplace.apps", answers_file)]
async fn marketplace_media_get_content(
    cx: &RequestContext,
    app_uuid: Uuid,
    media_uuid: Uuid,
    variant: Option<MediaVariantName>,
) -> Result<bool, Fault> {
    let stored = store::get_stored(&cx.db, cx.owner()?, app_uuid, media_uuid).await?;
    let stored = stored.ok_or_else(|| Fault::not_found("media item"))?;
    let called = stored.media_uuid.to_string();
    images::deliver(cx, &stored, variant.unwrap_or(MediaVariantName::Original), &called).await?;
    Ok(true)
}

/// Upload an app's media item.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_media_upload(
    cx: &RequestContext,
    app_uuid: Uuid,
    body: MediaUpload,
) -> Result<Created<Media>, Fault> {
    let kind = body.kind;
    let alt_text = images::text("/alt_text", body.alt_text.as_deref())?;
    let caption = images::text("/caption", body.caption.as_deref())?;
    let file = cx.attachment()?.bytes.clone();
    // Checks all limits before the image processing, which takes a second of a core and space in the object storage.
    let before = load_quota(cx, app_uuid, kind).await?;
    rules::place(kind, before.of_kind)?;
    let (aside, owner) = (cx.db.outside_transaction(), cx.owner()?.uuid());
    let allowance = Allowance::peek(&aside, owner, images::LIMIT).await?;
    let today = async |bytes| {
        daily::check(cx, &aside, owner, Daily::Uploads, (bytes, images::daily_upload_limit(allowance))).await
    };
    today(1).await?;
    let made =
        cx.services.pictures.process(cx.party()?, file, kind.picture()).await.map_err(images::err_invalid_file)?;
    images::ensure_quota(allowance, before.bytes, made.size_bytes())?;
    today(made.stored_bytes()).await?;
    let kept = images::keep(cx, &made).await?;
    let new = NewMedia { app_uuid, alt_text, caption, ..new_media(cx, kind, kept) };
    let row = take(cx, kind, new, made.stored_bytes()).await?;
    Ok(Created::new(row.media_uuid, row.into()))
}

/// Loads the current usage before an upload, because other requests may have changed it.
async fn load_quota(cx: &RequestContext, app_uuid: Uuid, kind: MediaKind) -> Result<MediaQuota, Fault> {
    let room =
        store::get_quota(&cx.db.outside_transaction(), cx.owner()?, app_uuid, kind.name(), kind.is_single()).await?;
    room.ok_or_else(|| Fault::not_found("app"))
}

/// Builds the row of a media item whose objects are stored. The caller sets the app and the texts.
fn new_media(cx: &RequestContext, kind: MediaKind, kept: StoredPicture) -> NewMedia {
    NewMedia {
        media_uuid: cx.new_uuid(),
        app_uuid: Uuid::nil(),
        kind,
        position: 1,
        alt_text: String::new(),
        caption: String::new(),
        original: kept.original,
        sha256: kept.sha256,
        copies: kept.copies,
        renditions: kept.renditions,
    }
}

/// Inserts the row of a media item whose objects are stored. It repeats the checks, because the app and the
/// subscription are now locked.
async fn take(cx: &RequestContext, kind: MediaKind, mut new: NewMedia, stored: i64) -> Result<MediaRow, Fault> {
    let (owner, missing) = (cx.owner()?, || Fault::not_found("app"));
    let allowance = Allowance::lock(&cx.db, owner, images::LIMIT).await?;
    apps::lock(&cx.db, owner, new.app_uuid).await?.ok_or_else(missing)?;
    let room = store::get_quota(&cx.db, owner, new.app_uuid, kind.name(), kind.is_single()).await?;
    let room = room.ok_or_else(missing)?;
    new.position = rules::place(kind, room.of_kind)?;
    images::ensure_quota(allowance, room.bytes, new.original.size_bytes)?;
    daily::spend(cx, owner.uuid(), Daily::Uploads, (stored, images::daily_upload_limit(allowance))).await?;
    let row = store::insert(&cx.db, &new, kind.is_single()).await?;
    let detail = serde_json::json!({ "media_uuid": row.media_uuid, "kind": row.kind });
    apps::insert_event(&cx.db, row.app_uuid, "MEDIA_UPLOADED", detail, apps::event(cx)?).await?;
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
            alt_texts: Json(row.alt_texts.0),
            captions: Json(row.captions.0),
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
