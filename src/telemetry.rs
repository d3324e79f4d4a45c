//! What the service says about itself, on standard error: standard output is for whoever started it.

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

/// The writer of this process, once it logs.
static WRITER: OnceLock<LogWriter> = OnceLock::new();

/// Begins to log; requests too, a line each, where they are asked for. Where traces are collected, spans are made of what is
/// logged of statements, whether or not it comes through.
///
/// # Errors
/// When logging began before, or the system gives no thread for it.
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

/// Writes what was logged, for a second at most: the end of the process does not wait for a reader that has stopped.
pub fn flush() {
    if let Some(writer) = WRITER.get() {
        writer.wait();
    }
}

/// Writes the last words of a process, behind what it logged.
pub fn say_last(line: &str) {
    let writer = WRITER.get().cloned().map_or_else(|| LogWriter::to(std::io::stderr()), Ok);
    // There is nowhere left to tell that this could not be told.
    let Ok(mut writer) = writer else { return };
    let _ = writer.write_all(format!("{line}\n").as_bytes());
    writer.wait();
}
