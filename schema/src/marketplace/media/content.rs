//! The bytes of a picture: in which sizes they lie, and how they leave.

use std::collections::BTreeMap;

use async_graphql::Enum;
use futures_util::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ask::{Ask, Download};
use crate::fault::Fault;
use crate::media::store::MediaKey;

/// A size in which a picture can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enum, Deserialize, Serialize)]
#[graphql(name = "MediaVariantName")]
#[serde(rename_all = "UPPERCASE")]
pub(in crate::marketplace) enum VariantName {
    /// The whole picture.
    Original,
    /// Fits a square of 1,600 pixels.
    Large,
    /// Fits a square of 800 pixels.
    Medium,
    /// Fits a square of 256 pixels.
    Small,
}

impl VariantName {
    /// Every size, the largest first.
    pub(in crate::marketplace) const ALL: [Self; 4] = [Self::Original, Self::Large, Self::Medium, Self::Small];

    /// The name in answers and columns.
    pub(in crate::marketplace) const fn name(self) -> &'static str {
        match self {
            Self::Original => "ORIGINAL",
            Self::Large => "LARGE",
            Self::Medium => "MEDIUM",
            Self::Small => "SMALL",
        }
    }
}

/// A smaller copy, as column `media.variants` keeps it under its name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(in crate::marketplace) struct Size {
    /// Names the object.
    pub(in crate::marketplace) object_key: String,
    /// Media type of the bytes.
    pub(in crate::marketplace) media_type: String,
    /// Pixels.
    pub(in crate::marketplace) width: i32,
    /// Pixels.
    pub(in crate::marketplace) height: i32,
    /// Bytes.
    pub(in crate::marketplace) size_bytes: i64,
}

/// Where the bytes of a picture lie.
#[derive(Clone, Debug)]
pub(in crate::marketplace) struct Stored {
    /// The picture.
    pub(in crate::marketplace) media_uuid: Uuid,
    /// SHA-256 of the whole picture.
    pub(in crate::marketplace) sha256: Vec<u8>,
    /// The whole picture.
    pub(in crate::marketplace) original: Size,
    /// Its smaller copies, by name (column `media.variants`).
    pub(in crate::marketplace) copies: BTreeMap<String, Size>,
}

/// Every size of a picture, the largest first. One that was never made is the next larger that there is.
pub(in crate::marketplace) fn sizes<'a, T>(
    original: &'a T,
    copies: &'a BTreeMap<String, T>,
) -> [(VariantName, &'a T); 4] {
    let mut last = original;
    VariantName::ALL.map(|name| {
        last = copies.get(name.name()).unwrap_or(last);
        (name, last)
    })
}

/// Makes the bytes of a picture the answer, in this size, to be saved under a name that begins with `called`.
///
/// # Errors
/// [`crate::Code::Unavailable`] when the store is away, [`crate::Code::Internal`] when it has lost the object.
pub(in crate::marketplace) async fn deliver(
    ask: &Ask,
    stored: &Stored,
    variant: VariantName,
    called: &str,
) -> Result<(), Fault> {
    let found = sizes(&stored.original, &stored.copies).into_iter().find(|(name, _)| *name == variant);
    let size = found.map_or(&stored.original, |(_, size)| size);
    let lost = || Fault::internal(format!("the picture {} has no object {}", stored.media_uuid, size.object_key));
    let key = MediaKey::from_name(&size.object_key).ok_or_else(lost)?;
    let object = ask.services.media.get(key).await.map_err(away)?.ok_or_else(lost)?;
    let name = variant.name().to_ascii_lowercase();
    let ending = size.media_type.rsplit('/').next().unwrap_or_default();
    ask.deliver(Download {
        media_type: size.media_type.clone(),
        length: Some(object.size),
        etag: Some(format!("{}-{name}", hex::encode(&stored.sha256))),
        file_name: format!("{called}-{name}.{ending}"),
        chain_head: None,
        stream: object.stream.map_err(std::io::Error::other).boxed(),
    });
    Ok(())
}

/// The refusal while the store cannot be reached.
pub(super) fn away(error: crate::media::store::StoreError) -> Fault {
    tracing::error!(cause = %error, "the media store failed");
    Fault::unavailable("Pictures cannot be reached at the moment. Try again.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: i32) -> Size {
        Size { object_key: String::new(), media_type: "image/png".to_owned(), width, height: width, size_bytes: 1 }
    }

    #[test]
    fn a_size_that_was_never_made_is_the_next_larger_one() {
        let original = size(2_000);
        let copies = BTreeMap::from([("MEDIUM".to_owned(), size(800))]);
        let found = sizes(&original, &copies).map(|(name, size)| (name.name(), size.width));
        assert_eq!(found, [("ORIGINAL", 2_000), ("LARGE", 2_000), ("MEDIUM", 800), ("SMALL", 800)]);
    }
}
