//! Texts by locale that staff write: names and descriptions of categories and collections, names of topics.

use std::collections::BTreeMap;

use crate::fault::FieldError;

/// Maximum number of locales of one text.
const MOST_LOCALES: usize = 40;

/// Maximum number of words in a search. Further words do not change the result, and each costs as much as the first.
const MOST_WORDS: usize = 16;

/// Returns the text up to its sixteenth word. A word is a run of letters and digits, as in the database's text search.
pub fn first_words(text: &str) -> &str {
    let mut words = 0;
    let mut within = false;
    for (place, letter) in text.char_indices() {
        let is_accent = within && matches!(letter, '\u{300}'..='\u{36f}');
        let begins = letter.is_alphanumeric() && !within;
        within = letter.is_alphanumeric() || is_accent;
        words += usize::from(begins);
        if words > MOST_WORDS {
            return text.get(..place).unwrap_or(text).trim_end();
        }
    }
    text
}

/// Texts by locale.
pub type Texts = BTreeMap<String, String>;

/// Merge patch of texts by locale: null removes a text.
pub type TextsPatch = BTreeMap<String, Option<String>>;

/// Lists of words by locale.
pub type Words = BTreeMap<String, Vec<String>>;

/// Merge patch of words by locale: null removes the words of a locale.
pub type WordsPatch = BTreeMap<String, Option<Vec<String>>>;

/// Applies a merge patch.
pub fn merge<T>(texts: &mut BTreeMap<String, T>, patch: BTreeMap<String, Option<T>>) {
    for (locale, text) in patch {
        match text {
            Some(text) => texts.insert(locale, text),
            None => texts.remove(&locale),
        };
    }
}

/// Checks texts by locale: adds an error for each text that has no readable content, and for too many texts.
pub fn check(field: &str, texts: &Texts, errors: &mut Vec<FieldError>) {
    if texts.len() > MOST_LOCALES {
        let message = format!("At most {MOST_LOCALES} locales are allowed. Remove some.");
        errors.push(FieldError::at(format!("/{field}"), "TOO_MANY", message));
    }
    let blank = texts.iter().filter(|(_, text)| text.trim().is_empty());
    errors.extend(blank.map(|(locale, _)| {
        FieldError::at(format!("/{field}/{locale}"), "BLANK", "Send a text that contains more than spaces.")
    }));
}

/// Checks texts by locale of which the English one is required.
pub fn check_with_english(field: &str, texts: &Texts, errors: &mut Vec<FieldError>) {
    check(field, texts, errors);
    if !texts.contains_key("en") {
        let message = "The English text cannot be removed: it is shown where no other language fits. Send a text.";
        errors.push(FieldError::at(format!("/{field}/en"), "REQUIRED", message));
    }
}

/// Checks words by locale: adds an error for each word without a letter or digit, and for too many locales.
pub fn check_words(field: &str, words: &Words, errors: &mut Vec<FieldError>) {
    if words.len() > MOST_LOCALES {
        let message = format!("At most {MOST_LOCALES} locales are allowed. Remove some.");
        errors.push(FieldError::at(format!("/{field}"), "TOO_MANY", message));
    }
    for (locale, words) in words {
        let blank = words.iter().enumerate().filter(|(_, word)| !word.contains(char::is_alphanumeric));
        errors.extend(blank.map(|(at, _)| {
            FieldError::at(format!("/{field}/{locale}/{at}"), "BLANK", "Send a word that contains a letter or a digit.")
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_truncated_after_sixteen_words() {
        let words = |many: usize, between: &str| vec!["wörd"; many].join(between);
        for between in [" ", "-", ". ", "\u{3000}"] {
            assert_eq!(first_words(&words(16, between)), words(16, between));
            let kept = first_words(&words(66, between)).to_owned();
            assert_eq!(kept.trim_end_matches(|letter: char| !letter.is_alphanumeric()), words(16, between), "{kept}");
        }
        assert_eq!(first_words("  ! "), "  ! ");
        assert_eq!(first_words(""), "");
    }
}
