//! Beginning of a Markdown text as plain text, for lists and notifications.

use pulldown_cmark::{Event, Parser};

use super::DIALECT;

/// Maximum number of characters of an excerpt. The contract's `maxLength` of each excerpt equals it.
pub const LONGEST_EXCERPT: usize = 280;

/// Returns the beginning of a Markdown text as plain text in one line: without marks, link targets and line breaks. If
/// the text is longer than [`LONGEST_EXCERPT`], it ends after a complete word, with an ellipsis. HTML in the source is
/// text, as in the rendered form.
#[must_use]
pub fn extract_excerpt(markdown: &str) -> String {
    let mut plain = String::new();
    for event in Parser::new_ext(markdown, DIALECT) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                plain.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak | Event::Rule | Event::End(_) if !ends_inline(&event) => {
                plain.push(' ');
            }
            _ => {}
        }
        if plain.len() > 8 * LONGEST_EXCERPT {
            break;
        }
    }
    let words: Vec<&str> = plain.split_whitespace().collect();
    shorten(words.join(" "))
}

/// Whether the event ends an element within a line. No space follows it: `**to**day` is one word.
fn ends_inline(event: &Event<'_>) -> bool {
    use pulldown_cmark::TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
    matches!(event, Event::End(Emphasis | Strong | Strikethrough | Link | Image))
}

/// Cuts a text after a word, or within a word that is longer than the excerpt.
fn shorten(text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(LONGEST_EXCERPT) else { return text };
    let room: String = text.chars().take(LONGEST_EXCERPT - 1).collect();
    let is_complete = text.get(room.len()..end).is_some_and(|next| next.starts_with(' '));
    let kept = if is_complete { room.as_str() } else { room.rsplit_once(' ').map_or(room.as_str(), |(kept, _)| kept) };
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_breaks_become_plain_text() {
        let markdown = "# Split the *bill*\n\nToday:\n\n- **to**day\n- `POST /orders`\n\n> See [the docs](https://x.example)\n\n\
                        <b>bold</b> ![a plan](https://x.example/p.png)";
        assert_eq!(
            extract_excerpt(markdown),
            "Split the bill Today: today POST /orders See the docs <b>bold</b> a plan"
        );
        assert_eq!(extract_excerpt(" \n\n---\n"), "");
        assert_eq!(extract_excerpt("| a | b |\n|---|---|\n| c | d |"), "a b c d");
    }

    #[test]
    fn long_texts_end_after_a_word_with_an_ellipsis() {
        let long = "menü ".repeat(100);
        let excerpt = extract_excerpt(&long);
        assert!(excerpt.chars().count() <= LONGEST_EXCERPT && excerpt.ends_with("menü…"), "{excerpt}");
        let one_word = extract_excerpt(&"ü".repeat(300));
        assert_eq!(one_word.chars().count(), LONGEST_EXCERPT);
        assert_eq!(extract_excerpt(&"ü".repeat(LONGEST_EXCERPT)).chars().count(), LONGEST_EXCERPT);
        assert!(!extract_excerpt(&"ü".repeat(LONGEST_EXCERPT)).ends_with('…'));
    }
}
