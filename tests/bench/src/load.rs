//! The load: so many connections that each send the same request as soon as the last one is answered.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Connections at once.
pub(crate) const CONNECTIONS: usize = 32;

/// What is sent, and to whom.
#[derive(Clone)]
pub(crate) struct Target {
    /// What the row of the table is called.
    pub(crate) name: &'static str,
    /// `host:port`.
    pub(crate) address: String,
    /// Writes the request of this number; numbers differ, so that writes can.
    pub(crate) request: std::sync::Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync>,
    /// The status that every answer must have.
    pub(crate) status: u16,
}

/// How long each answer took.
#[derive(Default)]
pub(crate) struct Tally {
    microseconds: Vec<u64>,
    seconds: f64,
}

impl Tally {
    /// Adds what another slice of time measured.
    pub(crate) fn add(&mut self, other: Self) {
        self.microseconds.extend(other.microseconds);
        self.seconds += other.seconds;
    }

    /// Answers per second.
    pub(crate) fn rate(&self) -> f64 {
        self.microseconds.len() as f64 / self.seconds.max(0.001)
    }

    /// The time within which this share of the answers came, in milliseconds.
    pub(crate) fn percentile(&mut self, share: f64) -> f64 {
        self.microseconds.sort_unstable();
        let place = ((self.microseconds.len() as f64 - 1.0) * share).max(0.0) as usize;
        self.microseconds.get(place).copied().unwrap_or_default() as f64 / 1000.0
    }
}

/// Loads a target for a slice of time.
pub(crate) async fn slice(target: &Target, length: Duration, first: u64) -> anyhow::Result<Tally> {
    let begun = Instant::now();
    let workers = (0..CONNECTIONS).map(|worker| {
        let target = target.clone();
        tokio::spawn(async move { work(&target, begun + length, first + worker as u64 * 1_000_000).await })
    });
    let mut tally = Tally::default();
    for worker in workers.collect::<Vec<_>>() {
        tally.microseconds.extend(worker.await??);
    }
    tally.seconds = begun.elapsed().as_secs_f64();
    Ok(tally)
}

async fn work(target: &Target, until: Instant, mut number: u64) -> anyhow::Result<Vec<u64>> {
    let mut stream = TcpStream::connect(&target.address).await?;
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(64 * 1024);
    let mut times = Vec::with_capacity(64 * 1024);
    while Instant::now() < until {
        let request = (target.request)(number);
        number += 1;
        let sent = Instant::now();
        stream.write_all(&request).await?;
        let status = read_answer(&mut stream, &mut buffer).await?;
        times.push(u64::try_from(sent.elapsed().as_micros())?);
        if status != target.status {
            bail!("{} answered {status}: {}", target.name, String::from_utf8_lossy(&buffer));
        }
    }
    Ok(times)
}

/// Reads one answer with a Content-Length, which is all that either server sends here.
async fn read_answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> anyhow::Result<u16> {
    buffer.clear();
    loop {
        if stream.read_buf(buffer).await? == 0 {
            bail!("the connection was closed in the middle of an answer");
        }
        let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = std::str::from_utf8(buffer.get(..end).unwrap_or_default())?.to_owned();
        let status = head.split(' ').nth(1).and_then(|text| text.parse().ok()).context("an answer without a status")?;
        let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:").and_then(|text| text.trim().parse().ok()));
        let whole = end + 4 + length.unwrap_or(0_usize);
        while buffer.len() < whole {
            if stream.read_buf(buffer).await? == 0 {
                bail!("the connection was closed in the middle of a body");
            }
        }
        return Ok(status);
    }
}
