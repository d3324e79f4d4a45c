//! What is wrong with a file of the house, said so that a person can mend it.

use std::fmt;

/// One thing that is wrong with a contract piece, the contract or a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file to open, relative to the repository's root.
    pub file: String,
    /// Where in that file: an operation id, a component's name, `line 12`. Empty for the whole file.
    pub place: String,
    /// What is wrong and what mends it, in a sentence.
    pub what: String,
}

impl Problem {
    /// A problem with `what` at `place` of `file`.
    pub fn new(file: impl Into<String>, place: impl Into<String>, what: impl Into<String>) -> Problem {
        Problem { file: file.into(), place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            write!(formatter, "{}: {}", self.file, self.what)
        } else {
            write!(formatter, "{}: {}: {}", self.file, self.place, self.what)
        }
    }
}

impl std::error::Error for Problem {}
