//! Checks whether a server accepts connections, with the first messages of its protocol.

use std::path::Path;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

/// Response of a server to a new connection.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// It accepts connections to the database `labs`.
    Ready,
    /// No server runs, or it is starting or stopping.
    NotYet,
    /// It rejects connections permanently, with this message.
    Refused(String),
}

/// Connects as the owner, and disconnects as soon as the server accepts.
pub(super) async fn ask(socket: &Path) -> Answer {
    match exchange_startup(socket).await {
        Ok((b'R', _)) => Answer::Ready,
        Ok((b'E', body)) => parse_error(&body),
        _ => Answer::NotYet,
    }
}

/// Sends the startup message (PostgreSQL's manual, "Message Formats") and reads the first response.
async fn exchange_startup(socket: &Path) -> std::io::Result<(u8, Vec<u8>)> {
    const VERSION_3: u32 = 196_608;
    const STARTUP: &[u8] = b"user\0labs\0database\0labs\0application_name\0labs start\0\0";
    const TERMINATE: &[u8] = b"X\0\0\0\x04";
    let mut stream = UnixStream::connect(socket).await?;
    let mut message = Vec::new();
    message.extend(u32::try_from(STARTUP.len() + 8).unwrap_or(u32::MAX).to_be_bytes());
    message.extend(VERSION_3.to_be_bytes());
    message.extend(STARTUP);
    stream.write_all(&message).await?;

    let kind = stream.read_u8().await?;
    let length = stream.read_u32().await?.saturating_sub(4);
    let mut body = Vec::new();
    (&mut stream).take(length.into()).read_to_end(&mut body).await?;
    if kind == b'R' {
        stream.write_all(TERMINATE).await?;
    }
    Ok((kind, body))
}

/// Parses an error: fields with one letter and a text, each terminated by a zero byte.
fn parse_error(body: &[u8]) -> Answer {
    // cannot_connect_now; too_many_connections of other clients: both are temporary.
    const PASSING: [&str; 2] = ["57P03", "53300"];
    let field = |letter: char| {
        body.split(|byte| *byte == 0)
            .find_map(|field| std::str::from_utf8(field).ok()?.strip_prefix(letter))
            .unwrap_or_default()
    };
    if PASSING.contains(&field('C')) { Answer::NotYet } else { Answer::Refused(field('M').to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starting_server_is_awaited_and_rejection_is_reported() {
        assert_eq!(parse_error(b"SFATAL\0C57P03\0Mthe database system is starting up\0\0"), Answer::NotYet);
        let refused = Answer::Refused("no such database".into());
        assert_eq!(parse_error(b"SFATAL\0C3D000\0Mno such database\0\0"), refused);
    }
}
