//! What pictures an app may have, and what may be said about them.

use std::collections::{BTreeMap, HashSet};

use uuid::Uuid;

use crate::core::entitlement::Allowance;
use crate::core::fault::{Code, Fault, FieldError};
use crate::core::media::image::{ImageError, ImageProblem, PictureKind};
use crate::core::plain;
use crate::core::words::words;

words! {
    /// What a picture is for.
    pub(in crate::marketplace) enum MediaKind {
        /// Square; stands for the app in lists.
        Icon = "ICON",
        /// The app at work.
        Screenshot = "SCREENSHOT",
        /// Wider than high; heads the listing.
        Banner = "BANNER",
    }
}

/// Texts by locale.
pub(super) type Texts = BTreeMap<String, String>;

/// Most screenshots of an app (the contract's `MediaKind`).
const MOST_SCREENSHOTS: i64 = 10;
/// The feature of a plan that bounds how much is kept (docs/decisions.md#tiers).
pub(crate) const LIMIT: &str = "media_megabytes";
/// Bytes of a megabyte, as limits count them.
const MEGABYTE: i64 = 1024 * 1024;

impl MediaKind {
    /// What it must look like.
    pub(super) const fn picture(self) -> PictureKind {
        match self {
            Self::Icon => PictureKind::Icon,
            Self::Screenshot => PictureKind::Screenshot,
            Self::Banner => PictureKind::Banner,
        }
    }

    /// Whether a new one takes the place of the one before it.
    pub(super) const fn is_single(self) -> bool {
        !matches!(self, Self::Screenshot)
    }
}

/// The place of a new picture among those of its kind, from 1, when the app has so many already.
///
/// # Errors
/// [`Code::Conflict`] when the app has all it can have.
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

/// Refuses a picture of so many bytes beyond what a plan allows to be kept.
///
/// # Errors
/// [`Code::EntitlementExceeded`].
pub(crate) fn ensure_room(allowance: Allowance, kept: i64, more: i64) -> Result<(), Fault> {
    let used = megabytes(kept);
    allowance.check(used, megabytes(kept.saturating_add(more)) - used)
}

/// Most bytes that uploads may bring in a day, by the plan's limit of what is kept: enough to fill it and to replace all
/// of it, with every size. A plan that keeps none refuses each by its limit, which no midnight mends.
pub(crate) fn most_a_day(allowance: Allowance) -> i64 {
    const TIMES: i64 = 3;
    const UNLIMITED: i64 = 20 * 1024;
    let megabytes = allowance.most().map_or(UNLIMITED, |kept| kept.max(1).saturating_mul(TIMES));
    megabytes.saturating_mul(MEGABYTE)
}

/// Bytes as the megabytes that a limit counts; what is begun counts whole.
fn megabytes(bytes: i64) -> i64 {
    bytes.max(0).saturating_add(MEGABYTE - 1) / MEGABYTE
}

/// A text about a picture: one line without blanks around it, empty when nothing is said.
///
/// # Errors
/// [`Code::ValidationFailed`], pointing to it.
pub(crate) fn text(pointer: &str, said: Option<&str>) -> Result<String, Fault> {
    let mut errors = Vec::new();
    let text = plain::line(pointer, said.unwrap_or_default(), &mut errors);
    if errors.is_empty() { Ok(text) } else { Err(Fault::invalid(errors)) }
}

/// Most locales with texts of a picture (the contract's `Media`).
const MOST_LOCALES: usize = 40;

/// What is said about a picture in further locales, with a change in it: a locale left out stays, null takes it away
/// (RFC 7396).
///
/// # Errors
/// [`Code::ValidationFailed`], pointing to the texts of the locale at fault, or to `pointer` when there are too many.
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

/// Refuses an order that does not name each of the pictures that there are once, and tells every one that is missing,
/// unknown or named twice.
///
/// # Errors
/// [`Code::Conflict`], pointing to each place at fault.
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

/// The refusal of a file.
pub(crate) fn refusal(error: ImageError) -> Fault {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_takes_the_first_place_and_a_screenshot_the_next() {
        assert_eq!(place(MediaKind::Icon, 1).ok(), Some(1));
        assert_eq!(place(MediaKind::Screenshot, 0).ok(), Some(1));
        assert_eq!(place(MediaKind::Screenshot, 9).ok(), Some(10));
        assert_eq!(place(MediaKind::Screenshot, 10).err().map(|fault| fault.code()), Some(Code::Conflict));
    }

    #[test]
    fn a_megabyte_that_is_begun_counts() {
        assert_eq!([0, 1, MEGABYTE, MEGABYTE + 1].map(megabytes), [0, 1, 1, 2]);
    }

    #[test]
    fn an_order_names_each_picture_once() {
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
    fn a_change_of_texts_keeps_the_locales_that_it_does_not_name() {
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

    #[test]
    fn a_text_is_one_line() {
        assert_eq!(text("/alt_text", Some(" A table ")).ok(), Some("A table".to_owned()));
        assert_eq!(text("/alt_text", None).ok(), Some(String::new()));
        assert!(text("/alt_text", Some("a\nb")).is_err());
    }

    #[test]
    fn a_file_too_large_is_no_field_error() {
        let fault = refusal(ImageError::Refused(ImageProblem::TooManyBytes));
        assert_eq!((fault.code(), fault.errors().len()), (Code::PayloadTooLarge, 0));
        let fault = refusal(ImageError::Refused(ImageProblem::NotSquare));
        let error = fault.errors().first().cloned();
        assert_eq!(error.map(|error| (error.pointer, error.code)), Some((Some("/file".into()), "NOT_SQUARE".into())));
    }
}
