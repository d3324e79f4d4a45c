//! Users' Markdown as HTML: rendered outside the async threads and cached in memory up to a limit.

use std::sync::Arc;

use labs_blocking::{BlockingError, BlockingPool, spare_cores};
use labs_crypto::sha256;
pub use labs_markdown::{
    COMMENT, FEATURE_REQUEST, Heading, MIGRATION, PUBLICATION, RENDERER, RenderError, Rendered, TextFormat,
    extract_excerpt,
};
use labs_markdown::{DEEPEST, MOST_AMPERSANDS, TextSource};
use moka::sync::Cache;

use crate::fault::{Fault, FieldError};
use crate::slug::slug_of;

/// Maximum bytes of HTML in the cache.
const ROOM: u64 = 16 * 1024 * 1024;
/// Maximum number of texts that wait to be rendered. Rendering takes at most a tenth of a second.
const QUEUE: usize = 200;

/// Rendered text.
#[derive(Clone, Debug)]
pub struct RenderedText {
    /// HTML of the text, with details of its content; the escaped source if rendering failed.
    pub rendered: Rendered,
    /// Reason why the text must be rejected, if any.
    pub error: Option<RenderError>,
}

/// Renders and caches texts. The cache key is a digest of source and format, so an entry is never out of date.
pub struct TextRenderer {
    pool: BlockingPool,
    known: Cache<[u8; 32], Arc<RenderedText>>,
}

impl Default for TextRenderer {
    fn default() -> Self {
        // A heading repeats its words at most twice.
        let weigh = |_: &[u8; 32], text: &Arc<RenderedText>| {
            u32::try_from(text.rendered.html.len() * 3 + 256).unwrap_or(u32::MAX)
        };
        Self {
            pool: BlockingPool::new(spare_cores(), QUEUE),
            known: Cache::builder().max_capacity(ROOM).weigher(weigh).build(),
        }
    }
}

impl TextRenderer {
    /// Returns the rendered text.
    ///
    /// # Errors
    /// [`crate::Code::Unavailable`] if too many texts wait.
    pub async fn show(&self, markdown: &str, format: TextFormat) -> Result<Arc<RenderedText>, Fault> {
        let key = key_of(markdown, format);
        if let Some(known) = self.known.get(&key) {
            return Ok(known);
        }
        let (known, markdown) = (self.known.clone(), markdown.to_owned());
        let rendered = self.pool.run(move || {
            // A call that waited for the same text finds it in the cache.
            known.get_with(key, || {
                let (rendered, error) = labs_markdown::render_stored(&markdown, format, anchor_of);
                Arc::new(RenderedText { rendered, error })
            })
        });
        rendered.await.map_err(|error| match error {
            BlockingError::Overloaded => {
                Fault::unavailable("The service is rendering too many texts. Try again in a moment.")
            }
            BlockingError::Broken => Fault::internal(error),
        })
    }
}

/// Returns the anchor name of a heading.
fn anchor_of(words: &str) -> String {
    slug_of(words, "part")
}

fn key_of(markdown: &str, format: TextFormat) -> [u8; 32] {
    let source = match format.source {
        TextSource::Staff => 0,
        TextSource::Partners => 1,
    };
    let mut keyed = Vec::with_capacity(markdown.len() + 9);
    keyed.extend_from_slice(&(format.longest_html as u64).to_be_bytes());
    keyed.push(source);
    keyed.extend_from_slice(markdown.as_bytes());
    sha256(&keyed)
}

/// Returns the error of a field whose text must be rejected.
pub fn text_error(pointer: &str, error: RenderError, format: TextFormat) -> FieldError {
    match error {
        RenderError::TooDeep => {
            let message = format!(
                "Quotations, lists and emphasis may be nested at most {DEEPEST} levels deep. Reduce the nesting."
            );
            FieldError::at(pointer, "TOO_DEEP", message)
        }
        RenderError::TooManyAmpersands => {
            let message = format!("A text may contain at most {} ampersands. Remove some.", thousands(MOST_AMPERSANDS));
            FieldError::at(pointer, "TOO_MANY_AMPERSANDS", message)
        }
        RenderError::TooLong => {
            let message = format!(
                "The HTML of this text has more than {} characters. Shorten the titles of links that it uses often, \
                 or use fewer links, headings and table cells.",
                thousands(format.longest_html)
            );
            FieldError::at(pointer, "HTML_TOO_LONG", message)
        }
    }
}

/// Formats a number with commas between thousands.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut written = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn rendered_text_is_cached_by_text_and_format() {
        let renderer = TextRenderer::default();
        let shown = renderer.show("# One", PUBLICATION).await.unwrap();
        assert!(Arc::ptr_eq(&shown, &renderer.show("# One", PUBLICATION).await.unwrap()));
        assert_eq!(shown.rendered.html, "<h1 id=\"section-one\">One</h1>\n");
        assert_eq!(renderer.show("Two", PUBLICATION).await.unwrap().rendered.html, "<p>Two</p>\n");
        let picture = "![](https://x.example/a.png)";
        assert!(renderer.show(picture, PUBLICATION).await.unwrap().rendered.html.contains("<img"));
        assert!(!renderer.show(picture, COMMENT).await.unwrap().rendered.html.contains("<img"));
    }

    #[tokio::test]
    async fn render_error_is_cached() {
        let text = format!("[a]: https://x.e \"{}\"\n\n{}", "\\\"".repeat(500), "[a]".repeat(1_326));
        let renderer = TextRenderer::default();
        for _ in 0..2 {
            let shown = renderer.show(&text, COMMENT).await.unwrap();
            assert_eq!(shown.error, Some(RenderError::TooLong));
            assert!(shown.rendered.html.chars().count() <= COMMENT.longest_html);
        }
    }

    #[test]
    fn error_names_the_limit() {
        let error = text_error("/body", RenderError::TooLong, PUBLICATION);
        assert_eq!((error.code.as_str(), error.pointer.as_deref()), ("HTML_TOO_LONG", Some("/body")));
        assert!(error.message.contains("1,000,000"), "{}", error.message);
        assert_eq!([thousands(7), thousands(100), thousands(2_000)], ["7", "100", "2,000"]);
    }
}
