//! Substitutes for a search term that no listing matches: corrected words, and the words that are left out.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use labs_core::slug::fold;

/// Typed word, case-folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::listings) struct TypedWord {
    pub(in crate::listings) word: String,
    /// Whether a visible listing contains the word.
    pub(in crate::listings) is_found: bool,
    /// Whether a listing matches without the word: a stop word or a generic word next to other words.
    pub(in crate::listings) is_optional: bool,
    /// Languages of texts that contain the word. None for a name.
    pub(in crate::listings) languages: Vec<String>,
}

/// Possible correction of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::listings) struct Candidate {
    /// One word or two words.
    pub(in crate::listings) text: String,
    /// Edit distance from the typed word.
    distance: usize,
}

/// Use of a candidate on the storefront.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::listings) struct CandidateUse {
    /// Number of visible listings that it finds, at most a hundred.
    pub(in crate::listings) finds: i64,
    /// Whether it is a stop word of any language.
    pub(in crate::listings) is_common: bool,
    /// Whether a name of an app or a vendor contains it.
    pub(in crate::listings) is_name: bool,
    /// Whether texts in a language of the reader contain it.
    pub(in crate::listings) is_in_language: bool,
}

/// Search term that replaces the typed one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::listings) struct Substitute {
    pub(in crate::listings) text: String,
    /// Whether the text contains a corrected word.
    pub(in crate::listings) is_respelt: bool,
    /// Typed words that no listing of the result contains.
    pub(in crate::listings) left_out: Vec<String>,
}

/// Maximum number of words that the service tries to correct in one search.
pub(in crate::listings) const MOST_WRONG: usize = 3;
/// Maximum number of candidates that are examined further.
const MOST_CANDIDATES: usize = 16;
/// Minimum number of letters of half a word.
const SHORTEST_HALF: usize = 3;
/// Minimum number of letters of a compound, whose halves may be inflected or linked.
const SHORTEST_COMPOUND: usize = 9;
/// Maximum number of letters of a word that is split.
const LONGEST_COMPOUND: usize = 40;
/// Letters that link the halves of a German or Dutch compound.
const LINKS: [&str; 5] = ["", "s", "n", "en", "es"];
/// Maximum number of letters of a short word, whose first letter is never corrected.
const SHORT: usize = 5;
/// Minimum number of letters of a word that is searched for at the end of compounds.
const SHORTEST_END: usize = 5;
/// Distance of a compound that ends with the typed word. It is greater than the distance of a misspelling.
const COMPOUND: usize = 3;

/// Returns the maximum number of wrong letters in a word. Words of up to three letters and words with digits are never
/// corrected.
pub(in crate::listings) fn most_wrong(word: &str) -> usize {
    match word.chars().count() {
        4..=SHORT if !word.chars().any(char::is_numeric) => 1,
        6.. if !word.chars().any(char::is_numeric) => 2,
        _ => 0,
    }
}

/// Returns the letters with which a correction of the word may begin.
pub(in crate::listings) fn first_letters(word: &str) -> Vec<String> {
    let letters = if word.chars().count() <= SHORT { 1 } else { 2 };
    word.chars().take(letters).map(String::from).collect()
}

/// Returns the word if compounds may end with it; `None` if it is too short.
pub(in crate::listings) fn end_of_compounds(word: &str) -> Option<&str> {
    Some(word).filter(|word| word.chars().count() >= SHORTEST_END)
}

/// Returns all possible pairs of words for one word. A long word may be a compound with letters that link its parts.
fn splits(word: &str) -> impl Iterator<Item = (&str, &str)> {
    let letters = word.chars().count();
    let is_splittable = letters <= LONGEST_COMPOUND && !word.chars().any(char::is_numeric);
    let links = if letters >= SHORTEST_COMPOUND { LINKS.as_slice() } else { &[""] };
    let cuts = word.char_indices().map(|(at, _)| at).skip(SHORTEST_HALF).filter(move |_| is_splittable);
    let pairs = cuts.filter_map(|at| word.split_at_checked(at));
    let linked =
        pairs.flat_map(|(front, back)| links.iter().filter_map(move |link| Some((front.strip_suffix(link)?, back))));
    let is_long = |half: &str| half.chars().count() >= SHORTEST_HALF;
    linked.filter(move |(front, back)| is_long(front) && is_long(back))
}

/// Returns all possible halves of a word, each once.
pub(in crate::listings) fn halves(word: &str) -> Vec<String> {
    let halves: BTreeSet<&str> = splits(word).flat_map(|(front, back)| [front, back]).collect();
    halves.into_iter().map(str::to_owned).collect()
}

/// Returns the pairs of known words that the word may consist of.
pub(in crate::listings) fn compounds(word: &str, known: &[String]) -> Vec<Candidate> {
    let known: HashSet<&str> = known.iter().map(String::as_str).collect();
    let pairs = splits(word).filter(|(front, back)| known.contains(front) && known.contains(back));
    let texts: BTreeSet<String> = pairs.map(|(front, back)| format!("{front} {back}")).collect();
    texts.into_iter().take(MOST_CANDIDATES).map(|text| Candidate { text, distance: 1 }).collect()
}

/// Returns the pair that finds the most listings; `None` if no listing has both words.
pub(in crate::listings) fn choose_compound(candidates: Vec<Candidate>, uses: &[CandidateUse]) -> Option<String> {
    let found = candidates.into_iter().zip(uses).filter(|(_, of)| of.finds > 0);
    found.min_by_key(|(_, of)| Reverse(of.finds)).map(|(candidate, _)| candidate.text)
}

/// Returns possible corrections of a word from the known words of listings, nearest first: a similar word, or a compound
/// that ends with the typed word. A correction of two letters, and any correction of a short word, keeps the first
/// letter, which is almost always correct.
pub(in crate::listings) fn candidates(word: &str, known: &[String]) -> Vec<Candidate> {
    let most = most_wrong(word);
    let is_short = word.chars().count() <= SHORT;
    let one = known.iter().filter_map(|known| {
        let distance = strsim::osa_distance(word, known);
        let begins_alike = word.chars().next() == known.chars().next();
        let is_near = (1..=most).contains(&distance) && (begins_alike || distance == 1 && !is_short);
        let ends_alike = end_of_compounds(word).is_some_and(|end| known.ends_with(end));
        if is_near { Some((known.clone(), distance)) } else { ends_alike.then(|| (known.clone(), COMPOUND)) }
    });
    let mut found: Vec<Candidate> = one.map(|(text, distance)| Candidate { text, distance }).collect();
    found.sort_by(|one, other| (one.distance, &one.text).cmp(&(other.distance, &other.text)));
    found.truncate(MOST_CANDIDATES);
    found
}

/// Returns the correction of a word; `None` in doubt. A correction finds a listing and is not a stop word. It is a name or
/// a word of the reader's language. Among equally near ones, it finds at least twice as many listings as any other word.
pub(in crate::listings) fn choose(candidates: Vec<Candidate>, uses: &[CandidateUse]) -> Option<String> {
    let is_allowed = |of: &CandidateUse| of.finds > 0 && !of.is_common && (of.is_name || of.is_in_language);
    let mut found: Vec<(Candidate, i64)> = candidates
        .into_iter()
        .zip(uses)
        .filter(|(_, of)| is_allowed(of))
        .map(|(candidate, of)| (candidate, of.finds))
        .collect();
    found.sort_by_key(|(candidate, finds)| (candidate.distance, Reverse(*finds)));
    let (best, finds) = found.first()?;
    let is_rival = |(other, others): &(Candidate, i64)| {
        other.distance == best.distance && !is_inflection(&other.text, &best.text) && *finds < 2 * others
    };
    (!found.iter().skip(1).any(is_rival)).then(|| best.text.clone())
}

/// Whether two words differ only by their last two letters.
fn is_inflection(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let alike = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    alike >= SHORTEST_HALF && alike + 2 >= one.len().max(other.len())
}

/// Returns the languages in which a correction may be: the reader's, else the languages that contain all other words.
/// Empty if neither is known.
pub(in crate::listings) fn languages(locale: Option<&str>, words: &[TypedWord]) -> Vec<String> {
    if let Some(language) = locale.and_then(|locale| locale.split(['-', ' ']).next()) {
        return vec![language.to_owned()];
    }
    let mut spoken =
        words.iter().filter(|word| word.is_found && !word.languages.is_empty()).map(|word| &word.languages);
    let first = spoken.next().cloned().unwrap_or_default();
    spoken.fold(first, |all, of| all.into_iter().filter(|language| of.contains(language)).collect())
}

/// Search term under construction: its words, each with the position of the typed word that it replaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::listings) struct Draft {
    words: Vec<(usize, String)>,
}

impl Draft {
    /// Returns the words that a listing must have, with the corrections of the words at these positions.
    pub(in crate::listings) fn new(words: &[TypedWord], corrections: &[(usize, String)]) -> Self {
        let mut draft = Self::default();
        for (at, typed) in words.iter().enumerate() {
            let corrected = corrections.iter().find(|(wrong, _)| *wrong == at).map(|(_, text)| text.as_str());
            let text = corrected.or_else(|| (typed.is_found && !typed.is_optional).then_some(typed.word.as_str()));
            let parts = text.into_iter().flat_map(|text| text.split(' '));
            draft.words.extend(parts.map(|part| (at, part.to_owned())));
        }
        draft
    }

    /// Returns the search term.
    pub(in crate::listings) fn text(&self) -> String {
        self.words.iter().map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the substitute that consists of the words at these positions; `None` if it equals the typed term.
    pub(in crate::listings) fn keep(
        &self,
        typed: &str,
        words: &[TypedWord],
        corrections: &[(usize, String)],
        kept: &[usize],
    ) -> Option<Substitute> {
        let kept: Vec<&(usize, String)> = kept.iter().filter_map(|at| self.words.get(*at)).collect();
        let is_kept = |at: usize| kept.iter().any(|(typed, _)| *typed == at);
        let left_out = words.iter().enumerate().filter(|(at, word)| !word.is_optional && !is_kept(*at));
        let left_out: Vec<String> = left_out.map(|(_, word)| as_typed(typed, &word.word)).collect();
        let is_respelt = corrections.iter().any(|(at, _)| is_kept(*at));
        let text = kept.iter().map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(" ");
        let is_changed = is_respelt || !left_out.is_empty();
        (is_changed && !text.is_empty()).then_some(Substitute { text, is_respelt, left_out })
    }
}

/// Returns a word as the reader typed it; the folded word if it is only a part of a typed word.
fn as_typed(typed: &str, word: &str) -> String {
    let mut written = typed.split(|letter: char| !letter.is_alphanumeric());
    written.find(|written| fold(written) == word).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests;
