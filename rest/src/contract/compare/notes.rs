//! Writes the draft of release notes from the differences.

use std::fmt::Write as _;

use super::{Change, Difference, compare};
use crate::contract::yaml;

/// Maximum number of operations that a difference lists; for more, only their number is given.
const NAMED: usize = 5;

/// Returns the differences of two contracts, both YAML texts, as a draft in Markdown: breaking changes first, then
/// additions, changes and removals.
///
/// # Errors
/// Names the contract that is not valid YAML, and the place.
pub fn release_notes(former: &str, present: &str) -> Result<String, String> {
    let read = |which: &str, text: &str| yaml::read(text).map_err(|error| format!("the {which} contract: {error}"));
    Ok(draft(&compare(&read("former", former)?, &read("present", present)?)))
}

fn draft(differences: &[Difference]) -> String {
    if differences.is_empty() {
        return "The contracts do not differ.\n".to_owned();
    }
    let mut text = String::new();
    let breaking = differences.iter().filter(|difference| difference.breaking);
    if breaking.clone().next().is_some() {
        text += "Clients of the former contract may fail. This requires a new major version and six months' \
                 notice.\n\n";
        section(&mut text, "Breaks clients", breaking);
    }
    for (title, change) in [("Added", Change::Added), ("Changed", Change::Changed), ("Removed", Change::Removed)] {
        section(&mut text, title, differences.iter().filter(|one| !one.breaking && one.change == change));
    }
    text
}

fn section<'d>(text: &mut String, title: &str, differences: impl Iterator<Item = &'d Difference>) {
    let lines: Vec<String> = differences.map(line).collect();
    if !lines.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "## {title}\n\n{}\n", lines.join("\n"));
    }
}

fn line(difference: &Difference) -> String {
    let Difference { place, text, operations, .. } = difference;
    let is_itself =
        operations.iter().any(|operation| place == operation || place.starts_with(&format!("{operation}:")));
    match operations.len() {
        _ if is_itself => format!("- `{place}`: {text}"),
        1..=NAMED => format!("- `{place}`: {text} ({})", operations.join(", ")),
        many => format!("- `{place}`: {text} ({many} operations)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMER: &str = "paths:\n  /a:\n    get: {operationId: a_get}\n  /b:\n    get: {operationId: b_get}\n";

    #[test]
    fn breaking_changes_come_first_and_require_major_version() {
        let present = FORMER.replace("b_get", "c_get");
        let notes = release_notes(FORMER, &present).unwrap();
        let places = ["requires a new major version", "## Breaks clients", "`b_get`", "## Added", "`c_get`"];
        let found: Vec<usize> = places.iter().map(|words| notes.find(words).unwrap()).collect();
        assert!(found.is_sorted(), "{notes}");
    }

    #[test]
    fn additions_and_equal_contracts_require_no_major_version() {
        let present = format!("{FORMER}  /c:\n    get: {{operationId: c_get}}\n");
        assert_eq!(release_notes(FORMER, &present).unwrap(), "## Added\n\n- `c_get`: The operation was added.\n\n");
        assert_eq!(release_notes(FORMER, FORMER).unwrap(), "The contracts do not differ.\n");
        assert!(release_notes("{", FORMER).unwrap_err().starts_with("the former contract: "));
    }
}
