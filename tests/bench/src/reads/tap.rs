//! A database connection proxy that records every statement.

use std::str::FromStr as _;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};

use super::wire::{Conversation, Statement};

/// A statement and the number of the connection on which it was sent.
pub(crate) type Heard = (usize, Statement);

type Log = Arc<Mutex<anyhow::Result<Vec<Heard>>>>;

/// The proxy. It runs until the program ends.
pub(crate) struct Tap {
    address: String,
    log: Log,
}

impl Tap {
    /// Opens a proxy to the database at this URL, which must use a Unix socket.
    pub(crate) async fn open(database: &str) -> anyhow::Result<Self> {
        let options = PgConnectOptions::from_str(database)?;
        let folder = options.get_socket().context("the private PostgreSQL has a socket in the file system")?;
        let socket = folder.join(format!(".s.PGSQL.{}", options.get_port()));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (user, name) = (options.get_username(), options.get_database().unwrap_or_default());
        let address = format!("postgres://{user}@{}/{name}?sslmode=disable", listener.local_addr()?);
        let log: Log = Arc::new(Mutex::new(Ok(Vec::new())));
        let heard = Arc::clone(&log);
        tokio::spawn(async move {
            for number in 0.. {
                let Ok((client, _)) = listener.accept().await else { return };
                let Ok(server) = UnixStream::connect(&socket).await else { return };
                tokio::spawn(carry(number, client, server, Arc::clone(&heard)));
            }
        });
        Ok(Self { address, log })
    }

    /// Returns the database URL that goes through the proxy.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns and clears the recorded statements.
    pub(crate) fn take(&self) -> anyhow::Result<Vec<Heard>> {
        std::mem::replace(&mut *self.log.lock().unwrap_or_else(PoisonError::into_inner), Ok(Vec::new()))
    }
}

/// Copies bytes in both directions until one side closes. A connection that listens for notifications is not recorded,
/// because it answers no request.
async fn carry(number: usize, client: TcpStream, server: UnixStream, log: Log) {
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.into_split(), server.into_split());
    tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
    let (mut conversation, mut is_listener) = (Conversation::default(), false);
    let mut bytes = vec![0; 65_536];
    while let Ok(count @ 1..) = from_client.read(&mut bytes).await {
        let said = bytes.get(..count).unwrap_or_default();
        let heard = conversation.hear(said);
        is_listener |= heard.iter().flatten().any(|statement| is_listening(&statement.text));
        if !is_listener {
            note(&log, number, heard);
        }
        if to_server.write_all(said).await.is_err() {
            return;
        }
    }
}

fn is_listening(text: &str) -> bool {
    text.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("listen "))
}

fn note(log: &Log, number: usize, heard: anyhow::Result<Vec<Statement>>) {
    let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
    match (heard, log.as_mut()) {
        (Ok(statements), Ok(before)) => before.extend(statements.into_iter().map(|statement| (number, statement))),
        (Err(error), Ok(_)) => *log = Err(error),
        (_, Err(_)) => {}
    }
}
