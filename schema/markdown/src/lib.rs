//! Renders Markdown to safe HTML that never exceeds the limit of its format.
//!
//! The dialect is CommonMark with tables and strikethrough. HTML in the source is shown as text. Headings have anchors.
//! A link to `op:<operation id>` points to the operation's page in the reference. ammonia sanitises all output.
//!
//! A short text can become long HTML: a reference link repeats its title, a table row is padded with empty cells, and a
//! quote is written as six characters. Therefore, rendering stops when the HTML exceeds the limit, and the length is
//! checked again after sanitising.

mod clean;
mod events;
mod excerpt;
mod headings;
mod plain;
#[cfg(test)]
mod tests;

use std::fmt;

use pulldown_cmark::{Options, Parser, html};

use self::events::SafeEvents;
pub use self::excerpt::{LONGEST_EXCERPT, extract_excerpt};
pub use self::headings::Heading;
use self::headings::{ANCHOR, MIGRATION_ANCHOR};

/// Version of the renderer. Increase it with every change of the output. HTML that an older version stored is then
/// rendered again.
pub const RENDERER: i16 = 1;

/// Dialect of all texts.
const DIALECT: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// Deepest allowed nesting of quotations, lists and emphasis.
pub const DEEPEST: usize = 24;
/// Largest number of ampersands in a text.
pub const MOST_AMPERSANDS: usize = 2_000;

/// A comment on the board of feature requests, or an answer by staff.
pub const COMMENT: TextFormat =
    TextFormat { longest_html: 100_000, source: TextSource::Partners, anchor_prefix: ANCHOR };
/// A feature request.
pub const FEATURE_REQUEST: TextFormat =
    TextFormat { longest_html: 200_000, source: TextSource::Partners, anchor_prefix: ANCHOR };
/// The body of a publication item.
pub const PUBLICATION: TextFormat =
    TextFormat { longest_html: 1_000_000, source: TextSource::Staff, anchor_prefix: ANCHOR };
/// The migration of a changelog entry. One page shows it together with the entry's body, so its headings have ids with
/// another prefix.
pub const MIGRATION: TextFormat = TextFormat { anchor_prefix: MIGRATION_ANCHOR, ..PUBLICATION };

/// Rules for one kind of text. The limit equals the `maxLength` of the field in the contract that contains the HTML.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextFormat {
    /// Longest HTML, in characters.
    pub longest_html: usize,
    /// Author group of these texts.
    pub source: TextSource,
    /// Prefix of the id of each heading.
    pub anchor_prefix: &'static str,
}

/// Author group of a text. It decides which resources the text may load and which `rel` attributes its links get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextSource {
    /// Staff members and their machine clients. Pictures are shown.
    Staff,
    /// Users of partners. A picture is written as a link, so that a reader's browser never calls a third party. Links
    /// get `nofollow ugc`.
    Partners,
}

/// A text rendered to HTML.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Safe HTML, at most as long as its format allows.
    pub html: String,
    /// The headings, in source order.
    pub headings: Vec<Heading>,
    /// Ids of all operations that the text links to, as written, in alphabetical order and without duplicates.
    pub operations: Vec<String>,
}

/// Reason why a text cannot be rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// Quotations, lists or emphasis are nested deeper than [`DEEPEST`].
    #[error("the text is nested too deep")]
    TooDeep,
    /// The text contains more ampersands than [`MOST_AMPERSANDS`].
    #[error("the text has too many ampersands")]
    TooManyAmpersands,
    /// The HTML is longer than its format allows.
    #[error("the HTML of the text is too long")]
    TooLong,
}

/// Renders a text. `anchor` converts the text of a heading to the name of its anchor.
///
/// # Errors
/// [`RenderError`] if the text must be rejected.
pub fn render(markdown: &str, format: TextFormat, anchor: fn(&str) -> String) -> Result<Rendered, RenderError> {
    if markdown.bytes().filter(|byte| *byte == b'&').count() > MOST_AMPERSANDS {
        return Err(RenderError::TooManyAmpersands);
    }
    // One line can open thousands of blocks. Therefore, lines are checked before the parser reads them.
    if markdown.lines().any(|line| markers_of(line) > DEEPEST) {
        return Err(RenderError::TooDeep);
    }
    let mut events = SafeEvents::new(Parser::new_ext(markdown, DIALECT), format, anchor);
    // Sanitising removes attributes of table cells and end tags of empty elements. Therefore, the final limit is
    // checked after it.
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

/// Renders a stored text. If the text cannot be rendered, the result is the escaped source, cut to the limit.
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

/// Counts the blocks that a line may open, by its quotation and list markers.
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

/// A text with a maximum length. A write beyond the limit fails, so the writer stops.
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
