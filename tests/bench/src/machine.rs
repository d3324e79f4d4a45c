//! Description of the machine and of the measured versions.

use std::process::Command;

use labs_schema::time::Clock;
use sqlx::PgConnection;

/// Returns the processor, the memory, the versions, and the commit with the date.
pub(crate) async fn describe(owner: &mut PgConnection) -> anyhow::Result<Vec<String>> {
    let version: String = sqlx::query_scalar("show server_version").fetch_one(owner).await?;
    let version = version.split_whitespace().next().unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let model = value("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = value("/proc/meminfo", "MemTotal").and_then(|text| text.trim_end_matches(" kB").parse::<f64>().ok());
    let memory =
        memory.map_or_else(|| "unknown".to_owned(), |kilobytes| format!("{:.0} GB", kilobytes / 1024.0 / 1024.0));
    let today: String = Clock::default().now().0.to_string().chars().take(10).collect();
    let profile = if cfg!(debug_assertions) { " (debug build)" } else { "" };
    Ok(vec![
        format!("Machine: {model}, {cores} cores, {memory} of memory"),
        format!("PostgreSQL {version}"),
        format!("Commit {}{profile}, {today}", commit().unwrap_or_else(|| "unknown".to_owned())),
    ])
}

/// Returns the value of the first line of a file that begins with this name.
fn value(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn commit() -> Option<String> {
    let out =
        Command::new("git").args(["-C", env!("CARGO_MANIFEST_DIR"), "rev-parse", "--short", "HEAD"]).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
