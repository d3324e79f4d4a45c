//! Logging on standard error: standard output is reserved for the caller of the program.

mod filter;
mod writer;

use std::io::{IsTerminal, Write as _};
use std::sync::OnceLock;

use anyhow::anyhow;
use tracing_subscriber::Layer as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

pub use self::filter::LogFilter;
use self::writer::LogWriter;
use crate::config::{Common, LogFormat};
use crate::traces::statements;

/// The writer of this process, after logging has started.
static WRITER: OnceLock<LogWriter> = OnceLock::new();

/// Starts logging, with one line per request if configured. If traces are collected, spans are created from statement
/// log events, even if the filter drops their lines.
///
/// # Errors
/// If logging was started before, or the system provides no thread for it.
pub fn start(common: &Common, log_requests: bool, is_traced: bool) -> anyhow::Result<()> {
    let writer = LogWriter::to(std::io::stderr())?;
    let of_process = WRITER.get_or_init(|| writer);
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(move || of_process.clone())
        .with_ansi(std::io::stderr().is_terminal());
    let lines = match common.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let lines = lines.with_filter(common.log.targets(log_requests));
    let begun = tracing_subscriber::registry().with(lines).with(is_traced.then(statements)).try_init();
    begun.map_err(|error| anyhow!(error))
}

/// Flushes the log within at most one second: the end of the process does not wait for a stopped reader.
pub fn flush() {
    if let Some(writer) = WRITER.get() {
        writer.wait();
    }
}

/// Writes the last line of a process, after its log lines.
pub fn log_last(line: &str) {
    let writer = WRITER.get().cloned().map_or_else(|| LogWriter::to(std::io::stderr()), Ok);
    // No output is left for this error.
    let Ok(mut writer) = writer else { return };
    let _ = writer.write_all(format!("{line}\n").as_bytes());
    writer.wait();
}
