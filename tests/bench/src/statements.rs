//! The service's own statements: compile-time checked statements, and statements that lists and lookups assemble.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use anyhow::bail;

/// Statement of the service, found by its text when it is first used.
pub(crate) struct Statement {
    marks: &'static [&'static str],
    text: OnceLock<&'static str>,
}

impl Statement {
    /// Names the only statement that contains all of these fragments. Every run of white space counts as one space.
    pub(crate) const fn with(marks: &'static [&'static str]) -> Self {
        Self { marks, text: OnceLock::new() }
    }

    /// Returns the statement.
    ///
    /// # Errors
    /// If no statement or several statements contain the fragments.
    pub(crate) fn text(&self) -> anyhow::Result<&'static str> {
        if let Some(text) = self.text.get() {
            return Ok(text);
        }
        let text = find(self.marks)?;
        Ok(self.text.get_or_init(|| text))
    }
}

fn find(marks: &[&str]) -> anyhow::Result<&'static str> {
    static ALL: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    let all = match ALL.get() {
        Some(all) => all,
        None => {
            let read = read_all()?;
            ALL.get_or_init(|| read)
        }
    };
    let mut found = all.iter().filter(|(text, _)| marks.iter().all(|mark| text.contains(mark)));
    match (found.next(), found.count()) {
        (Some((_, text)), 0) => Ok(text),
        (first, more) => {
            let count = more + usize::from(first.is_some());
            bail!("{count} statements contain {marks:?}: name fragments of exactly one")
        }
    }
}

/// Reads all statements, by their text with single spaces.
fn read_all() -> anyhow::Result<BTreeMap<String, String>> {
    let mut all: Vec<String> = labs_schema::statements().iter().flat_map(|list| list.statements()).collect();
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.sqlx"))? {
        let file: serde_json::Value = serde_json::from_slice(&std::fs::read(file?.path())?)?;
        all.extend(file.get("query").and_then(serde_json::Value::as_str).map(str::to_owned));
    }
    Ok(all.into_iter().map(|text| (text.split_whitespace().collect::<Vec<_>>().join(" "), text)).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_measured_statement_is_found() {
        let lost: Vec<String> = crate::hand::statements()
            .filter_map(|statement| statement.text().err())
            .map(|error| error.to_string())
            .collect();
        assert!(lost.is_empty(), "{lost:#?}");
    }
}
