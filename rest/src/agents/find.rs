//! The search of operations by words, in memory: over the contract's own texts, and over phrases in which people ask for
//! an operation.

use std::collections::{BTreeMap, HashMap};

use super::phrases::Phrases;
use super::words::{Term, is_ignored, rarity, stems, terms, words};
use crate::contract::{Contract, Operation};

/// A field of an operation: its weight, because a word of the summary says more than one of the description, and the
/// influence of its length.
const FIELDS: [(f64, f64); 6] = [(4.0, 0.9), (2.0, 0.6), (1.0, 0.6), (0.2, 0.75), (0.2, 0.75), (0.8, 0.9)];
/// Saturation of repeated words (BM25F; Robertson and Zaragoza, 2009).
const SATURATION: f64 = 3.0;
/// Share of the score that depends on how many terms of the task an operation has.
const COVERAGE: f64 = 0.5;

/// Weight of the similarity to the closest phrases, compared with the score of the best operation.
const PHRASES: f64 = 1.5;

/// The words of an operation, by field.
type Fields = [Vec<String>; 6];

/// The words of all operations.
pub struct OperationIndex {
    /// Per operation, the weighted frequency of each word.
    documents: Vec<HashMap<String, f64>>,
    /// The number of operations with each word.
    occurrences: HashMap<String, usize>,
    /// Ids of the operations, by which one is found directly.
    ids: BTreeMap<String, usize>,
    phrases: Phrases,
}

impl OperationIndex {
    /// Builds the index of a contract.
    #[must_use]
    pub fn new(contract: &Contract) -> Self {
        let phrases = Phrases::new(contract.operations().iter().map(|operation| operation.id.as_str()));
        let operations = contract.operations().iter().enumerate();
        let fields: Vec<Fields> = operations
            .map(|(place, operation)| {
                let of_phrases = phrases.words(place).filter(|word| !is_ignored(word)).cloned();
                fields_of(contract, operation, of_phrases)
            })
            .collect();
        let mut average = [0.0; FIELDS.len()];
        for of_operation in &fields {
            for (sum, field) in average.iter_mut().zip(of_operation) {
                *sum += field.len() as f64 / fields.len() as f64;
            }
        }
        let documents: Vec<_> = fields.iter().map(|of_operation| frequencies(of_operation, average)).collect();
        let mut occurrences = HashMap::new();
        for word in documents.iter().flat_map(HashMap::keys) {
            *occurrences.entry(word.clone()).or_default() += 1;
        }
        let ids = contract.operations().iter().enumerate().map(|(place, operation)| (operation.id.clone(), place));
        Self { documents, occurrences, ids: ids.collect(), phrases }
    }

    /// Returns the positions of the operations that fit a task best, best first, of those that the caller can see.
    #[must_use]
    pub fn find(&self, task: &str, most: usize, can_see: impl Fn(usize) -> bool) -> Vec<usize> {
        if let Some(place) = self.ids.get(task.trim()).filter(|place| can_see(**place)) {
            return vec![*place];
        }
        let (terms, words) = (terms(task), words(task).collect());
        let visible = (0..self.documents.len()).filter(|place| can_see(*place));
        let scores: Vec<(usize, f64)> = visible.map(|place| (place, self.score(place, &terms))).collect();
        let best = scores.iter().map(|(_, score)| *score).fold(f64::MIN_POSITIVE, f64::max);
        // Without a common word, only words that say nothing can make a phrase similar.
        let found = scores.into_iter().filter(|(_, score)| *score > 0.0);
        let found =
            found.map(|(place, score)| (place, score / best + PHRASES * self.phrases.similarity(place, &words)));
        let mut scores: Vec<(usize, f64)> = found.collect();
        scores.sort_by(|(place, score), (other, of_other)| of_other.total_cmp(score).then(place.cmp(other)));
        scores.truncate(most);
        scores.into_iter().map(|(place, _)| place).collect()
    }

    /// Each term scores as its best alternative. An alternative of several words scores less than its words apart.
    fn score(&self, place: usize, terms: &[Term]) -> f64 {
        let Some(document) = self.documents.get(place) else { return 0.0 };
        let of_word = |word: &String| {
            let frequency = document.get(word).copied().unwrap_or_default();
            self.rarity(word) * frequency / (SATURATION + frequency)
        };
        let of_alternative = |(weight, words): &(f64, Vec<String>)| {
            weight * words.iter().map(of_word).sum::<f64>() / (words.len().max(1) as f64).sqrt()
        };
        let scores = terms.iter().map(|term| term.iter().map(of_alternative).fold(0.0, f64::max));
        let (mut sum, mut matched) = (0.0, 0.0);
        for score in scores.filter(|score| *score > 0.0) {
            sum += score;
            matched += 1.0;
        }
        sum * (1.0 - COVERAGE + COVERAGE * matched / terms.len().max(1) as f64)
    }

    /// Inverse document frequency of a word.
    fn rarity(&self, word: &str) -> f64 {
        rarity(self.documents.len(), self.occurrences.get(word).copied().unwrap_or_default())
    }
}

/// Returns the weighted frequency of each word of an operation.
fn frequencies(fields: &Fields, average: [f64; FIELDS.len()]) -> HashMap<String, f64> {
    let mut frequencies = HashMap::new();
    for ((words, average), (weight, by_length)) in fields.iter().zip(average).zip(FIELDS) {
        let length = 1.0 - by_length + by_length * words.len() as f64 / average.max(1.0);
        for word in words {
            *frequencies.entry(word.clone()).or_default() += weight / length;
        }
    }
    frequencies
}

/// Returns the words of an operation: summary, id, path, description, the names of parameters and body fields, and the
/// phrases.
fn fields_of(contract: &Contract, operation: &Operation, phrases: impl Iterator<Item = String>) -> Fields {
    let bodies = operation.body.iter().flat_map(|body| &body.forms).map(|form| contract.schema(form.schema));
    let members = bodies.filter_map(|schema| contract.resolve(schema).get("properties")?.as_object());
    let members = members.flat_map(|members| members.keys().map(String::as_str));
    let names = operation.parameters.iter().map(|parameter| parameter.name.as_str()).chain(members);
    let texts = [
        operation.summary.clone(),
        operation.id.clone(),
        operation.path.clone(),
        operation.description.clone(),
        names.collect::<Vec<_>>().join(" "),
    ];
    let [summary, id, path, description, names] = texts.map(|text| stems(&text).collect());
    [summary, id, path, description, names, phrases.collect()]
}
