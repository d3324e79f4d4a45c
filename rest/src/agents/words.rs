//! Words of a task and of the contract: without inflection, and with words of the same meaning.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use serde::Deserialize;

use crate::contract::yaml;

/// Words of the same meaning.
static SYNONYMS: LazyLock<Synonyms> =
    LazyLock::new(|| Synonyms::read(include_str!("../../../contract/agents/synonyms.yaml")));

/// Weight of the words of the contract that stand for a phrase of the task.
const MEANING: f64 = 0.9;
/// Weight of the phrase itself, if the contract has other words for it.
const LITERAL: f64 = 0.6;
/// Weight of the meanings of a single word within a longer phrase.
const PART: f64 = 0.54;

/// A word or phrase of a task: the alternatives that can stand for it in the contract, each with its weight.
pub(super) type Term = Vec<(f64, Vec<String>)>;

/// Words of the same meaning, and words without one.
struct Synonyms {
    /// Words that are ignored, without inflection.
    ignored: BTreeSet<String>,
    /// The words of the contract for a phrase, without inflection.
    phrases: BTreeMap<Vec<String>, Vec<Vec<String>>>,
    /// Number of words of the longest phrase.
    longest: usize,
}

/// The file `contract/agents/synonyms.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SynonymFile {
    ignored: String,
    synonyms: BTreeMap<String, Vec<String>>,
}

impl Synonyms {
    /// Reads the file. A test excludes that it cannot be read.
    fn read(text: &str) -> Self {
        let empty = || SynonymFile { ignored: String::new(), synonyms: BTreeMap::new() };
        let file = yaml::read(text).ok().and_then(|value| serde_json::from_value(value).ok()).unwrap_or_else(empty);
        let mut phrases: BTreeMap<Vec<String>, Vec<Vec<String>>> = BTreeMap::new();
        for (phrase, meanings) in &file.synonyms {
            let meanings = meanings.iter().map(|meaning| stems(meaning).collect());
            phrases.entry(stems(phrase).collect()).or_default().extend(meanings);
        }
        let longest = phrases.keys().map(Vec::len).max().unwrap_or_default();
        Self { ignored: stems(&file.ignored).collect(), phrases, longest }
    }
}

/// Returns the words of a text, in lower case and without inflection.
pub(super) fn stems(text: &str) -> impl Iterator<Item = String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(move |word| stemmer.stem(&word.to_lowercase()).into_owned())
}

/// Returns the words of a text that a person wrote, without apostrophes and inflection.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    stems(&text.replace(['\'', '’'], "")).collect::<Vec<_>>().into_iter()
}

/// Whether a word says nothing about an operation.
pub(super) fn is_ignored(word: &str) -> bool {
    SYNONYMS.ignored.contains(word)
}

/// Returns the inverse document frequency of a word that `with` of `all` texts contain.
pub(super) fn rarity(all: usize, with: usize) -> f64 {
    let (all, with) = (all as f64, with as f64);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

/// Returns the terms of a task. The longest known phrase at a place is one term.
pub(super) fn terms(task: &str) -> Vec<Term> {
    let words: Vec<String> = words(task).collect();
    let (mut rest, mut found) = (words.as_slice(), Vec::new());
    while let [first, after @ ..] = rest {
        let lengths = (1..=SYNONYMS.longest.min(rest.len())).rev();
        let known = lengths.filter_map(|length| SYNONYMS.phrases.get_key_value(rest.get(..length)?)).next();
        match known {
            Some((phrase, meanings)) => {
                found.push(term(phrase, meanings));
                rest = rest.get(phrase.len()..).unwrap_or_default();
            }
            None => {
                if !SYNONYMS.ignored.contains(first) {
                    found.push(vec![(1.0, vec![first.clone()])]);
                }
                rest = after;
            }
        }
    }
    found
}

fn term(phrase: &[String], meanings: &[Vec<String>]) -> Term {
    let mut alternatives: Term = meanings.iter().map(|meaning| (MEANING, meaning.clone())).collect();
    let literal: Vec<String> = phrase.iter().filter(|word| !SYNONYMS.ignored.contains(*word)).cloned().collect();
    if !literal.is_empty() {
        alternatives.push((LITERAL, literal));
    }
    if phrase.len() > 1 {
        let parts = phrase.iter().filter_map(|word| SYNONYMS.phrases.get(std::slice::from_ref(word))).flatten();
        alternatives.extend(parts.map(|meaning| (PART, meaning.clone())));
    }
    alternatives
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_can_be_read_and_are_used() {
        assert!(SYNONYMS.ignored.contains("the") && SYNONYMS.phrases.len() > 100);
        let [only] = terms("the 2FA").try_into().unwrap_or_else(|terms| panic!("{terms:?}"));
        assert!(only.iter().any(|(_, words)| words.contains(&"totp".to_owned())), "{only:?}");
    }

    #[test]
    fn inflection_does_not_matter() {
        assert_eq!(terms("publishing versions"), terms("publish version"));
    }
}
