//! A PgBouncer that pools connections to one PostgreSQL.

use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use tempfile::TempDir;

/// Its port, which is a part of its socket's name.
const PORT: u16 = 6432;

/// Runs PgBouncer in the folder of the server's socket, which its user could not enter by path. Kills it when standard
/// input closes, that is, when the process with its other end exits.
const WATCHER: &str = r#"cd "$1" && shift && { "$@" </dev/null & pooler=$!; cat >/dev/null; kill -KILL "$pooler"; }"#;

/// The process. It stops when the value is dropped.
pub(crate) struct Pooler {
    process: Child,
    place: TempDir,
}

impl Pooler {
    /// Returns the folder of its program and libraries, if it exists: `./test pooler` creates it.
    pub(crate) fn programs() -> Option<PathBuf> {
        env::var_os("LABS_TEST_PGBOUNCER").map(PathBuf::from)
    }

    /// Starts a pooler in front of the server at this URL, in this mode (`session` or `transaction`).
    pub(crate) fn start(server_url: &str, mode: &str) -> Self {
        let programs = Self::programs().expect("LABS_TEST_PGBOUNCER names no folder: run ./test pooler");
        let place = tempfile::tempdir().unwrap();
        for file in fs::read_dir(programs).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), place.path().join(file.file_name())).unwrap();
        }
        let folder = server_url.split_once('@').unwrap().1.split_once(':').unwrap().0.replace("%2F", "/");
        let settings = format!(
            "[databases]\n* = host=/proc/self/cwd port=5432 user=labs\n[pgbouncer]\nlisten_port = {PORT}\n\
             unix_socket_dir = {}\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = 100\nmax_client_conn = 2000\n\
             server_idle_timeout = 5\n",
            place.path().display()
        );
        fs::write(place.path().join("settings.ini"), settings).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", WATCHER, "watcher", &folder]);
        // Like the server, it refuses to run as root.
        if fs::metadata(place.path()).unwrap().uid() == 0 {
            let owner = fs::metadata(format!("{folder}/.s.PGSQL.5432")).unwrap();
            chown(place.path(), Some(owner.uid()), Some(owner.gid())).unwrap();
            command.arg("setpriv").args([format!("--reuid={}", owner.uid()), format!("--regid={}", owner.gid())]);
            command.arg("--clear-groups");
        }
        command.arg(place.path().join("pgbouncer")).arg("--quiet").arg(place.path().join("settings.ini"));
        command.env("LD_LIBRARY_PATH", place.path()).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let pooler = Self { process: command.spawn().unwrap(), place };
        pooler.wait_for_socket();
        pooler
    }

    /// Returns the URL of a database through the pooler.
    pub(crate) fn url(&self, database_url: &str) -> String {
        let (_, database) = database_url.rsplit_once('/').unwrap();
        let place = self.place.path().display().to_string().replace('/', "%2F");
        format!("postgres://labs@{place}:{PORT}/{database}")
    }

    fn wait_for_socket(&self) {
        let socket = self.place.path().join(format!(".s.PGSQL.{PORT}"));
        let until_there = r#"until [ -S "$0" ]; do sleep 0.02; done"#;
        let waited = Command::new("timeout").args(["20", "sh", "-c", until_there]).arg(socket).status().unwrap();
        assert!(waited.success(), "PgBouncer does not start");
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}
