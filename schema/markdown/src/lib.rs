//! Markdown as HTML that is safe to show, and never longer than its format allows.
//!
//! The dialect is CommonMark with tables and strikethrough. HTML in the source is shown as text. Headings have anchors, and
//! a link to `op:<operation id>` leads into the reference. ammonia cleans everything that is returned.
//!
//! A short text can become long HTML: a reference link repeats its title, a table row is padded with empty cells, and a
//! quote is written as six characters. So rendering stops as soon as the HTML exceeds its limit, and counts again after
//! cleaning.

mod clean;
mod events;
mod headings;
mod plain;
#[cfg(test)]
mod tests;

use std::fmt;

use pulldown_cmark::{Options, Parser, html};

use self::events::SafeEvents;
pub use self::headings::Heading;
use self::headings::{ANCHOR, MIGRATION_ANCHOR};

/// The version of the renderer. Raise it with every change of what a text becomes: stored HTML of an older version is
/// rendered again.
pub const RENDERER: i16 = 1;

/// The deepest nesting of quotations, lists and emphasis.
pub const DEEPEST: usize = 24;
/// The most ampersands of a text.
pub const MOST_AMPERSANDS: usize = 2_000;

/// A comment on the board of feature requests, or an answer of staff.
pub const COMMENT: TextFormat =
    TextFormat { longest_html: 100_000, source: TextSource::Partners, anchor_prefix: ANCHOR };
/// A feature request.
pub const FEATURE_REQUEST: TextFormat =
    TextFormat { longest_html: 200_000, source: TextSource::Partners, anchor_prefix: ANCHOR };
/// The body of a publication item.
pub const PUBLICATION: TextFormat =
    TextFormat { longest_html: 1_000_000, source: TextSource::Staff, anchor_prefix: ANCHOR };
/// The migration of a changelog entry. Its headings have other ids than those of the entry's body, with which one page shows it.
pub const MIGRATION: TextFormat = TextFormat { anchor_prefix: MIGRATION_ANCHOR, ..PUBLICATION };

/// The rules for one kind of text. The limit equals `maxLength` of the contract's field that has the HTML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextFormat {
    /// The most characters of its HTML.
    pub longest_html: usize,
    /// Who writes such texts.
    pub source: TextSource,
    /// The beginning of the id of each heading.
    pub anchor_prefix: &'static str,
}

/// Who writes a text, which decides what it may load and what its links say about themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextSource {
    /// Staff and their programs. Pictures are shown.
    Staff,
    /// People of partners. A picture is a link, so that no reader's browser calls a third party, and links say `nofollow
    /// ugc`.
    Partners,
}

/// A text as HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Safe HTML, at most as long as its format allows.
    pub html: String,
    /// The headings in their order.
    pub headings: Vec<Heading>,
    /// The ids of all operations that the text links to, as written, in alphabetical order, each once.
    pub operations: Vec<String>,
}

/// Why a text has no HTML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// Quotations, lists or emphasis are nested deeper than [`DEEPEST`].
    #[error("the text is nested too deep")]
    TooDeep,
    /// There are more ampersands than [`MOST_AMPERSANDS`].
    #[error("the text has too many ampersands")]
    TooManyAmpersands,
    /// The HTML is longer than its format allows.
    #[error("the HTML of the text is too long")]
    TooLong,
}

/// Renders a text. `anchor` makes the name of a heading's anchor of its words.
///
/// # Errors
/// [`RenderError`] for a text that must not be accepted.
pub fn render(markdown: &str, format: TextFormat, anchor: fn(&str) -> String) -> Result<Rendered, RenderError> {
    if markdown.bytes().filter(|byte| *byte == b'&').count() > MOST_AMPERSANDS {
        return Err(RenderError::TooManyAmpersands);
    }
    // A line can open thousands of blocks at once, so lines are checked before the parser sees them.
    if markdown.lines().any(|line| markers_of(line) > DEEPEST) {
        return Err(RenderError::TooDeep);
    }
    let options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);
    let mut events = SafeEvents::new(Parser::new_ext(markdown, options), format, anchor);
    // Cleaning removes attributes of table cells and ends of empty tags, so the limit of the result is checked after it.
    let mut written = BoundedText::new(format.longest_html.saturating_mul(2));
    let outcome = html::write_html_fmt(&mut written, &mut events);
    if events.is_too_deep() {
        return Err(RenderError::TooDeep);
    }
    outcome.map_err(|_| RenderError::TooLong)?;
    let html = clean::clean(&written.text, format.source);
    if html.chars().count() > format.longest_html {
        return Err(RenderError::TooLong);
    }
    let (headings, operations) = events.into_parts();
    Ok(Rendered { html, headings, operations })
}

/// Renders a text that is already stored. If it cannot be rendered, the result is its source, escaped and cut to the limit.
pub fn render_stored(
    markdown: &str,
    format: TextFormat,
    anchor: fn(&str) -> String,
) -> (Rendered, Option<RenderError>) {
    match render(markdown, format, anchor) {
        Ok(rendered) => (rendered, None),
        Err(error) => {
            let html = plain::escape(markdown, format.longest_html);
            (Rendered { html, ..Rendered::default() }, Some(error))
        }
    }
}

/// How many blocks a line may open: its marks of quotations and of list entries.
fn markers_of(line: &str) -> usize {
    let mut markers = 0;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let follows_blank = letters.peek().is_none_or(|next| next.is_ascii_whitespace());
        match letter {
            ' ' | '\t' | '0'..='9' => {}
            '>' => markers += 1,
            '-' | '*' | '+' | '.' | ')' if follows_blank => markers += 1,
            _ => break,
        }
    }
    markers
}

/// A text that refuses to become longer than its limit, so that the one who writes it stops.
struct BoundedText {
    text: String,
    characters_left: usize,
}

impl BoundedText {
    const fn new(longest: usize) -> Self {
        Self { text: String::new(), characters_left: longest }
    }
}

impl fmt::Write for BoundedText {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.characters_left = self.characters_left.checked_sub(piece.chars().count()).ok_or(fmt::Error)?;
        self.text.push_str(piece);
        Ok(())
    }
}
