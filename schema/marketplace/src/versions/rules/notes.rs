//! Rules for the release notes of a version in all its locales.

use std::collections::BTreeMap;

use labs_core::fault::{Fault, FieldError};
use labs_core::plain::{err_too_long, paragraphs};

/// Maximum number of characters of a text (the contract's `ReleaseNotes`).
const LONGEST_TEXT: usize = 4_000;
/// Maximum number of locales with texts (the contract's `ReleaseNotes`).
const MOST_LOCALES: usize = 40;
/// Maximum size of all texts together, in bytes of UTF-8, because a page contains a hundred versions.
const MOST_BYTES: usize = 32 * 1024;

/// Normalizes the texts: trimmed and in NFC.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] at each text without readable content, or at `/release_notes` if all texts
/// together are too long.
pub(in crate::versions) fn normalise(notes: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Fault> {
    let mut errors = Vec::new();
    let mut kept = BTreeMap::new();
    for (locale, text) in notes {
        let pointer = format!("/release_notes/{locale}");
        let text = paragraphs(&pointer, &text, &mut errors);
        errors.extend(err_too_long(&pointer, &text, LONGEST_TEXT));
        if text.is_empty() {
            errors.push(FieldError::at(
                pointer,
                "BLANK",
                "Send a text that contains more than spaces, or omit the locale.",
            ));
        }
        kept.insert(locale, text);
    }
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    check_lengths(&kept)?;
    Ok(kept)
}

/// Merges a patch into the texts: an omitted locale keeps its text, null removes it (RFC 7396).
///
/// # Errors
/// As [`normalise`], and at `/release_notes` if the result has texts in too many locales.
pub(in crate::versions) fn merge(
    mut notes: BTreeMap<String, String>,
    patch: BTreeMap<String, Option<String>>,
) -> Result<BTreeMap<String, String>, Fault> {
    for (locale, text) in patch {
        match text {
            Some(text) => notes.insert(locale, text),
            None => notes.remove(&locale),
        };
    }
    if notes.len() > MOST_LOCALES {
        let message = format!(
            "At most {MOST_LOCALES} locales are allowed; with this one there would be {}. Remove one first.",
            notes.len()
        );
        return Err(Fault::field("/release_notes", "TOO_MANY", message));
    }
    normalise(notes)
}

/// Checks the total length of the texts.
fn check_lengths(notes: &BTreeMap<String, String>) -> Result<(), Fault> {
    let bytes: usize = notes.values().map(String::len).sum();
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(Fault::field(
        "/release_notes",
        "TOO_LONG",
        format!(
            "Send at most {MOST_BYTES} bytes of UTF-8 in all locales together; this has {bytes}. Shorten the texts."
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_notes_are_trimmed_and_normalized() {
        let notes = |text: &str| normalise(BTreeMap::from([("en".to_owned(), text.to_owned())]));
        assert_eq!(notes("  Cafe\u{301}\r\nopens. \n").unwrap()["en"], "Caf\u{e9}\nopens.");
        for (text, code) in [(" \n ", "BLANK"), ("Bell\u{7}", "CHARACTER"), (&"\u{fb2c}".repeat(1_334), "TOO_LONG")] {
            let refused = notes(text).unwrap_err();
            let error = &refused.errors()[0];
            assert_eq!((error.pointer.as_deref(), error.code.as_str()), (Some("/release_notes/en"), code));
        }
    }

    #[test]
    fn patch_keeps_other_locales_and_null_removes_one() {
        let texts = |all: &[(&str, &str)]| -> BTreeMap<String, String> {
            all.iter().map(|(locale, text)| ((*locale).to_owned(), (*text).to_owned())).collect()
        };
        let patch = BTreeMap::from([("de".to_owned(), None), ("fr".to_owned(), Some(" Nouveau. ".to_owned()))]);
        let merged = merge(texts(&[("en", "New."), ("de", "Neu.")]), patch).unwrap();
        assert_eq!(merged, texts(&[("en", "New."), ("fr", "Nouveau.")]));
        let many = (0..40).map(|place| (format!("l{place}"), "New.".to_owned())).collect();
        let refused = merge(many, BTreeMap::from([("fr".to_owned(), Some("Nouveau.".to_owned()))])).unwrap_err();
        assert_eq!(refused.errors()[0].code, "TOO_MANY");
    }

    #[test]
    fn release_note_limit_counts_all_locales_in_bytes() {
        let notes = |letter: &str, last: usize| {
            let lengths = [4_000, 4_000, 4_000, last].into_iter().enumerate();
            check_lengths(&lengths.map(|(place, length)| (format!("l{place}"), letter.repeat(length))).collect())
                .is_ok()
        };
        assert!(notes("ü", 4_000) && !notes("ü", 4_385), "32,768 bytes are sixteen thousand letters of two");
        assert!(notes("ü", 4_384));
        assert!(notes("e", 20_768) && !notes("e", 20_769));
    }
}
