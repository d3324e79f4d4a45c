//! What a read asked of the database and what it answered, to be done again by the other form.

use std::time::Duration;

use anyhow::{bail, ensure};
use serde::{Deserialize, Serialize};

use super::tap::{Heard, Tap};
use super::wire::Statement;
use crate::forms::Running;
use crate::load::{self, Make};

/// Asked so often before anything is written down, so that every cache is warm.
const WARMING: usize = 3;
/// Asked so often until two recordings in a row agree: a lease of a budget comes in between now and then.
const TRIES: usize = 12;
/// How many statements of a recording are told where two are not alike.
const SHOWN: usize = 12;
/// How long nothing is asked before a recording, so that what the request before it left is over.
const PAUSE: Duration = Duration::from_millis(15);

/// A read as it was done once.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recording {
    /// The scope that its token must reach, where it takes one. Empty: any token will do.
    pub(crate) scope: Option<String>,
    /// Its statements, those that begin and end a transaction among them, in the order in which they were sent.
    pub(crate) statements: Vec<Statement>,
    /// What it answered.
    pub(crate) media_type: String,
    /// The bytes of it.
    pub(crate) body: Vec<u8>,
}

impl Recording {
    /// Whether its bytes are those of a file: a picture or an archive.
    pub(crate) fn is_file(&self) -> bool {
        self.media_type.starts_with("image/") || self.media_type == "application/zip"
    }

    /// Whether it answers a page of a list with nothing on it.
    pub(crate) fn is_empty_list(&self) -> bool {
        self.body.starts_with(br#"{"data":[]"#)
    }

    /// Whether it has a transaction of its own.
    pub(crate) fn has_transaction(&self) -> bool {
        self.statements.iter().any(is_begin)
    }
}

/// Asks the service behind the tap until it does the same twice in a row.
///
/// # Errors
/// When it does something else every time, or does not answer 200.
pub(crate) async fn record(
    service: &Running,
    tap: &Tap,
    make: &Make,
    scope: Option<String>,
) -> anyhow::Result<Recording> {
    for _ in 0..WARMING {
        load::answer(service.address, make).await?;
    }
    let (mut before, mut differing): (Option<Vec<Statement>>, _) = (None, String::new());
    for _ in 0..TRIES {
        tokio::time::sleep(PAUSE).await;
        tap.take()?;
        let answer = load::answer(service.address, make).await?;
        let statements = in_order(tap.take()?);
        ensure!(answer.status == 200, "{}: {}", answer.status, String::from_utf8_lossy(&answer.body));
        if before.as_ref().is_some_and(|before| are_alike(before, &statements)) {
            let body = answer.body.to_vec();
            return Ok(Recording { scope, statements, media_type: answer.media_type, body });
        }
        differing = before.as_deref().map(|before| difference(before, &statements)).unwrap_or_default();
        before = Some(statements);
    }
    bail!("its statements are others each time: {differing}")
}

/// Two recordings that are not alike, for whoever looks for the reason.
fn difference(one: &[Statement], other: &[Statement]) -> String {
    let told = |statements: &[Statement]| {
        let words = statements
            .iter()
            .take(SHOWN)
            .map(|statement| statement.text.split_whitespace().take(6).collect::<Vec<_>>());
        words.map(|words| words.join(" ")).collect::<Vec<_>>().join("; ")
    };
    format!("once ({}), then ({})", told(one), told(other))
}

/// The statements as one connection could send them: what several sent at the same time, one transaction after the other.
fn in_order(heard: Vec<Heard>) -> Vec<Statement> {
    struct Unit {
        connection: usize,
        is_open: bool,
        statements: Vec<Statement>,
    }
    let mut units: Vec<Unit> = Vec::new();
    for (connection, statement) in heard {
        match units.iter_mut().find(|unit| unit.is_open && unit.connection == connection) {
            Some(unit) => {
                unit.is_open = !is_end(&statement);
                unit.statements.push(statement);
            }
            None => units.push(Unit { connection, is_open: is_begin(&statement), statements: vec![statement] }),
        }
    }
    units.into_iter().flat_map(|unit| unit.statements).collect()
}

fn is_begin(statement: &Statement) -> bool {
    has_first_word(statement, &["begin"])
}

fn is_end(statement: &Statement) -> bool {
    has_first_word(statement, &["commit", "rollback"])
}

fn has_first_word(statement: &Statement, words: &[&str]) -> bool {
    let first = statement.text.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
    words.iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// Whether both have the same statements, whatever their parameters are.
fn are_alike(one: &[Statement], other: &[Statement]) -> bool {
    let texts = |statements: &[Statement]| -> Vec<String> { statements.iter().map(|said| said.text.clone()).collect() };
    texts(one) == texts(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads::wire::Manner;

    fn said(text: &str, value: u8) -> Statement {
        Statement { text: text.to_owned(), types: vec![21], values: vec![Some(vec![value])], manner: Manner::Named }
    }

    #[test]
    fn transactions_stay_together_in_the_order_in_which_they_began() {
        let heard = [
            (7, "begin; set local x = 1"),
            (3, "select a"),
            (7, "insert"),
            (3, "BEGIN"),
            (3, "select b"),
            (7, "commit"),
            (3, "ROLLBACK"),
            (3, "select c"),
        ];
        let order = in_order(heard.map(|(connection, text)| (connection, said(text, 0))).into());
        let texts: Vec<&str> = order.iter().map(|statement| statement.text.as_str()).collect();
        let expected =
            ["begin; set local x = 1", "insert", "commit", "select a", "BEGIN", "select b", "ROLLBACK", "select c"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn recordings_are_alike_when_only_their_parameters_differ() {
        let of = |text: &str, value: u8| vec![said(text, value)];
        assert!(are_alike(&of("select", 1), &of("select", 2)));
        assert!(!are_alike(&of("select", 1), &of("insert", 1)));
        assert!(!are_alike(&of("select", 1), &[]));
        assert!(are_alike(&[], &[]));
    }
}
