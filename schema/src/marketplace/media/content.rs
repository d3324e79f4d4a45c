//! Content of a media item: its stored sizes and its delivery.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt};
use labs_core::context::{Download, RequestContext};
use labs_core::fault::Fault;
use labs_core::words::words;
use labs_media::image::{Processed, Rendition, Variant};
use labs_media::store::{MediaKey, MediaStore, StoreError};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use uuid::Uuid;

words! {
    /// Sizes of a media item, largest first.
    pub(crate) enum MediaVariantName {
        /// Original size.
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
pub(crate) struct Size {
    /// Key of the object in the object storage.
    pub(crate) object_key: String,
    /// Media type of the content.
    pub(crate) media_type: String,
    /// Width in pixels.
    pub(crate) width: i32,
    /// Height in pixels.
    pub(crate) height: i32,
    /// Size in bytes.
    pub(crate) size_bytes: i64,
}

/// Location of a media item's content in the object storage.
#[derive(Clone, Debug)]
pub(crate) struct StoredObject {
    /// Id of the media item.
    pub(crate) media_uuid: Uuid,
    /// SHA-256 of the original.
    pub(crate) sha256: Vec<u8>,
    /// Original size.
    pub(crate) original: Size,
    /// Smaller sizes, by name (column `media.variants`).
    pub(crate) copies: BTreeMap<String, Size>,
}

/// Location of the content, as an image table stores it.
pub(crate) struct StoredRow {
    pub(crate) sha256: Vec<u8>,
    pub(crate) object_key: String,
    pub(crate) media_type: String,
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) size_bytes: i64,
    pub(crate) variants: Json<BTreeMap<String, Size>>,
}

impl StoredRow {
    /// Converts the row for this media item.
    pub(crate) fn of(self, media_uuid: Uuid) -> StoredObject {
        let Self { sha256, object_key, media_type, width, height, size_bytes, variants } = self;
        let original = Size { object_key, media_type, width, height, size_bytes };
        StoredObject { media_uuid, sha256, original, copies: variants.0 }
    }
}

/// Returns every size of an image, largest first. A missing size is replaced by the next larger one.
pub(crate) fn sizes<'a, T>(original: &'a T, copies: &'a BTreeMap<String, T>) -> [(MediaVariantName, &'a T); 4] {
    let mut last = original;
    MediaVariantName::EACH.map(|name| {
        last = copies.get(name.name()).unwrap_or(last);
        (name, last)
    })
}

/// Sets the content of an image in this size as the response, with a file name that begins with `called`.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the object storage does not answer, [`labs_core::Code::Internal`] if the object is
/// missing.
pub(crate) async fn deliver(
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
pub(crate) struct StoredPicture {
    /// Original size.
    pub(crate) original: Size,
    /// SHA-256 of the original.
    pub(crate) sha256: [u8; 32],
    /// Smaller sizes, by name.
    pub(crate) copies: BTreeMap<String, Size>,
    /// Scaled renditions for pages, narrowest first.
    pub(crate) renditions: Vec<Size>,
}

/// Stores the objects of an image, so that they exist before a row refers to them.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the object storage does not answer.
pub(crate) async fn keep(cx: &RequestContext, made: &Processed) -> Result<StoredPicture, Fault> {
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
pub(crate) async fn keep_renditions(media: &MediaStore, made: &[Rendition]) -> Result<Vec<Size>, StoreError> {
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
}
