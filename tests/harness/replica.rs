//! A replica as a separate process, which can be killed and whose resource usage the system reports.

use std::net::SocketAddr;
#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::ChildStdout;

use super::Harness;

/// The process. It stops when the value is dropped.
pub(crate) struct Replica {
    process: Child,
    address: SocketAddr,
}

impl Replica {
    /// Starts one on the harness's database, with its name and keys, and separate files in this folder.
    pub(crate) async fn start(harness: &Harness, place: &TempDir) -> Self {
        Self::start_at(harness, place, &harness.database_url).await
    }

    /// Like [`Self::start`], but connects to the database at this URL.
    pub(crate) async fn start_at(harness: &Harness, place: &TempDir, database_url: &str) -> Self {
        Self::begin(harness, place, database_url, &["--stop-grace-seconds", "0"]).await
    }

    /// Like [`Self::start`], as a process of the program of the last release, if `LABS_TEST_FORMER` names it
    /// (`./test upgrade`).
    pub(crate) async fn start_former(harness: &Harness, place: &TempDir) -> Self {
        let former = std::env::var("LABS_TEST_FORMER").ok();
        let program = former.as_deref().unwrap_or(env!("CARGO_BIN_EXE_labs"));
        Self::run(program, harness, place, &harness.database_url, &["--stop-grace-seconds", "0"]).await
    }

    /// Like [`Self::start`], with further flags such as the grace period.
    pub(crate) async fn start_with(harness: &Harness, place: &TempDir, flags: &[&str]) -> Self {
        Self::begin(harness, place, &harness.database_url, flags).await
    }

    async fn begin(harness: &Harness, place: &TempDir, database_url: &str, flags: &[&str]) -> Self {
        Self::run(env!("CARGO_BIN_EXE_labs"), harness, place, database_url, flags).await
    }

    async fn run(program: &str, harness: &Harness, place: &TempDir, database_url: &str, flags: &[&str]) -> Self {
        // It rejects a database that may lose acknowledged writes, which the database of most tests may.
        let safely = "execute format('alter database %I set synchronous_commit = on', current_database())";
        harness.sql(&format!("do $$ begin {safely}; end $$")).await;
        let mut command = Command::new(program);
        command.args(["serve", "--empty", "--listen", "127.0.0.1:0", "--log", "error"]).args(flags);
        command.args(["--base-url", &harness.base_url, "--database-url", database_url, "--folder"]);
        command.arg(place.path()).arg("--master-key-file").arg(harness.master_key());
        let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let out = ChildStdout::from_std(process.stdout.take().unwrap()).unwrap();
        let mut lines = BufReader::new(out).lines();
        lines.next_line().await.unwrap().expect("a replica did not start");
        // It has the harness's name and a separate address.
        let line = lines.next_line().await.unwrap().unwrap_or_default();
        let address = line.strip_prefix("  Listens at     ").unwrap_or_else(|| panic!("{line}"));
        Self { process, address: address.parse().unwrap() }
    }

    /// Returns the address on which it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the path in `/proc` with this information about it.
    #[cfg(target_os = "linux")]
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        Path::new("/proc").join(self.process.id().to_string()).join(name)
    }

    /// Sends SIGTERM: the replica finishes in-flight requests and exits successfully.
    pub(crate) async fn end(mut self) {
        let ended = tokio::task::spawn_blocking(move || {
            let told = Command::new("sh").args(["-c", "kill -TERM $0"]).arg(self.process.id().to_string()).status();
            told.unwrap().success() && self.process.wait().unwrap().success()
        });
        assert!(ended.await.unwrap(), "a replica did not end well");
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
