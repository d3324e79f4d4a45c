//! pgbench with the statement alone: what PostgreSQL could do at most.

use std::path::Path;

use anyhow::{Context as _, ensure};

/// Transactions per second of a script, prepared, over the unix socket.
pub(crate) async fn turn(programs: &Path, database: &str, script: &str, seconds: u64) -> anyhow::Result<f64> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), script)?;
    let seconds = seconds.to_string();
    let out = tokio::process::Command::new(programs.join("pgbench"))
        .args(["--no-vacuum", "--protocol=prepared", "--client=8", "--jobs=2", "--time", &seconds, "--file"])
        .arg(file.path())
        .arg(database)
        .output()
        .await
        .context("pgbench does not start")?;
    ensure!(out.status.success(), "pgbench: {}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8_lossy(&out.stdout);
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")).context("pgbench told no tps")?;
    Ok(rate.split_whitespace().next().unwrap_or_default().parse()?)
}
