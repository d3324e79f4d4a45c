//! Images of apps and partners: stored sizes, delivery, and the limits of stored bytes.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt};
use labs_core::context::{Download, RequestContext};
use labs_core::describe::OutputType;
use labs_core::entitlement::Allowance;
use labs_core::fault::{Code, Fault, FieldError};
use labs_core::plain;
use labs_core::words::words;
use labs_media::image::{ImageError, ImageProblem, PictureKind, Processed, Rendition, Variant};
use labs_media::store::{MediaKey, MediaStore, StoreError};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use uuid::Uuid;

/// Feature of a tier that limits the stored bytes (docs/decisions/partners.md#tiers-are-data).
pub const LIMIT: &str = "media_megabytes";
/// Bytes per megabyte, as limits count them.
const MEGABYTE: i64 = 1024 * 1024;

words! {
    /// Size of the image: as uploaded, or scaled to fit a square.
    pub enum MediaVariantName {
        /// As uploaded.
        Original = "ORIGINAL",
        /// Fits a square of 1,600 pixels.
        Large = "LARGE",
        /// Fits a square of 800 pixels.
        Medium = "MEDIUM",
        /// Fits a square of 256 pixels.
        Small = "SMALL",
    }
}

/// Smaller size, as column `media.variants` stores it under its name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Size {
    /// Key of the object in the object storage.
    pub object_key: String,
    /// Media type of the content.
    pub media_type: String,
    /// Width in pixels.
    pub width: i32,
    /// Height in pixels.
    pub height: i32,
    /// Size in bytes.
    pub size_bytes: i64,
}

/// Location of a media item's content in the object storage.
#[derive(Clone, Debug)]
pub struct StoredObject {
    /// UUID of the media item.
    pub media_uuid: Uuid,
    /// SHA-256 of the original.
    pub sha256: Vec<u8>,
    /// Original size.
    pub original: Size,
    /// Smaller sizes, by name (column `media.variants`).
    pub copies: BTreeMap<String, Size>,
}

/// Location of the content, as an image table stores it.
pub struct StoredRow {
    /// SHA-256 of the original.
    pub sha256: Vec<u8>,
    /// Key of the original in the object storage.
    pub object_key: String,
    /// Media type of the original.
    pub media_type: String,
    /// Width of the original in pixels.
    pub width: i32,
    /// Height of the original in pixels.
    pub height: i32,
    /// Size of the original in bytes.
    pub size_bytes: i64,
    /// Smaller sizes, by name.
    pub variants: Json<BTreeMap<String, Size>>,
}

impl StoredRow {
    /// Converts the row for this media item.
    pub fn of(self, media_uuid: Uuid) -> StoredObject {
        let Self { sha256, object_key, media_type, width, height, size_bytes, variants } = self;
        let original = Size { object_key, media_type, width, height, size_bytes };
        StoredObject { media_uuid, sha256, original, copies: variants.0 }
    }
}

/// Returns every size of an image, largest first. A missing size is replaced by the next larger one.
pub fn sizes<'a, T>(original: &'a T, copies: &'a BTreeMap<String, T>) -> [(MediaVariantName, &'a T); 4] {
    let mut last = original;
    MediaVariantName::EACH.map(|name| {
        last = copies.get(name.name()).unwrap_or(last);
        (name, last)
    })
}

/// Sets the content of an image in this size as the response, with a file name that begins with `called`.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the object storage does not answer, [`labs_core::Code::Internal`] if the object
/// is missing.
pub async fn deliver(
    cx: &RequestContext,
    stored: &StoredObject,
    variant: MediaVariantName,
    called: &str,
) -> Result<(), Fault> {
    let found = sizes(&stored.original, &stored.copies).into_iter().find(|(name, _)| *name == variant);
    let size = found.map_or(&stored.original, |(_, size)| size);
    let lost = || Fault::internal(format!("the media item {} has no object {}", stored.media_uuid, size.object_key));
    let key = MediaKey::from_name(&size.object_key).ok_or_else(lost)?;
    cx.db.release().await;
    let object = cx.services.media.get(key).await?.ok_or_else(lost)?;
    let name = variant.name().to_ascii_lowercase();
    let ending = size.media_type.rsplit('/').next().unwrap_or_default();
    cx.deliver(Download {
        media_type: size.media_type.clone(),
        length: Some(object.size),
        etag: Some(format!("{}-{name}", hex::encode(&stored.sha256))),
        file_name: format!("{called}-{name}.{ending}"),
        sha256: None,
        chain_head: None,
        stream: object.stream.map_err(std::io::Error::other).boxed(),
    });
    Ok(())
}

/// Image whose objects are stored before a row refers to them.
pub struct StoredPicture {
    /// Original size.
    pub original: Size,
    /// SHA-256 of the original.
    pub sha256: [u8; 32],
    /// Smaller sizes, by name.
    pub copies: BTreeMap<String, Size>,
    /// Scaled renditions for pages, narrowest first.
    pub renditions: Vec<Size>,
}

/// Stores the objects of an image, so that they exist before a row refers to them.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the object storage does not answer.
pub async fn keep(cx: &RequestContext, made: &Processed) -> Result<StoredPicture, Fault> {
    let media = &cx.services.media;
    let copy = async |copy: &Variant| -> Result<_, StoreError> {
        let object_key = media.put(copy.bytes.clone()).await?.name();
        let size = to_image(object_key, made.media_type, copy.width, copy.height, copy.bytes.len());
        Ok((copy.name.to_owned(), size))
    };
    // Concurrently, because a bucket has a high latency.
    let (copies, renditions, key) = tokio::try_join!(
        try_join_all(made.variants.iter().map(copy)),
        keep_renditions(media, &made.renditions),
        media.put(made.bytes.clone())
    )?;
    let copies = copies.into_iter().collect();
    let original = to_image(key.name(), made.media_type, made.width, made.height, made.bytes.len());
    Ok(StoredPicture { original, sha256: *key.digest(), copies, renditions })
}

/// Stores the page renditions of an image, so that they exist before a row refers to them.
///
/// # Errors
/// [`StoreError`]
pub async fn keep_renditions(media: &MediaStore, made: &[Rendition]) -> Result<Vec<Size>, StoreError> {
    let keep = async |copy: &Rendition| -> Result<_, StoreError> {
        let object_key = media.put(copy.bytes.clone()).await?.name();
        Ok(to_image(object_key, copy.media_type, copy.width, copy.height, copy.bytes.len()))
    };
    try_join_all(made.iter().map(keep)).await
}

fn to_image(object_key: String, media_type: &str, width: u32, height: u32, bytes: usize) -> Size {
    Size {
        object_key,
        media_type: media_type.to_owned(),
        width: i32::try_from(width).unwrap_or(i32::MAX),
        height: i32::try_from(height).unwrap_or(i32::MAX),
        size_bytes: i64::try_from(bytes).unwrap_or(i64::MAX),
    }
}

/// An available size of the image.
#[derive(Clone, Debug, Serialize, OutputType)]
pub struct MediaVariant {
    /// Name of the size.
    pub name: MediaVariantName,
    /// Size in pixels.
    pub width: i32,
    /// Size in pixels.
    pub height: i32,
}

impl MediaVariant {
    /// Returns every size of an image, largest first.
    pub fn all(original: &Size, copies: &BTreeMap<String, Size>) -> Vec<Self> {
        let sizes = sizes(original, copies).into_iter();
        sizes.map(|(name, size)| Self { name, width: size.width, height: size.height }).collect()
    }
}

/// Rejects an image that would exceed the stored bytes allowed by the tier.
///
/// # Errors
/// [`Code::EntitlementExceeded`].
pub fn ensure_quota(allowance: Allowance, kept: i64, more: i64) -> Result<(), Fault> {
    let used = megabytes(kept);
    allowance.check(used, megabytes(kept.saturating_add(more)) - used)
}

/// Returns the maximum number of bytes uploaded per day, derived from the tier's storage limit: enough to fill it and
/// to replace everything once, in every size. If the tier allows no storage, the storage limit rejects each upload,
/// because a retry on the next day would not help.
pub fn daily_upload_limit(allowance: Allowance) -> i64 {
    const TIMES: i64 = 3;
    const UNLIMITED: i64 = 20 * 1024;
    let megabytes = allowance.most().map_or(UNLIMITED, |kept| kept.max(1).saturating_mul(TIMES));
    megabytes.saturating_mul(MEGABYTE)
}

/// Converts bytes to megabytes as limits count them, rounded up.
fn megabytes(bytes: i64) -> i64 {
    bytes.max(0).saturating_add(MEGABYTE - 1) / MEGABYTE
}

/// Normalizes a text of a media item: one line without surrounding spaces, empty if absent.
///
/// # Errors
/// [`Code::ValidationFailed`], pointing to the text.
pub fn text(pointer: &str, said: Option<&str>) -> Result<String, Fault> {
    let mut errors = Vec::new();
    let text = plain::line(pointer, said.unwrap_or_default(), &mut errors);
    if errors.is_empty() { Ok(text) } else { Err(Fault::invalid(errors)) }
}

/// Converts an image error to the error of the request.
pub fn err_invalid_file(error: ImageError) -> Fault {
    match error {
        ImageError::Overloaded => Fault::unavailable("Too many images are being processed. Try again in a moment."),
        ImageError::Refused(ImageProblem::TooManyBytes) => {
            Fault::new(Code::PayloadTooLarge, "The file is too large. Send at most 8,388,608 bytes.")
        }
        ImageError::Refused(problem) => {
            let error =
                FieldError::at("/file", problem.code(), format!("The file does not meet the requirements: {problem}."));
            let detail = format!("This file cannot be accepted: {problem}. Fix it and upload it again.");
            Fault::invalid(vec![error]).with_detail(detail)
        }
    }
}

words! {
    /// Purpose of an image of a profile.
    pub enum PartnerImageKind {
        /// Square, at least 256 pixels a side.
        Logo = "LOGO",
        /// Wider than high, at least 1,120 pixels wide.
        Banner = "BANNER",
    }
}

impl PartnerImageKind {
    /// Returns the requirements for the image.
    pub const fn picture(self) -> PictureKind {
        match self {
            Self::Logo => PictureKind::Icon,
            Self::Banner => PictureKind::Banner,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: i32) -> Size {
        Size { object_key: String::new(), media_type: "image/png".to_owned(), width, height: width, size_bytes: 1 }
    }

    #[test]
    fn missing_image_size_falls_back_to_next_larger() {
        let original = size(2_000);
        let copies = BTreeMap::from([("MEDIUM".to_owned(), size(800))]);
        let found = sizes(&original, &copies).map(|(name, size)| (name.name(), size.width));
        assert_eq!(found, [("ORIGINAL", 2_000), ("LARGE", 2_000), ("MEDIUM", 800), ("SMALL", 800)]);
    }

    #[test]
    fn started_megabyte_counts_as_whole() {
        assert_eq!([0, 1, MEGABYTE, MEGABYTE + 1].map(megabytes), [0, 1, 1, 2]);
    }

    #[test]
    fn alt_text_is_one_line() {
        assert_eq!(text("/alt_text", Some(" A table ")).ok(), Some("A table".to_owned()));
        assert_eq!(text("/alt_text", None).ok(), Some(String::new()));
        assert!(text("/alt_text", Some("a\nb")).is_err());
    }

    #[test]
    fn oversized_file_is_payload_too_large_not_field_error() {
        let fault = err_invalid_file(ImageError::Refused(ImageProblem::TooManyBytes));
        assert_eq!((fault.code(), fault.errors().len()), (Code::PayloadTooLarge, 0));
        let fault = err_invalid_file(ImageError::Refused(ImageProblem::NotSquare));
        let error = fault.errors().first().cloned();
        assert_eq!(error.map(|error| (error.pointer, error.code)), Some((Some("/file".into()), "NOT_SQUARE".into())));
    }
}
