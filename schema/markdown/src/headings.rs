//! Headings of a text and their anchors.

use std::collections::{HashMap, HashSet};

/// Prefix of each anchor. It keeps anchors distinct from the ids of the surrounding page.
pub(super) const ANCHOR: &str = "section-";
/// Prefix of each anchor in the migration text of a changelog entry, because one page shows the migration together with
/// the body.
pub(super) const MIGRATION_ANCHOR: &str = "migration-";

/// A heading of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Id of the heading in the HTML.
    pub id: String,
    /// Level, from 1 (highest) to 6.
    pub level: u8,
    /// Text of the heading.
    pub text: String,
}

/// Headings found so far. Their ids are unique.
#[derive(Default)]
pub(super) struct Headings {
    found: Vec<Heading>,
    ids: HashSet<String>,
    /// The last number that was tried, by anchor.
    numbers: HashMap<String, usize>,
}

impl Headings {
    /// Adds a heading and returns its id, which begins with the prefix. If another heading has the same text, the id
    /// gets a number.
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
