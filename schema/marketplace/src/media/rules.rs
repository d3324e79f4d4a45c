//! Rules for the number of an app's media items and for their texts.

use std::collections::{BTreeMap, HashSet};

use labs_core::fault::{Fault, FieldError};
use labs_core::words::words;
use labs_media::image::PictureKind;
use labs_shared::images::text;
use uuid::Uuid;

words! {
    /// Kinds of media items.
    pub enum MediaKind {
        /// Square, at least 256 pixels a side. One per app.
        Icon = "ICON",
        /// At least 640 pixels wide and 400 high. Up to ten per app.
        Screenshot = "SCREENSHOT",
        /// Wider than high, at least 1,120 pixels wide. One per app.
        Banner = "BANNER",
    }
}

/// Texts by locale.
pub(super) type Texts = BTreeMap<String, String>;

/// Maximum number of screenshots of an app (the contract's `MediaKind`).
const MOST_SCREENSHOTS: i64 = 10;

impl MediaKind {
    /// Image kind, which determines the required format and size.
    pub(super) const fn picture(self) -> PictureKind {
        match self {
            Self::Icon => PictureKind::Icon,
            Self::Screenshot => PictureKind::Screenshot,
            Self::Banner => PictureKind::Banner,
        }
    }

    /// Whether a new item replaces the previous one.
    pub(super) const fn is_single(self) -> bool {
        !matches!(self, Self::Screenshot)
    }
}

/// Returns the position, from 1, of a new media item among the items of its kind.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the app already has the maximum number.
pub(super) fn place(kind: MediaKind, present: i64) -> Result<i32, Fault> {
    if kind.is_single() {
        return Ok(1);
    }
    if present >= MOST_SCREENSHOTS {
        return Err(Fault::conflict(format!(
            "The app has {present} screenshots, and the maximum is {MOST_SCREENSHOTS}. Delete one, then upload this \
             one again."
        )));
    }
    Ok(i32::try_from(present + 1).unwrap_or(1))
}

/// Maximum number of locales with texts of a media item (the contract's `Media`).
const MOST_LOCALES: usize = 40;

/// Merges a patch into the texts of further locales: a missing locale keeps its text, null removes it (RFC 7396).
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to the invalid text, or to `pointer` if there are too many.
pub(super) fn merge(pointer: &str, present: &Texts, patch: BTreeMap<String, Option<String>>) -> Result<Texts, Fault> {
    let mut texts = present.clone();
    for (locale, said) in patch {
        let kept = text(&format!("{pointer}/{locale}"), said.as_deref())?;
        if kept.is_empty() {
            texts.remove(&locale);
        } else {
            texts.insert(locale, kept);
        }
    }
    if texts.len() > MOST_LOCALES {
        let message = format!(
            "At most {MOST_LOCALES} locales are allowed; with this one there would be {}. Remove one first.",
            texts.len()
        );
        return Err(Fault::field(pointer, "TOO_MANY", message));
    }
    Ok(texts)
}

/// Rejects an order that does not name each existing media item exactly once. The error lists every missing, unknown or
/// repeated item.
///
/// # Errors
/// [`labs_core::Code::Conflict`], pointing to each invalid position.
pub(super) fn check_order(present: &[Uuid], named: &[Uuid]) -> Result<(), Fault> {
    let mut errors = Vec::new();
    let mut known = HashSet::new();
    for (place, uuid) in named.iter().enumerate() {
        let pointer = format!("/media_uuids/{place}");
        if !present.contains(uuid) {
            let message = format!("{uuid} is not a media item of this kind in the draft. Omit it.");
            errors.push(FieldError::at(pointer, "UNKNOWN", message));
        } else if !known.insert(*uuid) {
            errors.push(FieldError::at(pointer, "DUPLICATE", format!("{uuid} occurs twice. Name it once.")));
        }
    }
    let missing = present.iter().filter(|uuid| !known.contains(*uuid));
    errors.extend(missing.map(|uuid| {
        FieldError::at("/media_uuids", "MISSING", format!("{uuid} is in the draft but missing here. Add it."))
    }));
    if errors.is_empty() {
        return Ok(());
    }
    let detail = "The order must name each media item of this kind in the draft once. Read the list again and send \
                  it completely.";
    Err(Fault::conflict(detail).with_errors(errors))
}

#[cfg(test)]
mod tests {
    use labs_core::Code;

    use super::*;

    #[test]
    fn icon_is_first_and_screenshot_takes_next_position() {
        assert_eq!(place(MediaKind::Icon, 1).ok(), Some(1));
        assert_eq!(place(MediaKind::Screenshot, 0).ok(), Some(1));
        assert_eq!(place(MediaKind::Screenshot, 9).ok(), Some(10));
        assert_eq!(place(MediaKind::Screenshot, 10).err().map(|fault| fault.code()), Some(Code::Conflict));
    }

    #[test]
    fn order_must_list_each_media_item_once() {
        let [one, two, three, other] = [1, 2, 3, 4].map(Uuid::from_u128);
        let codes = |named: &[Uuid]| -> Vec<(String, String)> {
            let refused = check_order(&[one, two, three], named).err();
            let errors = refused.map(|fault| fault.errors().to_vec()).unwrap_or_default().into_iter();
            errors.map(|error| (error.pointer.unwrap_or_default(), error.code)).collect()
        };
        let error = |pointer: &str, code: &str| (pointer.to_owned(), code.to_owned());
        assert!(codes(&[three, one, two]).is_empty());
        assert_eq!(codes(&[one, two]), [error("/media_uuids", "MISSING")]);
        assert_eq!(codes(&[one, two, three, other]), [error("/media_uuids/3", "UNKNOWN")]);
        assert_eq!(codes(&[one, one, three]), [error("/media_uuids/1", "DUPLICATE"), error("/media_uuids", "MISSING")]);
    }

    #[test]
    fn text_patch_keeps_other_locales() {
        let texts = |all: &[(&str, &str)]| -> Texts {
            all.iter().map(|(locale, text)| ((*locale).to_owned(), (*text).to_owned())).collect()
        };
        let patch = |locale: &str, text: Option<&str>| BTreeMap::from([(locale.to_owned(), text.map(str::to_owned))]);
        let present = texts(&[("de", "Ein Tisch"), ("fr", "Une table")]);
        let merged = |change| merge("/alt_texts", &present, change).ok();
        assert_eq!(merged(patch("fr", None)), Some(texts(&[("de", "Ein Tisch")])));
        let three = texts(&[("de", "Ein Tisch"), ("fr", "Une table"), ("it", "Un tavolo")]);
        assert_eq!(merged(patch("it", Some(" Un tavolo "))), Some(three));
        let pointer = |change| {
            let fault = merge("/alt_texts", &present, change).err();
            fault.and_then(|fault| fault.errors().first().and_then(|error| error.pointer.clone()))
        };
        assert_eq!(pointer(patch("de", Some("a\nb"))).as_deref(), Some("/alt_texts/de"));
        assert_eq!(pointer(patch("fr", Some(" "))).as_deref(), Some("/alt_texts/fr"), "null removes a text");
        let many = (0..40).map(|place| (format!("l{place}"), Some("A table".to_owned()))).collect();
        assert_eq!(pointer(many).as_deref(), Some("/alt_texts"));
    }
}
