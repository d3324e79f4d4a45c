//! Spelling corrections for words that no listing contains.

use std::cmp::Reverse;
use std::collections::HashSet;

/// Typed word, case-folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::listings) struct TypedWord {
    pub(in crate::listings) word: String,
    /// Whether a visible listing contains the word.
    pub(in crate::listings) is_found: bool,
    /// Whether the word is a stop word (the, und), which a search ignores if it has other words.
    pub(in crate::listings) is_common: bool,
}

/// Possible correction of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::listings) struct Candidate {
    /// One word or two words.
    pub(in crate::listings) text: String,
    /// Edit distance from the typed word.
    distance: usize,
}

/// Corrected search term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::listings) struct Correction {
    /// Corrected search term.
    pub(in crate::listings) text: String,
    /// Whether a word was replaced; otherwise only stop words were removed.
    pub(in crate::listings) is_respelt: bool,
}

/// Maximum number of corrected words in one search. A search with more wrong words probably means something else.
const MOST_WRONG: usize = 3;
/// Maximum number of candidates that are examined further.
const MOST_CANDIDATES: usize = 16;
/// Minimum number of letters of half a word.
const SHORTEST_HALF: usize = 2;
/// Minimum number of letters for a substring search in words.
const SHORTEST_PART: usize = 4;
/// Distance of a word that contains the typed word. It is greater than the distance of a misspelling.
const WITHIN: usize = 3;

/// Returns the maximum number of wrong letters in a word. Short words and words with digits are never corrected.
pub(in crate::listings) fn most_wrong(word: &str) -> usize {
    match word.chars().count() {
        4..=5 if !word.chars().any(char::is_numeric) => 1,
        6.. if !word.chars().any(char::is_numeric) => 2,
        _ => 0,
    }
}

/// Returns all possible halves of a word, for two words typed as one.
pub(in crate::listings) fn halves(word: &str) -> Vec<String> {
    splits(word).flat_map(|(front, back)| [front.to_owned(), back.to_owned()]).collect()
}

/// Returns the substring to search for in words; `None` if the word is too short.
pub(in crate::listings) fn part(word: &str) -> Option<&str> {
    Some(word).filter(|word| word.chars().count() >= SHORTEST_PART)
}

fn splits(word: &str) -> impl Iterator<Item = (&str, &str)> {
    let at = word.char_indices().map(|(at, _)| at).skip(SHORTEST_HALF);
    at.filter_map(|at| word.split_at_checked(at)).filter(|(_, back)| back.chars().count() >= SHORTEST_HALF)
}

/// Returns possible corrections of a word from the known words of listings, nearest first: two words typed as one, a
/// similar word, or a word that contains the typed word. A correction of two letters keeps the first letter, which is
/// almost always correct.
pub(in crate::listings) fn candidates(word: &str, known: &[String]) -> Vec<Candidate> {
    let (all, most) = (known.iter().map(String::as_str).collect::<HashSet<_>>(), most_wrong(word));
    let is_known = |(front, back): &(&str, &str)| all.contains(front) && all.contains(back);
    let two = splits(word).filter(is_known).map(|(front, back)| (format!("{front} {back}"), 1));
    let one = known.iter().filter_map(|known| {
        let distance = strsim::osa_distance(word, known);
        let begins_alike = word.chars().next() == known.chars().next();
        let is_near = (1..=most).contains(&distance) && (begins_alike || distance == 1);
        let has_it = part(word).is_some_and(|part| known.contains(part));
        if is_near { Some((known.clone(), distance)) } else { has_it.then(|| (known.clone(), WITHIN)) }
    });
    let mut found: Vec<Candidate> = two.chain(one).map(|(text, distance)| Candidate { text, distance }).collect();
    found.sort_by(|one, other| (one.distance, &one.text).cmp(&(other.distance, &other.text)));
    found.truncate(MOST_CANDIDATES);
    found
}

/// Returns the nearest candidate that finds any listing. Among equally near candidates, the one with the most listings
/// wins. `finds` contains the number of listings of each candidate.
pub(in crate::listings) fn choose(candidates: Vec<Candidate>, finds: &[i64]) -> Option<String> {
    let found = candidates.into_iter().zip(finds).filter(|(_, finds)| **finds > 0);
    found.min_by_key(|(candidate, finds)| (candidate.distance, Reverse(**finds))).map(|(candidate, _)| candidate.text)
}

/// Returns the positions of the words that need a correction; `None` if there are too many.
pub(in crate::listings) fn wrong(words: &[TypedWord]) -> Option<Vec<usize>> {
    let says_something = words.iter().any(|word| !word.is_common);
    let is_wrong = |word: &TypedWord| !(word.is_found || word.is_common && says_something);
    let wrong: Vec<usize> = words.iter().enumerate().filter(|(_, word)| is_wrong(word)).map(|(at, _)| at).collect();
    (wrong.len() <= MOST_WRONG).then_some(wrong)
}

/// Returns the search term with corrected words and without stop words, if it has other words; `None` if that equals
/// the typed term.
pub(in crate::listings) fn apply_corrections(words: &[TypedWord], meant: &[(usize, String)]) -> Option<Correction> {
    let says_something = words.iter().any(|word| !word.is_common);
    let kept = words.iter().enumerate().filter(|(_, word)| !(word.is_common && says_something));
    let kept: Vec<&str> = kept
        .map(|(at, word)| {
            meant.iter().find(|(wrong, _)| *wrong == at).map_or(word.word.as_str(), |(_, meant)| meant.as_str())
        })
        .collect();
    let is_changed = !meant.is_empty() || kept.len() < words.len();
    is_changed.then(|| Correction { text: kept.join(" "), is_respelt: !meant.is_empty() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(word: &str, known: &[&str]) -> Vec<String> {
        let known: Vec<String> = known.iter().map(|known| (*known).to_owned()).collect();
        candidates(word, &known).into_iter().map(|candidate| candidate.text).collect()
    }

    #[test]
    fn corrections_match_near_split_and_longer_words() {
        assert_eq!(texts("trinkgled", &["trinkgeld", "trinkgeldkasse", "tisch"]), ["trinkgeld"]);
        assert_eq!(texts("noshow", &["no", "show", "now"]), ["no show"]);
        assert_eq!(texts("monitor", &["kuchenmonitor", "motor"]), ["motor", "kuchenmonitor"]);
        assert_eq!(texts("itchen", &["kitchen", "cuisine"]), ["kitchen"]);
        assert_eq!(texts("kasa", &["kasse", "nasa"]), ["nasa"], "one letter of four");
        assert_eq!(texts("tpi", &["tip"]), [""; 0], "short words are what they are");
        assert_eq!(texts("2019a", &["2019"]), [""; 0]);
        assert_eq!(texts("bakers", &["makery"]), [""; 0], "two letters, the first one among them");
    }

    #[test]
    fn nearest_correction_with_most_hits_is_chosen() {
        let known = ["tables", "cables", "tablet"].map(str::to_owned);
        let choose = |finds: &[i64]| choose(candidates("tablez", &known), finds);
        assert_eq!(candidates("tablez", &known).len(), 2);
        assert_eq!(choose(&[3, 9]).as_deref(), Some("tablet"));
        assert_eq!(choose(&[3, 0]).as_deref(), Some("tables"));
        assert_eq!(choose(&[0, 0]), None);
    }

    #[test]
    fn common_words_are_omitted_unless_nothing_else_remains() {
        let word = |word: &str, is_found, is_common| TypedWord { word: word.to_owned(), is_found, is_common };
        let typed = [word("the", true, true), word("kitchn", false, false)];
        assert_eq!(wrong(&typed), Some(vec![1]));
        let meant = apply_corrections(&typed, &[(1, "kitchen".to_owned())]).unwrap();
        assert_eq!((meant.text.as_str(), meant.is_respelt), ("kitchen", true));
        let known = [word("the", true, true), word("kitchen", true, false)];
        assert!(!apply_corrections(&known, &[]).unwrap().is_respelt);
        assert_eq!(apply_corrections(&[word("the", true, true), word("of", true, true)], &[]), None);
        assert_eq!(wrong(&["a", "b", "c", "d"].map(|letter| word(letter, false, false))), None, "too many");
    }
}
