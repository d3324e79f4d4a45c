//! Time limits of a connection. hyper has one limit for a head, and it starts at the last response. A kept-alive
//! connection needs a long limit there, and a head that arrives byte by byte a short one.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep};

/// Counts the starts and ends of a connection's requests: the number is even between two requests.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestCounter(Arc<Count>);

#[derive(Debug, Default)]
struct Count {
    turns: AtomicUsize,
    first: Notify,
}

impl RequestCounter {
    /// Records that a head was read, or that its response is complete.
    pub(super) fn next(&self) {
        if self.0.turns.fetch_add(1, Ordering::Relaxed) == 0 {
            self.0.first.notify_one();
        }
    }

    /// Waits until the first head has been read; returns immediately if it was read before. Supports one waiter at a
    /// time.
    pub(super) async fn wait_for_first(&self) {
        if self.now() == 0 {
            self.0.first.notified().await;
        }
    }

    fn now(&self) -> usize {
        self.0.turns.load(Ordering::Relaxed)
    }
}

/// A connection with two limits: the first byte, and every head from its first byte, must arrive within one time, and
/// the client must read some of the written data within another.
pub(super) struct StallTimeoutStream<S> {
    stream: S,
    turns: RequestCounter,
    limit: Duration,
    late: Pin<Box<Sleep>>,
    /// The turn in which the limit runs; none while the connection is idle between requests.
    running: Option<usize>,
    stall: Duration,
    /// Timer that runs while the client reads no data.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> StallTimeoutStream<S> {
    /// Starts the limit for the first head.
    pub(super) fn new(stream: S, turns: RequestCounter, limit: Duration, stall: Duration) -> Self {
        let running = Some(turns.now());
        let late = Box::pin(tokio::time::sleep(limit));
        Self { stream, turns, limit, late, running, stall, stalled: None }
    }

    /// Applies the limit to a write: a pending write fails after the limit, a successful one resets it.
    fn watch_write(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<std::io::Result<usize>>,
    ) -> Poll<std::io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stall = self.stall;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(stall)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(std::io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let turn = self.turns.now();
        if self.running.is_some_and(|running| running != turn) {
            self.running = None;
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if read.is_ready() {
            if self.running.is_none() && turn.is_multiple_of(2) && buffer.filled().len() > before {
                let limit = self.limit;
                self.late.as_mut().reset(Instant::now() + limit);
                self.running = Some(turn);
            }
            return read;
        }
        if self.running.is_some() {
            ready!(self.late.as_mut().poll(cx));
            return Poll::Ready(Err(std::io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallTimeoutStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch_write(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.watch_write(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const LIMIT: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn missing_first_byte_times_out() {
        let (_silent, stream) = duplex(64);
        let error =
            StallTimeoutStream::new(stream, RequestCounter::default(), LIMIT, LONG).read_u8().await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn slow_request_head_times_out() {
        let (mut slow, stream) = duplex(64);
        let mut patient = StallTimeoutStream::new(stream, RequestCounter::default(), LIMIT, LONG);
        let writing = tokio::spawn(async move {
            while slow.write_u8(b'G').await.is_ok() {
                tokio::time::sleep(LIMIT / 10).await;
            }
        });
        let mut bytes = Vec::new();
        let error = patient.read_to_end(&mut bytes).await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
        drop(patient);
        writing.await.unwrap();
    }

    #[tokio::test]
    async fn idle_time_between_requests_has_long_timeout() {
        let (mut client, stream) = duplex(64);
        let turns = RequestCounter::default();
        let mut patient = StallTimeoutStream::new(stream, turns.clone(), LIMIT, LONG);
        client.write_u8(b'G').await.unwrap();
        patient.read_u8().await.unwrap();
        turns.next();
        turns.next();
        let late = async {
            tokio::time::sleep(LIMIT * 4).await;
            client.write_u8(b'H').await.unwrap();
        };
        let (byte, ()) = tokio::join!(patient.read_u8(), late);
        assert_eq!(byte.unwrap(), b'H', "an idle connection lives on");
        let error = patient.read_u8().await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut, "and its next head has a limit again");
    }

    #[tokio::test]
    async fn client_that_stops_reading_times_out() {
        let (mut client, stream) = duplex(4);
        let mut patient = StallTimeoutStream::new(stream, RequestCounter::default(), LONG, LONG);
        patient.write_all(b"head").await.unwrap();
        assert!(futures_util::poll!(std::pin::pin!(patient.write_u8(b'!'))).is_pending());
        assert!(patient.stalled.is_some(), "the time runs from the first write that waits");
        client.read_u8().await.unwrap();
        patient.write_u8(b'!').await.unwrap();
        assert!(patient.stalled.is_none(), "and anew when some is taken");
        // hyper uses vectored writes if the stream supports them.
        let parts = [std::io::IoSlice::new(b"ta"), std::io::IoSlice::new(b"il")];
        assert!(patient.is_write_vectored());
        assert!(futures_util::poll!(std::pin::pin!(patient.write_vectored(&parts))).is_pending());
        assert!(patient.stalled.is_some(), "several pieces at once have the same time");
        client.read_u8().await.unwrap();
        assert_eq!(patient.write_vectored(&parts).await.unwrap(), 1);
        assert!(patient.stalled.is_none());
        patient.stall = LIMIT;
        let error = patient.write_all(b"tail").await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    }
}
