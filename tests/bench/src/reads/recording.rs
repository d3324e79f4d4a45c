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
/// Asked so often until two recordings in a row agree; jobs of the service come in between now and then.
const TRIES: usize = 12;
/// How long nothing is asked before a recording, so that what the request before it left is over.
const PAUSE: Duration = Duration::from_millis(15);

/// A read as it was done once.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Recording {
    /// The scope that its token must reach, where it takes one. Empty: any token will do.
    pub(crate) scope: Option<String>,
    /// The statements of each connection that it used, in the order in which they were sent.
    pub(crate) connections: Vec<Vec<Statement>>,
    /// What it answered.
    pub(crate) media_type: String,
    /// The bytes of it.
    pub(crate) body: Vec<u8>,
}

impl Recording {
    /// How many statements it has, those that begin and end a transaction among them.
    pub(crate) fn statements(&self) -> usize {
        self.connections.iter().map(Vec::len).sum()
    }

    /// Whether it has a transaction of its own.
    pub(crate) fn has_transaction(&self) -> bool {
        self.connections.iter().flatten().any(|statement| statement.text.starts_with("begin"))
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
    let mut before: Option<Vec<Vec<Statement>>> = None;
    for _ in 0..TRIES {
        tokio::time::sleep(PAUSE).await;
        tap.take()?;
        let answer = load::answer(service.address, make).await?;
        let connections = by_connection(tap.take()?);
        ensure!(answer.status == 200, "{}: {}", answer.status, String::from_utf8_lossy(&answer.body));
        if before.as_ref().is_some_and(|before| are_alike(before, &connections)) {
            let body = answer.body.to_vec();
            return Ok(Recording { scope, connections, media_type: answer.media_type, body });
        }
        before = Some(connections);
    }
    bail!("its statements are others each time")
}

/// The statements of each connection, in the order in which the connections were first used.
fn by_connection(heard: Vec<Heard>) -> Vec<Vec<Statement>> {
    let mut numbers = Vec::new();
    let mut connections: Vec<Vec<Statement>> = Vec::new();
    for (number, statement) in heard {
        let place = numbers.iter().position(|known| *known == number).unwrap_or_else(|| {
            numbers.push(number);
            connections.push(Vec::new());
            connections.len() - 1
        });
        if let Some(statements) = connections.get_mut(place) {
            statements.push(statement);
        }
    }
    connections
}

/// Whether both have the same statements, whatever their parameters are.
fn are_alike(one: &[Vec<Statement>], other: &[Vec<Statement>]) -> bool {
    let texts = |connections: &[Vec<Statement>]| -> Vec<Vec<String>> {
        connections.iter().map(|statements| statements.iter().map(|said| said.text.clone()).collect()).collect()
    };
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
    fn statements_stay_on_their_connections_in_the_order_they_were_sent() {
        let heard = vec![(7, said("begin", 0)), (3, said("select", 1)), (7, said("commit", 2))];
        let connections = by_connection(heard);
        assert_eq!(connections, [vec![said("begin", 0), said("commit", 2)], vec![said("select", 1)]]);
    }

    #[test]
    fn recordings_are_alike_when_only_their_parameters_differ() {
        let of = |text: &str, value: u8| vec![vec![said(text, value)]];
        assert!(are_alike(&of("select", 1), &of("select", 2)));
        assert!(!are_alike(&of("select", 1), &of("insert", 1)));
        assert!(!are_alike(&of("select", 1), &[]));
        assert!(are_alike(&[], &[]));
    }
}
