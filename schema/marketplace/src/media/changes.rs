//! Operations of an owner on the media of a draft: update the texts, delete an item, and reorder.

use std::collections::BTreeMap;

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, Json, MaybeUndefined, OutputType};
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::plain::null_as_empty;
use labs_shared::images;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::list::MediaRow;
use super::resolvers::Media;
use super::rules::{self, MediaKind, Texts};
use super::store::{self, PictureTexts};
use crate::apps;

/// A merge patch of the texts of an image (RFC 7396).
#[derive(Deserialize, InputType)]
pub(super) struct MediaUpdate {
    /// Text alternative for readers who cannot see the image. Null clears it.
    #[serde(default)]
    alt_text: MaybeUndefined<String>,
    /// Text shown below the image, in one line. Null clears it.
    #[serde(default)]
    caption: MaybeUndefined<String>,
    /// Text alternatives in further locales, as a merge patch. An omitted locale stays unchanged, null removes it. Null
    /// for the whole field removes all of them. The result has at most 40 locales.
    #[serde(default)]
    alt_texts: MaybeUndefined<Json<TextsPatch>>,
    /// Captions in further locales, as a merge patch. An omitted locale stays unchanged, null removes it. Null for the
    /// whole field removes all of them. The result has at most 40 locales.
    #[serde(default)]
    captions: MaybeUndefined<Json<TextsPatch>>,
}

/// Texts by locale; null removes a text.
type TextsPatch = BTreeMap<String, Option<String>>;

impl MediaUpdate {
    /// Returns the texts of a media item after the patch.
    fn apply_to(self, present: &PictureTexts) -> Result<PictureTexts, Fault> {
        let text = |pointer: &str, text: MaybeUndefined<String>, present: &str| match null_as_empty(text) {
            Some(text) => images::text(pointer, Some(&text)),
            None => Ok(present.to_owned()),
        };
        let texts = |pointer: &str, patch: MaybeUndefined<Json<TextsPatch>>, present: &Texts| match patch {
            MaybeUndefined::Undefined => Ok(present.clone()),
            MaybeUndefined::Null => Ok(Texts::new()),
            MaybeUndefined::Value(patch) => rules::merge(pointer, present, patch.0),
        };
        Ok(PictureTexts {
            alt_text: text("/alt_text", self.alt_text, &present.alt_text)?,
            caption: text("/caption", self.caption, &present.caption)?,
            alt_texts: texts("/alt_texts", self.alt_texts, &present.alt_texts)?,
            captions: texts("/captions", self.captions, &present.captions)?,
        })
    }
}

/// The media items of one kind, in the desired order.
#[derive(Deserialize, InputType)]
pub(super) struct MediaReorder {
    kind: MediaKind,
    /// Every media item of this kind in the draft, the first to be shown first.
    media_uuids: Vec<Uuid>,
}

/// The media items of one kind in an app's draft, in order.
#[derive(Serialize, OutputType)]
pub(super) struct MediaOrder {
    /// Kind of media items.
    kind: MediaKind,
    /// All media items of the kind.
    media: Vec<Media>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![marketplace_media_update, marketplace_media_delete, marketplace_media_reorder];

/// Update an app's media item.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_media_update(
    cx: &RequestContext,
    app_uuid: Uuid,
    media_uuid: Uuid,
    body: MediaUpdate,
) -> Result<Media, Fault> {
    let present = lock_picture(cx, app_uuid, media_uuid).await?;
    let before = PictureTexts::of(&present);
    let texts = body.apply_to(&before)?;
    let changed = texts.changed_fields(&before);
    if !changed.is_empty() {
        store::set_texts(&cx.db, media_uuid, &texts).await?;
        let detail = json!({ "media_uuid": media_uuid, "kind": present.kind, "fields": changed });
        apps::insert_event(&cx.db, app_uuid, "MEDIA_UPDATED", detail, apps::event(cx)?).await?;
    }
    Ok(load_picture(cx, app_uuid, media_uuid).await?.into())
}

/// Delete an app's media item.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_media_delete(cx: &RequestContext, app_uuid: Uuid, media_uuid: Uuid) -> Result<bool, Fault> {
    let present = lock_picture(cx, app_uuid, media_uuid).await?;
    store::set_removed(&cx.db, media_uuid).await?;
    let detail = json!({ "media_uuid": media_uuid, "kind": present.kind });
    apps::insert_event(&cx.db, app_uuid, "MEDIA_DELETED", detail, apps::event(cx)?).await?;
    Ok(true)
}

/// Reorder an app's media.
#[operation(mutation, access = "marketplace.apps:write")]
async fn marketplace_media_reorder(
    cx: &RequestContext,
    app_uuid: Uuid,
    body: MediaReorder,
) -> Result<MediaOrder, Fault> {
    let kind = body.kind;
    let owner = cx.owner()?;
    apps::lock(&cx.db, owner, app_uuid).await?.ok_or_else(|| Fault::not_found("app"))?;
    let present = store::get_all(&cx.db, owner, app_uuid, kind).await?;
    let present: Vec<Uuid> = present.into_iter().map(|row| row.media_uuid).collect();
    rules::check_order(&present, &body.media_uuids)?;
    if present != body.media_uuids {
        store::set_order(&cx.db, app_uuid, &body.media_uuids).await?;
        let detail = json!({ "kind": kind });
        apps::insert_event(&cx.db, app_uuid, "MEDIA_REORDERED", detail, apps::event(cx)?).await?;
    }
    let media = store::get_all(&cx.db, owner, app_uuid, kind).await?.into_iter().map(Media::from).collect();
    Ok(MediaOrder { kind, media })
}

/// Loads a media item of a draft and locks its app until the transaction ends.
async fn lock_picture(cx: &RequestContext, app_uuid: Uuid, media_uuid: Uuid) -> Result<MediaRow, Fault> {
    apps::lock(&cx.db, cx.owner()?, app_uuid).await?.ok_or_else(|| Fault::not_found("app"))?;
    load_picture(cx, app_uuid, media_uuid).await
}

async fn load_picture(cx: &RequestContext, app_uuid: Uuid, media_uuid: Uuid) -> Result<MediaRow, Fault> {
    let row = store::get(&cx.db, cx.owner()?, app_uuid, media_uuid).await?;
    row.ok_or_else(|| Fault::not_found("media item"))
}
