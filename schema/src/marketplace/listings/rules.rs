//! What a reader's search means, and which listings are shown beside another.

mod related;

use serde::Serialize;

pub(super) use related::{RelatedReason, mix};

/// The words a reader typed, ready for the statements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Words {
    /// All of them, each within quotation marks, so that none is taken for an operator.
    pub(super) all: String,
    /// All but the last.
    pub(super) settled: String,
    /// The last one as the beginning of a word; none when it is too short to say anything.
    pub(super) beginning: Option<String>,
}

/// Fewest characters of a half-typed word.
const SHORTEST_BEGINNING: usize = 2;

/// Reads what was typed; `None` when there is no word in it, which finds everything.
///
/// Every word must occur. They mean themselves: no quotation mark, minus or `or` has a meaning of its own, because
/// a reader who types one rarely knows of it.
pub(super) fn words(typed: &str) -> Option<Words> {
    let words: Vec<String> = typed
        .split_whitespace()
        .map(|word| word.replace(['"', '\'', '\\'], " ").trim().to_owned())
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect();
    let (last, settled) = words.split_last()?;
    let quoted = |words: &[String]| words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" ");
    let long_enough = last.chars().filter(|letter| letter.is_alphanumeric()).count() >= SHORTEST_BEGINNING;
    Some(Words { all: quoted(&words), settled: quoted(settled), beginning: long_enough.then(|| format!("'{last}':*")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(typed: &str) -> Option<String> {
        words(typed).map(|words| words.all)
    }

    #[test]
    fn words_mean_themselves() {
        assert_eq!(all("waiting  list").as_deref(), Some(r#""waiting" "list""#));
        assert_eq!(all(r#"wine or -beer "red card""#).as_deref(), Some(r#""wine" "or" "-beer" "red" "card""#));
        assert_eq!(all(r"o'neill\ x").as_deref(), Some(r#""o neill" "x""#));
    }

    #[test]
    fn what_holds_no_word_is_no_search() {
        assert_eq!([all(""), all("  "), all("& -- !"), all("\"'\\")], [None, None, None, None]);
    }

    #[test]
    fn the_last_word_may_be_half_typed() {
        let typed = words("waiting li !").unwrap();
        assert_eq!((typed.settled.as_str(), typed.beginning.as_deref()), (r#""waiting""#, Some("'li':*")));
        assert_eq!(words("plan b").unwrap().beginning, None);
        assert_eq!(words("Küche").unwrap().beginning.as_deref(), Some("'Küche':*"));
    }
}
