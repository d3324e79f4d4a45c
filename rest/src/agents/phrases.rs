//! Phrases in which people ask for an operation, written per operation (`contract/agents/phrases`).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::words::words;
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
        let to_words = |phrases: Vec<String>| phrases.iter().map(|phrase| words(phrase).collect()).collect();
        let of_ids: Vec<Vec<BTreeSet<String>>> = ids.map(|id| to_words(known.remove(id).unwrap_or_default())).collect();
        let mut occurrences = HashMap::new();
        for word in of_ids.iter().flatten().flatten() {
            *occurrences.entry(word.clone()).or_default() += 1;
        }
        let count = of_ids.iter().map(Vec::len).sum();
        let mut phrases = Self { of_operations: Vec::new(), occurrences, count };
        let to_phrase = |words: BTreeSet<String>| Phrase { length: phrases.length(words.iter()), words };
        let of_operations = of_ids.into_iter().map(|phrases| phrases.into_iter().map(to_phrase).collect()).collect();
        phrases.of_operations = of_operations;
        phrases
    }

    /// Returns the words of all phrases of an operation.
    pub(super) fn words(&self, place: usize) -> impl Iterator<Item = &String> {
        self.of_operations.get(place).into_iter().flatten().flat_map(|phrase| &phrase.words)
    }

    /// Returns the mean similarity of a task to the two phrases of an operation that are closest to it. A similarity is
    /// the cosine of the angle between two vectors, from 0 to 1. One phrase alone can be close by chance.
    pub(super) fn similarity(&self, place: usize, task: &BTreeSet<String>) -> f64 {
        let length = self.length(task.iter());
        let similarity = |phrase: &Phrase| {
            let common: f64 = task.intersection(&phrase.words).map(|word| self.rarity(word).powi(2)).sum();
            common / (length * phrase.length).max(f64::MIN_POSITIVE)
        };
        let (mut first, mut second) = (0.0, 0.0);
        for each in self.of_operations.get(place).into_iter().flatten().map(similarity) {
            if each > first {
                (first, second) = (each, first);
            } else if each > second {
                second = each;
            }
        }
        f64::midpoint(first, second)
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
    fn phrase_is_close_to_its_operation_alone() {
        let phrases = Phrases::new(["system_health_get", "system_me_get"].into_iter());
        let task = words("is Labs up at all").collect();
        assert!(phrases.similarity(0, &task) > 0.5);
        assert!(phrases.similarity(1, &task) < 0.3);
    }
}
