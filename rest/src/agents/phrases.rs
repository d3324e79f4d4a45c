//! Phrases in which people ask for an operation, written per operation (`contract/agents/phrases`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::words::known_words;
use crate::contract::yaml;

/// The files, one per group of operations: a mapping from an operation id to its phrases.
const FILES: [&str; 9] = [
    include_str!("../../../contract/agents/phrases/admin.yaml"),
    include_str!("../../../contract/agents/phrases/auth.yaml"),
    include_str!("../../../contract/agents/phrases/engagement.yaml"),
    include_str!("../../../contract/agents/phrases/marketplace.yaml"),
    include_str!("../../../contract/agents/phrases/partner.yaml"),
    include_str!("../../../contract/agents/phrases/publication.yaml"),
    include_str!("../../../contract/agents/phrases/statistics.yaml"),
    include_str!("../../../contract/agents/phrases/subscription.yaml"),
    include_str!("../../../contract/agents/phrases/system.yaml"),
];

/// A phrase: its words, and the length of its vector.
struct Phrase {
    words: BTreeSet<String>,
    length: f64,
}

/// The phrases of all operations, as vectors of words weighted by their rarity.
pub(super) struct Phrases {
    /// By position of the operation.
    of_operations: Vec<Vec<Phrase>>,
    /// Number of phrases with each word.
    occurrences: HashMap<String, usize>,
    /// Number of phrases.
    count: usize,
}

/// Reads the phrases by operation id. A test excludes that a file cannot be read.
fn read() -> BTreeMap<String, Vec<String>> {
    let files = FILES.iter().filter_map(|text| serde_json::from_value(yaml::read(text).ok()?).ok());
    files.flat_map(BTreeMap::<String, Vec<String>>::into_iter).collect()
}

impl Phrases {
    /// Reads the phrases of operations, in the order of their ids.
    pub(super) fn new<'a>(ids: impl Iterator<Item = &'a str>) -> Self {
        let mut known = read();
        let to_words = |phrases: Vec<String>| phrases.iter().map(|phrase| known_words(phrase).collect()).collect();
        let words: Vec<Vec<BTreeSet<String>>> = ids.map(|id| to_words(known.remove(id).unwrap_or_default())).collect();
        let mut occurrences = HashMap::new();
        for word in words.iter().flatten().flatten() {
            *occurrences.entry(word.clone()).or_default() += 1;
        }
        let count = words.iter().map(Vec::len).sum();
        let mut phrases = Self { of_operations: Vec::new(), occurrences, count };
        let to_phrase = |words: BTreeSet<String>| Phrase { length: phrases.length(words.iter()), words };
        let of_operations = words.into_iter().map(|phrases| phrases.into_iter().map(to_phrase).collect()).collect();
        phrases.of_operations = of_operations;
        phrases
    }

    /// Returns the words of all phrases of an operation.
    pub(super) fn words(&self, place: usize) -> impl Iterator<Item = &String> {
        self.of_operations.get(place).into_iter().flatten().flat_map(|phrase| &phrase.words)
    }

    /// Returns the similarity of a task to the phrase of an operation that is closest to it: the cosine of the angle
    /// between their vectors, from 0 to 1.
    pub(super) fn similarity(&self, place: usize, task: &BTreeSet<String>) -> f64 {
        let length = self.length(task.iter());
        let similarity = |phrase: &Phrase| {
            let common: f64 = task.intersection(&phrase.words).map(|word| self.rarity(word).powi(2)).sum();
            common / (length * phrase.length).max(f64::MIN_POSITIVE)
        };
        self.of_operations.get(place).into_iter().flatten().map(similarity).fold(0.0, f64::max)
    }

    fn length<'a>(&self, words: impl Iterator<Item = &'a String>) -> f64 {
        words.map(|word| self.rarity(word).powi(2)).sum::<f64>().sqrt()
    }

    /// Inverse document frequency of a word.
    fn rarity(&self, word: &str) -> f64 {
        super::words::rarity(self.count, self.occurrences.get(word).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;

    #[test]
    fn every_operation_has_phrases_and_no_other() {
        let contract = Contract::embedded().unwrap();
        let mut known = read();
        let mut few = |id: &str| known.remove(id).is_none_or(|phrases| phrases.len() < 5);
        let ids = contract.operations().iter().map(|operation| operation.id.as_str());
        let lacking: Vec<&str> = ids.filter(|id| few(id)).collect();
        assert_eq!(lacking, Vec::<&str>::new(), "fewer than five phrases");
        assert!(known.is_empty(), "phrases of unknown operations: {:?}", known.keys());
    }

    #[test]
    fn similarity_of_phrase_to_itself_is_one() {
        let phrases = Phrases::new(["system_health_get", "system_me_get"].into_iter());
        let task = known_words("is Labs up at all").collect();
        assert!((phrases.similarity(0, &task) - 1.0).abs() < 1e-9);
        assert!(phrases.similarity(1, &task) < 0.5);
    }
}
