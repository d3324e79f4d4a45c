//! What somebody may have meant whose words nothing has.

use std::cmp::Reverse;
use std::collections::HashSet;

/// A word that was typed, folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::marketplace::listings) struct TypedWord {
    /// The word.
    pub(in crate::marketplace::listings) word: String,
    /// Whether something on show has it.
    pub(in crate::marketplace::listings) is_found: bool,
    /// Whether it says nothing (the, und), so that a search does without it where it has others.
    pub(in crate::marketplace::listings) is_common: bool,
}

/// What may have been meant by a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::marketplace::listings) struct Candidate {
    /// One word, or two.
    pub(in crate::marketplace::listings) text: String,
    /// How far it is from what was typed.
    distance: usize,
}

/// What is looked for in the place of what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::marketplace::listings) struct Correction {
    /// Text of the heading.
    pub(in crate::marketplace::listings) text: String,
    /// Whether a word was replaced; else some that say nothing were only left out.
    pub(in crate::marketplace::listings) is_respelt: bool,
}

/// Words that are corrected in one search, at most: who mistypes more of them means something else.
const MOST_WRONG: usize = 3;
/// Candidates that are looked at more closely, at most.
const MOST_CANDIDATES: usize = 16;
/// Fewest letters of half of a word.
const SHORTEST_HALF: usize = 2;
/// Fewest letters of what is looked for within words.
const SHORTEST_PART: usize = 4;
/// How far a word is that has what was typed within it: farther than one that is mistyped.
const WITHIN: usize = 3;

/// How many letters of a word may be wrong. Short ones and numbers are what they are.
pub(in crate::marketplace::listings) fn most_wrong(word: &str) -> usize {
    match word.chars().count() {
        4..=5 if !word.chars().any(char::is_numeric) => 1,
        6.. if !word.chars().any(char::is_numeric) => 2,
        _ => 0,
    }
}

/// Everything that may be one half of a word that was typed as one.
pub(in crate::marketplace::listings) fn halves(word: &str) -> Vec<String> {
    splits(word).flat_map(|(front, back)| [front.to_owned(), back.to_owned()]).collect()
}

/// What is looked for within words; nothing for what is too short to say anything.
pub(in crate::marketplace::listings) fn part(word: &str) -> Option<&str> {
    Some(word).filter(|word| word.chars().count() >= SHORTEST_PART)
}

fn splits(word: &str) -> impl Iterator<Item = (&str, &str)> {
    let at = word.char_indices().map(|(at, _)| at).skip(SHORTEST_HALF);
    at.filter_map(|at| word.split_at_checked(at)).filter(|(_, back)| back.chars().count() >= SHORTEST_HALF)
}

/// What may have been meant by a word, of words that listings have or had: two of them, one that is nearly so, or one that
/// has it within. The nearest come first. Where two letters are wrong, the first one is right, as it nearly always is.
pub(in crate::marketplace::listings) fn candidates(word: &str, known: &[String]) -> Vec<Candidate> {
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

/// The best of the candidates, given how many listings each finds: the nearest that finds anything, and of those the one
/// that finds most.
pub(in crate::marketplace::listings) fn choose(candidates: Vec<Candidate>, finds: &[i64]) -> Option<String> {
    let found = candidates.into_iter().zip(finds).filter(|(_, finds)| **finds > 0);
    found.min_by_key(|(candidate, finds)| (candidate.distance, Reverse(**finds))).map(|(candidate, _)| candidate.text)
}

/// The words that have to be corrected, by their places; nothing where there are too many of them.
pub(in crate::marketplace::listings) fn wrong(words: &[TypedWord]) -> Option<Vec<usize>> {
    let says_something = words.iter().any(|word| !word.is_common);
    let is_wrong = |word: &TypedWord| !(word.is_found || word.is_common && says_something);
    let wrong: Vec<usize> = words.iter().enumerate().filter(|(_, word)| is_wrong(word)).map(|(at, _)| at).collect();
    (wrong.len() <= MOST_WRONG).then_some(wrong)
}

/// The search with its wrong words replaced, and without those that say nothing where there are others; nothing where that
/// is what was typed.
pub(in crate::marketplace::listings) fn corrected(
    words: &[TypedWord],
    meant: &[(usize, String)],
) -> Option<Correction> {
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
    fn near_words_two_words_and_longer_ones_are_meant() {
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
    fn the_nearest_that_finds_anything_is_chosen_and_of_those_the_commonest() {
        let known = ["tables", "cables", "tablet"].map(str::to_owned);
        let choose = |finds: &[i64]| choose(candidates("tablez", &known), finds);
        assert_eq!(candidates("tablez", &known).len(), 2);
        assert_eq!(choose(&[3, 9]).as_deref(), Some("tablet"));
        assert_eq!(choose(&[3, 0]).as_deref(), Some("tables"));
        assert_eq!(choose(&[0, 0]), None);
    }

    #[test]
    fn what_says_nothing_is_left_out_unless_there_is_nothing_else() {
        let word = |word: &str, is_found, is_common| TypedWord { word: word.to_owned(), is_found, is_common };
        let typed = [word("the", true, true), word("kitchn", false, false)];
        assert_eq!(wrong(&typed), Some(vec![1]));
        let meant = corrected(&typed, &[(1, "kitchen".to_owned())]).unwrap();
        assert_eq!((meant.text.as_str(), meant.is_respelt), ("kitchen", true));
        let known = [word("the", true, true), word("kitchen", true, false)];
        assert!(!corrected(&known, &[]).unwrap().is_respelt);
        assert_eq!(corrected(&[word("the", true, true), word("of", true, true)], &[]), None);
        assert_eq!(wrong(&["a", "b", "c", "d"].map(|letter| word(letter, false, false))), None, "too many");
    }
}
