//! What the service says about itself, on standard error: standard output is for whoever started it.

use crate::config::{Common, LogFormat};
use anyhow::{Context, anyhow};
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Begins to log.
///
/// # Errors
/// When the filter cannot be understood, or logging began before.
pub fn start(common: &Common) -> anyhow::Result<()> {
    // PostgreSQL's notices ("already exists, skipping") tell an operator nothing.
    let filter = EnvFilter::builder()
        .parse(format!("sqlx::postgres::notice=warn,{}", common.log))
        .with_context(|| format!("the log filter {:?} cannot be understood", common.log))?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let begun = match common.log_format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    begun.map_err(|error| anyhow!(error))
}
