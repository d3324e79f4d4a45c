//! The inspection at startup: contract, documents, schema and routes agree, in both directions (ARCHITECTURE.md).
//!
//! It reads only text: the contract, the documents and the schema's SDL. Every difference names a file and a fix, and
//! the service does not start with one.

mod leaf;
mod path;
mod promises;
mod selection;
mod shape;
#[cfg(test)]
mod tests;
mod variables;

use std::fmt;

use crate::contract::{Contract, GROUPS, Problem};
use crate::documents::Documents;
use crate::routes::Routes;
use crate::sdl::Sdl;

/// One disagreement between two parts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// Path of the file.
    pub file: String,
    /// The difference and its fix.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.file, self.what)
    }
}

impl From<Problem> for Difference {
    fn from(problem: Problem) -> Difference {
        let what = if problem.place.is_empty() { problem.what } else { format!("{}: {}", problem.place, problem.what) };
        Difference { file: problem.file, what }
    }
}

/// Returns every difference between contract, documents, schema (its SDL, or why it cannot be read) and routes; empty
/// if they agree.
pub(crate) fn inspect(contract: &Contract, documents: &Documents, sdl: &Result<Sdl, String>) -> Vec<Difference> {
    let mut found = Vec::new();
    counts(contract, &mut found);
    routes(contract, &mut found);
    match sdl {
        Ok(sdl) => promises::inspect(contract, documents, sdl, &mut found),
        Err(error) => found.push(Difference {
            file: "schema/schema.graphql".to_owned(),
            what: format!("the schema's SDL cannot be read: {error}"),
        }),
    }
    found.sort();
    found.dedup();
    found
}

/// Checks that `info.x-operations` has the actual numbers.
fn counts(contract: &Contract, found: &mut Vec<Difference>) {
    let mut tell = |name: &str, real: usize| {
        let stated = contract.counts().get(name).copied();
        if stated != u64::try_from(real).ok() {
            let stated = stated.map_or_else(|| "nothing".to_owned(), |stated| stated.to_string());
            found.push(Difference {
                file: "contract/openapi.yaml".to_owned(),
                what: format!("info.x-operations declares {stated} for {name} instead of {real}: run `make accept`"),
            });
        }
    };
    for group in GROUPS {
        let real = contract.operations().iter().filter(|operation| operation.group == group);
        tell(group, real.count());
    }
    tell("total", contract.operations().len());
}

/// Checks that every operation has one route.
fn routes(contract: &Contract, found: &mut Vec<Difference>) {
    if let Err(problems) = Routes::new(contract) {
        found.extend(problems.into_iter().map(Difference::from));
    }
}
