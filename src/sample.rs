//! Sample data of a first start, and the file with the sample sign-ins.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, anyhow};
use labs_schema::Engine;
use labs_schema::sample::{Sample, is_wanted, sheet};

/// Fills an empty database with sample data and writes the file of sign-ins.
///
/// The file is written before the data, so that sample data never exists without its sign-ins. A crash between the two
/// leaves a file without data, which the next start overwrites.
///
/// # Errors
/// If the file cannot be written or the database is unavailable; then no sample data exists.
pub async fn fill(engine: &Engine, file: &Path, base_url: &str) -> anyhow::Result<()> {
    let to_error = |fault: labs_schema::Fault| anyhow!("the sample data could not be created: {}", fault.for_log());
    if !is_wanted(engine.pool()).await.map_err(to_error)? {
        return Ok(());
    }
    tracing::info!("creating the sample data of the first start: this takes about ten seconds");
    let sample = Sample::make(engine.services(), engine.services().clock.now()).await.map_err(to_error)?;
    write_private(file, &sheet(sample.sign_ins(), base_url))
        .context("the file of sample sign-ins could not be written")?;
    sample.insert(engine.pool()).await.map_err(to_error)
}

/// Writes a file that only its owner can read, atomically.
fn write_private(file: &Path, text: &str) -> std::io::Result<()> {
    let fresh = file.with_extension("new");
    if fresh.exists() {
        fs::remove_file(&fresh)?;
    }
    let mut open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    open.write_all(text.as_bytes())?;
    open.sync_all()?;
    fs::rename(&fresh, file)?;
    file.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}
