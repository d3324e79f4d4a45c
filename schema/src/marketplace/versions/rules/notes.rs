//! What is new in a version, in all its locales together.

use std::collections::BTreeMap;

use crate::fault::Fault;

/// Most bytes of all texts together, in UTF-8: a page has a hundred versions.
const MOST_BYTES: usize = 32 * 1024;

/// Checks what the contract's schema cannot say: how long the texts are in all.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] at `/release_notes`.
pub(in crate::marketplace::versions) fn checked(notes: &BTreeMap<String, String>) -> Result<(), Fault> {
    let bytes: usize = notes.values().map(String::len).sum();
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    Err(Fault::field(
        "/release_notes",
        "TOO_LONG",
        format!("At most {MOST_BYTES} bytes of UTF-8 in all locales together; this has {bytes}. Shorten the texts."),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_all_locales_count_together_and_in_bytes() {
        let notes = |letter: &str, last: usize| {
            let lengths = [4_000, 4_000, 4_000, last].into_iter().enumerate();
            checked(&lengths.map(|(place, length)| (format!("l{place}"), letter.repeat(length))).collect()).is_ok()
        };
        assert!(notes("ü", 4_000) && !notes("ü", 4_385), "32,768 bytes are sixteen thousand letters of two");
        assert!(notes("ü", 4_384));
        assert!(notes("e", 20_768) && !notes("e", 20_769));
    }
}
