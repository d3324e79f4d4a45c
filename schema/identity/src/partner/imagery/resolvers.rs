//! Operations on the images of a profile.

use labs_core::context::RequestContext;
use labs_core::daily::{self, Daily};
use labs_core::describe::{InputType, OutputType};
use labs_core::entitlement::Allowance;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::time::Time;
use labs_shared::images::PartnerImageKind;
use labs_shared::images::{self, MediaVariant, MediaVariantName};
use serde_json::json;
use uuid::Uuid;

use super::list::IMAGES;
use super::store::{self, ImageRow, NewImage};
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::own::ensure_own;
use crate::partner::profile;

/// An image of a partner profile. Its bytes never change; a new image has a new id.
#[derive(Clone, Debug, serde::Serialize, OutputType)]
pub struct PartnerImage {
    /// UUID of the object.
    uuid: Uuid,
    /// Purpose of the image.
    kind: PartnerImageKind,
    /// Text alternative for readers who cannot see the image.
    alt_text: Option<String>,
    /// Media type of the bytes.
    media_type: String,
    /// Size of the original, in pixels.
    width: i32,
    /// Size of the original, in pixels.
    height: i32,
    /// Size of the stored original, in bytes. The service re-encodes images, so the size differs from the uploaded
    /// file.
    size_bytes: i64,
    /// SHA-256 of the stored original, in hexadecimal.
    #[serde(rename = "sha256")]
    sha256: String,
    /// Available sizes of the image, largest first.
    variants: Vec<MediaVariant>,
    /// Whether the draft of the profile contains the image.
    in_draft: bool,
    /// Whether readers currently see the image.
    is_published: bool,
    /// Time when the image was uploaded.
    created_at: Time,
}

/// An image and its text, as multipart/form-data.
#[derive(serde::Deserialize, InputType)]
pub(super) struct PartnerImagePut {
    /// Text alternative for readers who cannot see the image.
    alt_text: Option<String>,
}

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] =
    operations![partner_imagery_list, partner_imagery_get, partner_imagery_put, partner_imagery_delete];

/// List profile images.
#[operation(query, access = "partner.profile")]
async fn partner_imagery_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<PartnerImage>, Fault> {
    let partner_uuid = ensure_own(cx, partner_uuid)?.uuid();
    let rows = IMAGES.page(cx, &partner_uuid, &PageRequest::new(None, limit, cursor)).await?;
    Ok(rows.map(|row| Ok(row.into()))?.list())
}

/// Get a profile image.
#[operation(query, access = "partner.profile", answers_file)]
async fn partner_imagery_get(
    cx: &RequestContext,
    partner_uuid: Uuid,
    kind: PartnerImageKind,
    variant: Option<MediaVariantName>,
) -> Result<bool, Fault> {
    let stored = store::get_stored(&cx.db, ensure_own(cx, partner_uuid)?, kind).await?;
    let stored = stored.ok_or_else(|| err_not_found(kind))?;
    let called = kind.name().to_ascii_lowercase();
    images::deliver(cx, &stored, variant.unwrap_or(MediaVariantName::Original), &called).await?;
    Ok(true)
}

/// Upload a profile image.
#[operation(mutation, access = "partner.profile:write")]
async fn partner_imagery_put(
    cx: &RequestContext,
    partner_uuid: Uuid,
    kind: PartnerImageKind,
    body: PartnerImagePut,
) -> Result<PartnerImage, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    let alt_text = images::text("/alt_text", body.alt_text.as_deref())?;
    let file = cx.attachment()?.bytes.clone();
    // The service checks all other rules before the upload uses a second of CPU time or space in the object
    // storage.
    let (aside, limit) = (cx.db.outside_transaction(), images::LIMIT);
    let allowance = Allowance::peek(&aside, partner_uuid, limit).await?;
    let today = async |bytes| {
        daily::check(cx, &aside, partner_uuid, Daily::Uploads, (bytes, images::daily_upload_limit(allowance))).await
    };
    today(1).await?;
    let made =
        cx.services.pictures.process(cx.party()?, file, kind.picture()).await.map_err(images::err_invalid_file)?;
    let kept = store::get_bytes(&aside, owner, kind).await?;
    images::ensure_quota(allowance, kept, made.size_bytes())?;
    today(made.stored_bytes()).await?;
    let kept = images::keep(cx, &made).await?;
    let new = NewImage {
        image_uuid: cx.new_uuid(),
        kind,
        alt_text,
        original: kept.original,
        sha256: kept.sha256,
        copies: kept.copies,
        renditions: kept.renditions,
    };
    take(cx, &new, made.stored_bytes()).await?;
    let images = store::images(&cx.db, partner_uuid).await?;
    let image = images.into_iter().find(|image| image.image_uuid == new.image_uuid);
    Ok(image.ok_or_else(|| Fault::internal("an image cannot be found after it was written"))?.into())
}

/// Delete a profile image.
#[operation(mutation, access = "partner.profile:write")]
async fn partner_imagery_delete(
    cx: &RequestContext,
    partner_uuid: Uuid,
    kind: PartnerImageKind,
) -> Result<bool, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    profile::lock_of(&cx.db, owner.uuid()).await?;
    if !store::remove(&cx.db, owner.uuid(), kind).await? {
        return Err(err_not_found(kind));
    }
    store::sweep(&cx.db, owner.uuid()).await?;
    note(cx, owner.uuid(), PartnerEventKind::ImageDeleted, kind, None, None).await?;
    Ok(true)
}

/// Deletes an image for staff, from the draft and from the published profile.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if the image does not exist.
pub async fn delete_by_staff(
    cx: &RequestContext,
    partner_uuid: Uuid,
    kind: PartnerImageKind,
    reason: &str,
) -> Result<(), Fault> {
    profile::lock_of(&cx.db, partner_uuid).await?;
    let was_drawn = store::remove(&cx.db, partner_uuid, kind).await?;
    if !(store::unpublish(&cx.db, partner_uuid, kind).await? || was_drawn) {
        return Err(err_not_found(kind));
    }
    store::sweep(&cx.db, partner_uuid).await?;
    note(cx, partner_uuid, PartnerEventKind::ImageDeleted, kind, None, Some(reason)).await
}

/// Writes the row of an image whose objects exist, while the subscription and the profile are locked. So a concurrent
/// publication uses either the previous image or this one, and a sweep deletes neither of them.
async fn take(cx: &RequestContext, new: &NewImage, stored: i64) -> Result<(), Fault> {
    let owner = cx.owner()?;
    let allowance = Allowance::lock(&cx.db, owner, images::LIMIT).await?;
    let kept = store::get_bytes(&cx.db, owner, new.kind).await?;
    images::ensure_quota(allowance, kept, new.original.size_bytes)?;
    daily::spend(cx, owner.uuid(), Daily::Uploads, (stored, images::daily_upload_limit(allowance))).await?;
    profile::lock_of(&cx.db, owner.uuid()).await?;
    store::remove(&cx.db, owner.uuid(), new.kind).await?;
    store::insert(&cx.db, owner, new).await?;
    store::sweep(&cx.db, owner.uuid()).await?;
    note(cx, owner.uuid(), PartnerEventKind::ImageUploaded, new.kind, Some(new.image_uuid), None).await
}

async fn note(
    cx: &RequestContext,
    partner_uuid: Uuid,
    event: PartnerEventKind,
    kind: PartnerImageKind,
    subject_uuid: Option<Uuid>,
    reason: Option<&str>,
) -> Result<(), Fault> {
    let event = PartnerEvent::by_caller(cx, partner_uuid, event)?.with_subject(subject_uuid).with_reason(reason);
    events::insert(&cx.db, &event.with_detail(json!({ "kind": kind }))).await
}

fn err_not_found(kind: PartnerImageKind) -> Fault {
    Fault::not_found(match kind {
        PartnerImageKind::Logo => "logo",
        PartnerImageKind::Banner => "banner",
    })
}

impl From<ImageRow> for PartnerImage {
    fn from(row: ImageRow) -> Self {
        let variants = MediaVariant::all(&row.original(), &row.variants.0);
        Self {
            uuid: row.image_uuid,
            kind: row.kind,
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
        }
    }
}
