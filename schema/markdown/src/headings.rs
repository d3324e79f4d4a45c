//! The headings of a text and their anchors.

use std::collections::{HashMap, HashSet};

/// The beginning of each anchor, which keeps it apart from the ids of the page around the text.
pub(super) const ANCHOR: &str = "section-";
/// The same for the migration of a changelog entry, which one page shows with the text of the entry.
pub(super) const MIGRATION_ANCHOR: &str = "migration-";

/// A heading of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its id in the HTML.
    pub id: String,
    /// From 1 for the uppermost to 6.
    pub level: u8,
    /// Its words.
    pub text: String,
}

/// The headings found so far. No two have the same id.
#[derive(Default)]
pub(super) struct Headings {
    found: Vec<Heading>,
    ids: HashSet<String>,
    /// By anchor: the last number that was tried.
    numbers: HashMap<String, usize>,
}

impl Headings {
    /// Adds a heading and returns its id, which begins with a prefix. A second heading of the same words gets a number.
    pub(super) fn add(&mut self, level: u8, text: String, (prefix, anchor): (&str, String)) -> String {
        let first = format!("{prefix}{anchor}");
        let number = self.numbers.entry(anchor).or_insert(1);
        let mut id = first.clone();
        while !self.ids.insert(id.clone()) {
            *number += 1;
            id = format!("{first}-{number}");
        }
        self.found.push(Heading { id: id.clone(), level, text });
        id
    }

    pub(super) fn into_list(self) -> Vec<Heading> {
        self.found
    }
}
