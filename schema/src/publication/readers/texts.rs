//! Texts as HTML, kept for as long as there is room: readers ask for the same ones, and to make them takes a core for
//! milliseconds. What is kept is known by what it was made of, so it is never out of date.

use std::sync::Arc;

use moka::sync::Cache;

use crate::core::crypto::sha256;
use crate::publication::markdown::{self, Rendered};

/// Most bytes of HTML that are kept.
const ROOM: u64 = 16 * 1024 * 1024;

/// Texts that were made into HTML.
pub(in crate::publication) struct ShownTexts(Cache<[u8; 32], Arc<Rendered>>);

impl Default for ShownTexts {
    fn default() -> Self {
        // A heading's anchor repeats its words at most twice.
        let weigh = |_: &[u8; 32], made: &Arc<Rendered>| u32::try_from(made.html.len() * 2 + 256).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(ROOM).weigher(weigh).build())
    }
}

impl ShownTexts {
    /// A text as HTML.
    pub(in crate::publication) fn shown(&self, markdown: &str) -> Arc<Rendered> {
        self.0.get_with(sha256(markdown.as_bytes()), || Arc::new(markdown::render_whole(markdown)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_made_once_and_another_is_another() {
        let texts = ShownTexts::default();
        let made = texts.shown("# One");
        assert!(Arc::ptr_eq(&made, &texts.shown("# One")));
        assert_eq!(texts.shown("Two").html, "<p>Two</p>\n");
    }
}
