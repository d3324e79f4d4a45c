//! Fallback that only escapes the source of a text.

use std::fmt::Write as _;

use super::BoundedText;

const OPENING: &str = "<p>";
const CLOSING: &str = "</p>\n";

/// Returns the text as an escaped HTML paragraph of at most `longest` characters.
pub(super) fn escape(text: &str, longest: usize) -> String {
    let mut body = BoundedText::new(longest.saturating_sub(OPENING.len() + CLOSING.len()));
    for letter in text.chars() {
        let written = match letter {
            '&' => body.write_str("&amp;"),
            '<' => body.write_str("&lt;"),
            '>' => body.write_str("&gt;"),
            '"' => body.write_str("&quot;"),
            '\'' => body.write_str("&#39;"),
            '\n' => body.write_str("<br>\n"),
            '\0' => body.write_char('\u{fffd}'),
            _ => body.write_char(letter),
        };
        if written.is_err() {
            break;
        }
    }
    format!("{OPENING}{}{CLOSING}", body.text)
}
