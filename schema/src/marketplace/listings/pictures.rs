//! The sizes of a picture, and how its bytes leave.

use futures_util::{StreamExt as _, TryStreamExt as _};

use super::store::MediaRow;
use super::types::{ListingMediaSize, ListingMediaVariant};
use crate::ask::{Ask, Download};
use crate::fault::Fault;
use crate::media::store::MediaKey;

impl ListingMediaSize {
    /// Every size, the largest first.
    const ALL: [Self; 4] = [Self::Original, Self::Large, Self::Medium, Self::Small];

    /// The word in file names.
    const fn word(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Large => "large",
            Self::Medium => "medium",
            Self::Small => "small",
        }
    }
}

/// A picture and its copies in the sizes that the contract names. However a row calls its copies, they follow one
/// another by size; where one is missing the next larger one stands in, for nothing is ever enlarged.
fn sizes<T: Clone>(original: T, copies: impl IntoIterator<Item = T>, pixels: impl Fn(&T) -> (i32, i32)) -> Vec<T> {
    let mut sizes: Vec<T> = copies.into_iter().collect();
    sizes.sort_by_key(|size| std::cmp::Reverse(pixels(size)));
    sizes.insert(0, original);
    let smallest = sizes.last().cloned();
    let missing = ListingMediaSize::ALL.len().saturating_sub(sizes.len());
    sizes.extend(smallest.into_iter().cycle().take(missing));
    sizes
}

/// The sizes in which a picture can be had, the largest first.
pub(super) fn variants(original: (i32, i32), copies: impl IntoIterator<Item = (i32, i32)>) -> Vec<ListingMediaVariant> {
    let sizes = sizes(original, copies, |size| *size).into_iter();
    let named = ListingMediaSize::ALL.into_iter().zip(sizes);
    named.map(|(name, (width, height))| ListingMediaVariant { name, width, height }).collect()
}

/// Makes a picture's bytes the answer, in one size.
///
/// # Errors
/// [`crate::Code::Unavailable`] when the store of pictures cannot be reached, [`crate::Code::Internal`] when it has
/// not what the row names.
pub(super) async fn deliver(ask: &Ask, slug: &str, row: MediaRow, size: ListingMediaSize) -> Result<(), Fault> {
    let name = file_name(slug, &row, size);
    let copies = row.variants.0.into_values();
    let sizes = sizes(row.original.0, copies, |copy| (copy.width, copy.height));
    let chosen = ListingMediaSize::ALL.into_iter().zip(sizes).find(|(known, _)| *known == size);
    let copy = chosen.map(|(_, copy)| copy).ok_or_else(|| Fault::internal("a picture without this size"))?;
    let key = hex::decode(&copy.object_key).ok().and_then(|digest| MediaKey::from_digest(&digest));
    let key = key.ok_or_else(|| Fault::internal("a picture under a name that no object can have"))?;
    let found = ask.services.media.get(key).await.map_err(|error| {
        tracing::error!(cause = %error, "a picture could not be read");
        Fault::unavailable("The pictures cannot be reached. Try again.")
    })?;
    let object = found.ok_or_else(|| Fault::internal("a picture whose object is missing"))?;
    ask.deliver(Download {
        media_type: copy.media_type,
        length: Some(object.size),
        etag: Some(copy.object_key),
        file_name: name,
        stream: object.stream.map_err(std::io::Error::other).boxed(),
    });
    Ok(())
}

/// `mise-table-planner-screenshot-2-medium.png`
fn file_name(slug: &str, row: &MediaRow, size: ListingMediaSize) -> String {
    let kind = row.kind.to_lowercase();
    let place = if row.kind == "SCREENSHOT" { format!("-{}", row.position) } else { String::new() };
    let ending = match row.original.media_type.as_str() {
        "image/jpeg" => "jpg",
        other => other.strip_prefix("image/").unwrap_or("bin"),
    };
    format!("{slug}-{kind}{place}-{}.{ending}", size.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(original: i32, copies: &[i32]) -> Vec<i32> {
        variants((original, 10), copies.iter().map(|width| (*width, 10))).iter().map(|size| size.width).collect()
    }

    #[test]
    fn sizes_follow_one_another() {
        assert_eq!(widths(2560, &[256, 1600, 800]), [2560, 1600, 800, 256]);
    }

    #[test]
    fn where_a_size_is_missing_the_next_larger_one_stands_in() {
        assert_eq!(widths(900, &[256, 800]), [900, 800, 256, 256]);
        assert_eq!(widths(200, &[]), [200, 200, 200, 200]);
    }

    #[test]
    fn a_picture_has_four_sizes_however_many_copies() {
        let sizes = variants((9, 9), (1..8).map(|width| (width, 1)));
        let names: Vec<_> = sizes.iter().map(|size| size.name).collect();
        assert_eq!(names, ListingMediaSize::ALL);
    }
}
