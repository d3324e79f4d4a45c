//! Problems of repository files, described so that an engineer can fix them.

use std::fmt;

/// One problem of a contract piece, the contract or a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Path of the file, relative to the repository's root.
    pub file: String,
    /// Place in the file: an operation id, a component's name, `line 12`. Empty for the whole file.
    pub place: String,
    /// The problem and its fix, in a sentence.
    pub what: String,
}

impl Problem {
    /// Creates a problem `what` at `place` of `file`.
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
