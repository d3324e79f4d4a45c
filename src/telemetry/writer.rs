//! Asynchronous writer of log lines to standard error. A slow or stopped reader loses lines, but delays no request and
//! no shutdown.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::time::Duration;

/// Maximum number of queued bytes; further lines are dropped and counted.
const WAITING: usize = 4 * 1024 * 1024;
/// Maximum time that a flush waits for the reader.
const PATIENCE: Duration = Duration::from_secs(1);

/// Sends lines to a thread that writes them. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct LogWriter {
    queue: Sender<Message>,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Bytes of queued lines.
    waiting: AtomicUsize,
    /// Dropped lines that were not reported yet.
    dropped: AtomicU64,
}

#[derive(Debug)]
enum Message {
    Line(Vec<u8>),
    /// Reports when all lines before this message are written.
    Flush(SyncSender<()>),
}

impl LogWriter {
    /// Starts the writer.
    ///
    /// # Errors
    /// If the system provides no thread.
    pub(super) fn to(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, messages) = channel();
        let counts = Arc::<Counts>::default();
        let of_thread = Arc::clone(&counts);
        std::thread::Builder::new().name("log".to_owned()).spawn(move || write_all(out, &messages, &of_thread))?;
        Ok(Self { queue, counts })
    }

    /// Waits until all earlier lines are written, for at most one second.
    pub(super) fn wait(&self) {
        let (done, flushed) = sync_channel(1);
        if self.queue.send(Message::Flush(done)).is_ok() {
            let _in_time = flushed.recv_timeout(PATIENCE);
        }
    }
}

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let waiting = self.counts.waiting.fetch_add(line.len(), Ordering::Relaxed);
        if waiting > 0 && waiting + line.len() > WAITING {
            self.counts.waiting.fetch_sub(line.len(), Ordering::Relaxed);
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
        } else {
            // The thread runs as long as a writer exists.
            let _ = self.queue.send(Message::Line(line.to_vec()));
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_all(mut out: impl Write, messages: &Receiver<Message>, counts: &Counts) {
    for message in messages {
        match message {
            Message::Line(line) => {
                // If no reader exists, the error cannot be reported.
                let _ = out.write_all(&line);
                counts.waiting.fetch_sub(line.len(), Ordering::Relaxed);
                let lines = counts.dropped.swap(0, Ordering::Relaxed);
                if lines > 0 {
                    tracing::warn!(lines, "log lines were dropped because the reader of standard error was too slow");
                }
            }
            Message::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::time::Instant;

    use super::*;

    #[test]
    fn lines_arrive_in_order_before_the_wait_ends() {
        let (mut reader, pipe) = io::pipe().unwrap();
        let mut writer = LogWriter::to(pipe).unwrap();
        for line in ["one\n", "two\n", "three\n"] {
            writer.write_all(line.as_bytes()).unwrap();
        }
        writer.wait();
        let mut read = [0; 14];
        reader.read_exact(&mut read).unwrap();
        assert_eq!(&read, b"one\ntwo\nthree\n");
    }

    #[test]
    fn stalled_log_reader_loses_lines_without_delay() {
        let (reader, pipe) = io::pipe().unwrap();
        let mut writer = LogWriter::to(pipe).unwrap();
        let (line, begun) = ([b'x'; 8_192], Instant::now());
        for _ in 0..4 * WAITING / line.len() {
            writer.write_all(&line).unwrap();
        }
        writer.wait();
        assert!(begun.elapsed() < 10 * PATIENCE, "{:?}", begun.elapsed());
        // Four times the limit was written, so the rest was dropped.
        assert!(writer.counts.waiting.load(Ordering::Relaxed) <= WAITING);
        drop(reader);
        // Without a reader, queued lines are discarded, and the thread continues.
        writer.wait();
        assert_eq!(writer.counts.waiting.load(Ordering::Relaxed), 0);
    }
}
