//! Parses the PostgreSQL messages of a client from the bytes of its connection.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

/// A statement with its parameters, as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Statement {
    /// SQL text.
    pub(crate) text: String,
    /// OIDs of the parameter types.
    pub(crate) types: Vec<u32>,
    /// Parameters in binary form. `None`: null.
    pub(crate) values: Vec<Option<Vec<u8>>>,
    /// How it was sent.
    pub(crate) manner: Manner,
}

/// The protocols for a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Manner {
    /// As text, without parameters.
    Simple,
    /// Prepared for one execution.
    Once,
    /// Prepared under a name and reused.
    Named,
}

#[derive(Clone)]
struct Prepared {
    text: String,
    types: Vec<u32>,
    manner: Manner,
}

/// The client's side of one connection: assembles messages from bytes, and statements from messages.
#[derive(Default)]
pub(crate) struct Conversation {
    pending: Vec<u8>,
    has_begun: bool,
    prepared: BTreeMap<Vec<u8>, Prepared>,
    bound: BTreeMap<Vec<u8>, Statement>,
}

impl Conversation {
    /// Returns the statements that these bytes complete.
    ///
    /// # Errors
    /// If the bytes violate the protocol, or if parameters are not in binary form.
    pub(crate) fn hear(&mut self, bytes: &[u8]) -> anyhow::Result<Vec<Statement>> {
        self.pending.extend_from_slice(bytes);
        let mut statements = Vec::new();
        while let Some((kind, body)) = self.next_message()? {
            statements.extend(self.take_message(kind, &body)?);
        }
        Ok(statements)
    }

    /// Returns the next complete message: its type and its content after the length. The first message of a connection
    /// has no type.
    fn next_message(&mut self) -> anyhow::Result<Option<(u8, Vec<u8>)>> {
        let head = usize::from(self.has_begun);
        let mut reader = Reader(&self.pending);
        let kind = if self.has_begun { reader.bytes(1).and_then(|kind| kind.first().copied()) } else { Some(0) };
        let (Some(kind), Some(length)) = (kind, reader.number()) else { return Ok(None) };
        let length = usize::try_from(length)?;
        ensure!(length >= 4, "a message has a length of {length}");
        let Some(body) = reader.bytes(length - 4) else { return Ok(None) };
        let message = (kind, body.to_vec());
        self.pending.drain(..head + length);
        self.has_begun = true;
        Ok(Some(message))
    }

    fn take_message(&mut self, kind: u8, body: &[u8]) -> anyhow::Result<Option<Statement>> {
        let mut reader = Reader(body);
        match kind {
            b'Q' => {
                let text = text(reader.name().context("a query has a text")?)?;
                return Ok(Some(Statement { text, types: Vec::new(), values: Vec::new(), manner: Manner::Simple }));
            }
            b'P' => {
                let (name, prepared) = parse(&mut reader).context("a statement to prepare is cut off")?;
                self.prepared.insert(name.to_vec(), prepared?);
            }
            b'B' => {
                let (portal, name) = reader.name().zip(reader.name()).context("a binding is cut off")?;
                let prepared =
                    self.prepared.get(name).cloned().context("a statement was bound that nobody prepared")?;
                let values = bind(&mut reader).context("a binding is cut off")?;
                let Prepared { text, types, manner } = prepared;
                let values = values.with_context(|| format!("the parameters of {text}"))?;
                self.bound.insert(portal.to_vec(), Statement { text, types, values, manner });
            }
            b'E' => {
                let portal = reader.name().context("an execution is cut off")?;
                return Ok(self.bound.get(portal).cloned());
            }
            b'C' if reader.bytes(1) == Some(b"S") => {
                self.prepared.remove(reader.name().unwrap_or_default());
            }
            _ => {}
        }
        Ok(None)
    }
}

fn parse<'a>(reader: &mut Reader<'a>) -> Option<(&'a [u8], anyhow::Result<Prepared>)> {
    let (name, statement) = (reader.name()?, reader.name()?);
    let count = reader.short()?;
    let types = (0..count).map(|_| reader.number()).collect::<Option<Vec<u32>>>()?;
    let manner = if name.is_empty() { Manner::Once } else { Manner::Named };
    Some((name, text(statement).map(|text| Prepared { text, types, manner })))
}

/// Reads the values of a Bind message. Their format codes come first: none means text, otherwise one code for all or
/// one for each.
fn bind(reader: &mut Reader<'_>) -> Option<anyhow::Result<Vec<Option<Vec<u8>>>>> {
    const BINARY: u16 = 1;
    let formats = (0..reader.short()?).map(|_| reader.short()).collect::<Option<Vec<u16>>>()?;
    let count = reader.short()?;
    let mut values = Vec::new();
    for _ in 0..count {
        // A length of -1 means null.
        values.push(match reader.number()? {
            u32::MAX => None,
            length => Some(reader.bytes(usize::try_from(length).ok()?)?.to_vec()),
        });
    }
    let are_binary = !formats.is_empty() && formats.iter().all(|format| *format == BINARY);
    Some(if are_binary || values.is_empty() { Ok(values) } else { Err(anyhow::anyhow!("they are not in binary form")) })
}

fn text(bytes: &[u8]) -> anyhow::Result<String> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => bail!("a statement is no text: {error}"),
    }
}

/// Reads the parts of a message from its start.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    fn short(&mut self) -> Option<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// Returns the bytes before the next zero byte, and consumes that byte too.
    fn name(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let taken = self.bytes(end)?;
        self.bytes(1)?;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind][..], &length, body].concat()
    }

    fn begun() -> Conversation {
        let mut conversation = Conversation::default();
        let startup = [&12_u32.to_be_bytes()[..], &196_608_u32.to_be_bytes(), &[0; 4]].concat();
        assert_eq!(conversation.hear(&startup).unwrap(), []);
        conversation
    }

    /// Builds a statement under this name with two parameters; the second is null.
    fn prepared(name: &str) -> Vec<u8> {
        let text = b"select $1, $2\0";
        let types = [&2_u16.to_be_bytes()[..], &20_u32.to_be_bytes(), &25_u32.to_be_bytes()].concat();
        message(b'P', &[name.as_bytes(), b"\0", text, &types].concat())
    }

    fn bound(name: &str, format: u16) -> Vec<u8> {
        let formats = [1_u16.to_be_bytes(), format.to_be_bytes()].concat();
        let values = [&2_u16.to_be_bytes()[..], &8_u32.to_be_bytes(), &7_u64.to_be_bytes(), &[0xff; 4]].concat();
        message(b'B', &[b"\0", name.as_bytes(), b"\0", &formats, &values, &[0, 0]].concat())
    }

    fn executed() -> Vec<u8> {
        message(b'E', &[0, 0, 0, 0, 0])
    }

    #[test]
    fn prepared_statement_is_recorded_at_each_execution() {
        let mut conversation = begun();
        let bytes = [prepared("s1"), bound("s1", 1), executed(), bound("s1", 1), executed()].concat();
        let heard = conversation.hear(&bytes).unwrap();
        let values = vec![Some(7_u64.to_be_bytes().to_vec()), None];
        let expected =
            Statement { text: "select $1, $2".to_owned(), types: vec![20, 25], values, manner: Manner::Named };
        assert_eq!(heard, [expected.clone(), expected]);
    }

    #[test]
    fn bytes_may_be_split_anywhere() {
        let bytes = [prepared(""), bound("", 1), executed(), message(b'Q', b"commit\0")].concat();
        for cut in 0..bytes.len() {
            let mut conversation = begun();
            let (before, after) = bytes.split_at(cut);
            let heard = [conversation.hear(before).unwrap(), conversation.hear(after).unwrap()].concat();
            let told: Vec<_> = heard.iter().map(|statement| (statement.text.as_str(), statement.manner)).collect();
            assert_eq!(told, [("select $1, $2", Manner::Once), ("commit", Manner::Simple)], "cut at {cut}");
        }
    }

    #[test]
    fn unrepeatable_statement_is_rejected() {
        let text = begun().hear(&[prepared("s1"), bound("s1", 0)].concat()).unwrap_err();
        assert!(format!("{text:#}").ends_with("they are not in binary form"), "{text:#}");
        assert!(begun().hear(&bound("s9", 1)).is_err());
        let closed = message(b'C', b"Ss1\0");
        assert!(begun().hear(&[prepared("s1"), closed, bound("s1", 1)].concat()).is_err());
        assert!(begun().hear(&message(b'P', b"s1\0select")).is_err());
    }
}
