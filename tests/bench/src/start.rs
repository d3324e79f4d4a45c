//! Duration of a start on an existing folder, until ready.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tokio::io::{AsyncBufReadExt as _, BufReader};

/// Returns the median of five later starts.
pub(crate) async fn again(program: &Path) -> anyhow::Result<Duration> {
    let folder = tempfile::tempdir()?;
    let mut times = Vec::new();
    for _ in 0..6 {
        times.push(once(program, folder.path(), &[]).await?);
    }
    let mut later = times.split_off(1);
    later.sort_unstable();
    later.get(later.len() / 2).copied().context("no start was timed")
}

/// Starts the binary with these further arguments and stops it. Returns the duration until ready.
pub(crate) async fn once(program: &Path, folder: &Path, further: &[&str]) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let mut child = tokio::process::Command::new(program)
        .args(["serve", "--empty", "--listen", "127.0.0.1:0", "--log", "error", "--folder"])
        .arg(folder)
        .args(further)
        .env_remove("DATABASE_URL")
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let out = child.stdout.take().context("it has a standard output")?;
    BufReader::new(out).lines().next_line().await?.context("it did not start")?;
    let took = begun.elapsed();
    let id = child.id().context("it ended")?.to_string();
    // Uses the shell's built-in `kill`: slim images lack the program.
    tokio::process::Command::new("sh").args(["-c", "kill -TERM \"$1\"", "labs-stop", &id]).status().await?;
    child.wait().await?;
    Ok(took)
}
