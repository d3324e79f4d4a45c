//! Texts that staff write by locale: names and descriptions of categories and collections, names of topics.

use std::collections::BTreeMap;

use crate::core::fault::FieldError;

/// Most locales of one text.
const MOST_LOCALES: usize = 40;

/// Texts by locale.
pub(crate) type Texts = BTreeMap<String, String>;

/// A merge patch of texts by locale: null takes a text away.
pub(crate) type TextsPatch = BTreeMap<String, Option<String>>;

/// Applies a patch.
pub(crate) fn merge(texts: &mut Texts, patch: TextsPatch) {
    for (locale, text) in patch {
        match text {
            Some(text) => texts.insert(locale, text),
            None => texts.remove(&locale),
        };
    }
}

/// Finds texts of which nothing could be read, each with its place, and more of them than are kept.
pub(crate) fn check(field: &str, texts: &Texts, errors: &mut Vec<FieldError>) {
    if texts.len() > MOST_LOCALES {
        let message = format!("There can be {MOST_LOCALES} locales at most. Take some away.");
        errors.push(FieldError::at(format!("/{field}"), "TOO_MANY", message));
    }
    let blank = texts.iter().filter(|(_, text)| text.trim().is_empty());
    errors.extend(
        blank.map(|(locale, _)| FieldError::at(format!("/{field}/{locale}"), "BLANK", "Write more than spaces.")),
    );
}
