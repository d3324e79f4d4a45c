//! The server of an earlier run, which may still be stopping or may be orphaned.

use super::owner::output;
use super::paths::ClusterPaths;
use anyhow::bail;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// Time that an orphaned server gets to stop by itself before it gets a signal.
const PATIENCE: Duration = Duration::from_secs(2);

/// Maximum time of a stop: one checkpoint.
const STOP_MAX: Duration = Duration::from_secs(60);

/// Waits until no server uses these data.
///
/// Returns the process in PostgreSQL's lock file if it is not a server of this folder: process numbers are reused,
/// especially in containers, and PostgreSQL would refuse to start.
///
/// This process has the folder's lock, so every server that still runs here is left over.
pub(super) async fn wait_until_stopped(place: &ClusterPaths) -> anyhow::Result<Option<u32>> {
    let begun = Instant::now();
    let mut is_logged = false;
    loop {
        let Some(process) = read_pid(&place.data) else {
            return Ok(None);
        };
        if !runs_here(process, place).await {
            return Ok(Some(process));
        }
        if !is_logged && begun.elapsed() > PATIENCE {
            tracing::warn!(process, "a private PostgreSQL from an earlier run is still running; it is stopped now");
            output("sh", &["-c", "kill -INT \"$1\"", "labs-stop", &process.to_string()]).await?;
            is_logged = true;
        }
        if begun.elapsed() > STOP_MAX {
            bail!(
                "the private PostgreSQL of an earlier run (process {process}) does not stop: stop it, then start again"
            );
        }
        sleep(Duration::from_millis(10)).await;
    }
}

/// Returns the process in the lock file of the data.
fn read_pid(data: &Path) -> Option<u32> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    text.lines().next()?.trim().parse().ok()
}

/// Whether a process is the server of these data: its command line contains their name.
async fn runs_here(process: u32, place: &ClusterPaths) -> bool {
    let command = if Path::new("/proc/self").exists() {
        fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default()
    } else {
        let process = process.to_string();
        output("ps", &["-o", "command=", "-p", &process]).await.unwrap_or_default()
    };
    command.contains(&format!("cluster_name={}", place.name))
}
