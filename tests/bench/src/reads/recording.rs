//! Recording of a read: its statements and its response, for the replay.

use std::time::Duration;

use anyhow::{bail, ensure};
use serde::{Deserialize, Serialize};

use super::tap::{Heard, Tap};
use super::wire::Statement;
use crate::forms::Running;
use crate::load::{self, Make};

/// Requests before the recording, to warm the caches. Later ones are compared, so one is enough.
const WARMING: usize = 1;
/// Maximum requests until two recordings in a row are alike: from time to time the service also renews a budget lease.
const TRIES: usize = 12;
/// Maximum number of statements shown when two recordings differ.
const SHOWN: usize = 12;
/// Pause before a recording, so that work that the previous request started has finished.
const PAUSE: Duration = Duration::from_millis(15);

/// Recording of one read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recording {
    /// Scope that the token must grant, if the read needs a token. Empty: any token is sufficient.
    pub(crate) scope: Option<String>,
    /// Statements in the order in which they were sent, including the statements that begin and end a transaction.
    pub(crate) statements: Vec<Statement>,
    /// Media type of the response.
    pub(crate) media_type: String,
    /// Body of the response.
    pub(crate) body: Vec<u8>,
}

impl Recording {
    /// Whether the body is a file: an image or an archive.
    pub(crate) fn is_file(&self) -> bool {
        self.media_type.starts_with("image/") || self.media_type == "application/zip"
    }

    /// Whether the response is an empty page of a list.
    pub(crate) fn is_empty_list(&self) -> bool {
        self.body.starts_with(br#"{"data":[]"#)
    }

    /// Whether the read runs its statements in a transaction.
    pub(crate) fn has_transaction(&self) -> bool {
        self.statements.iter().any(is_begin)
    }
}

/// Sends the read to the service behind the tap until two recordings in a row are alike.
///
/// # Errors
/// If no two recordings in a row are alike, or if the response is not 200.
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

/// Describes two different recordings, to help find the reason.
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

/// Orders the statements as one connection could send them: statements that several connections sent at the same time
/// become one transaction after the other.
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

/// Whether both recordings have the same statements, regardless of their parameters.
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
    fn transactions_are_grouped_in_start_order() {
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
    fn recordings_that_differ_only_in_parameters_are_equal() {
        let of = |text: &str, value: u8| vec![said(text, value)];
        assert!(are_alike(&of("select", 1), &of("select", 2)));
        assert!(!are_alike(&of("select", 1), &of("insert", 1)));
        assert!(!are_alike(&of("select", 1), &[]));
        assert!(are_alike(&[], &[]));
    }
}
