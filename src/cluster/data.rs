//! The data directory: creation, version and log files.

use super::paths::ClusterPaths;
use super::server::Plan;
use anyhow::{Context, bail};
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::Stdio;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::owner::output;

/// Maximum number of log files. Each has at most 10 MB, as [`Plan::settings`] sets.
const LOGS_MAX: usize = 10;

/// Creates the data under a temporary name first, so that an interrupted creation is never used.
pub(super) async fn make(plan: &Plan) -> anyhow::Result<()> {
    let place = &plan.paths;
    remove_leftovers(place);
    let draft = place.folder.join(format!("postgres.new-{}", std::process::id()));
    DirBuilder::new().mode(0o700).create(&draft)?;
    plan.owner.give(&draft)?;
    tracing::info!(folder = %place.data.display(), "creating a private PostgreSQL: this takes a few seconds");
    initdb(plan, &draft).await?;
    database_create(plan, &draft).await?;
    fs::rename(&draft, &place.data)?;
    File::open(&place.folder)?.sync_all()?;
    Ok(())
}

/// Returns the major version of PostgreSQL that created the data. None: no data.
pub(super) fn read_version(data: &Path) -> anyhow::Result<Option<u32>> {
    if !data.exists() {
        return Ok(None);
    }
    let file = data.join("PG_VERSION");
    let text = fs::read_to_string(&file)
        .with_context(|| format!("{} is not a PostgreSQL data folder: move it away", data.display()))?;
    let major = text.trim().parse();
    Ok(Some(major.with_context(|| format!("{} contains {text:?}", file.display()))?))
}

/// Removes the oldest log files beyond the limit. If the service's user lacks the permission, the files only use space.
pub(super) fn prune_logs(place: &ClusterPaths) {
    let mut logs = logs(place);
    logs.truncate(logs.len().saturating_sub(LOGS_MAX));
    for log in logs {
        let _ = fs::remove_file(log);
    }
}

/// Returns the server's last output: the start log, which says why it did not start, then its log.
pub(super) fn last_words(place: &ClusterPaths) -> String {
    let texts = [Some(place.start_log()), logs(place).pop()];
    let texts = texts.iter().flatten().filter_map(|file| fs::read_to_string(file).ok());
    let ends = texts.map(|text| {
        let lines: Vec<&str> = text.lines().collect();
        let from = lines.len().saturating_sub(8);
        lines.get(from..).unwrap_or_default().join("\n")
    });
    ends.collect::<Vec<_>>().join("\n")
}

/// Returns the log files, the oldest first: their names begin with the time.
fn logs(place: &ClusterPaths) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(place.data.join("log")).into_iter().flatten().flatten();
    let mut logs: Vec<_> = entries.map(|entry| entry.path()).collect();
    logs.sort();
    logs
}

fn remove_leftovers(place: &ClusterPaths) {
    for entry in fs::read_dir(&place.folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("postgres.new-") {
            // A folder that initdb of a killed run still writes disappears later.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

async fn initdb(plan: &Plan, draft: &Path) -> anyhow::Result<()> {
    let mut command = program(plan, "initdb", draft);
    command.args(["--username=labs", "--auth=trust", "--encoding=UTF8", "--data-checksums"]);
    command.args(["--locale=C", &format!("--lc-ctype={}", letters().await)]);
    command.arg("--no-instructions");
    if !plan.durable {
        command.arg("--no-sync");
    }
    let done = command.stdin(Stdio::null()).output().await?;
    if !done.status.success() {
        bail!("initdb failed: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(())
}

/// Creates the database `labs` before the server accepts connections.
async fn database_create(plan: &Plan, draft: &Path) -> anyhow::Result<()> {
    let mut command = program(plan, "postgres", draft);
    command.args(["-c", "log_checkpoints=off", "-c", "exit_on_error=on", "postgres"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut input = child.stdin.take().context("postgres has no standard input")?;
    input.write_all(b"create database labs\n").await?;
    drop(input);
    let done = child.wait_with_output().await?;
    if !done.status.success() {
        bail!("the database could not be created: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(())
}

fn program(plan: &Plan, name: &str, draft: &Path) -> Command {
    let (_, data) = plan.owner.paths(&plan.paths.socket, draft);
    let mut command = plan.owner.command(&plan.binaries.path(name), &plan.paths.folder, draft);
    if name == "postgres" {
        command.arg("--single");
    }
    command.arg("-D").arg(data);
    command
}

/// Returns the locale for case conversion. The sort order stays by bytes (C): it is fast, and no library update changes
/// it under an index.
async fn letters() -> String {
    let known = output("locale", &["-a"]).await.unwrap_or_default();
    let plain = |name: &str| name.to_lowercase().replace('-', "");
    for wanted in ["C.UTF-8", "en_US.UTF-8"] {
        if let Some(found) = known.lines().find(|name| plain(name) == plain(wanted)) {
            return found.to_owned();
        }
    }
    "C".to_owned()
}
