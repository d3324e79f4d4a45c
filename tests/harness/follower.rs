//! A PostgreSQL primary and followers, as read replicas.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use labs::cluster::{Cluster, Settings};
use labs::folder::Folder;
use labs_schema::open::DatabaseUrls;
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;

/// A server on a separate port. It stops when the value is dropped.
pub(crate) struct Server {
    process: Child,
    port: u16,
}

impl Server {
    /// Runs the server of this data folder as the folder's owner.
    async fn run(programs: &Path, data: &Path) -> Self {
        let owner = fs::metadata(data).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(programs.join("postgres"));
        command.arg("-D").arg(data).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let listens = format!("port={port}");
        for setting in ["listen_addresses=127.0.0.1", &listens, "unix_socket_directories=", "fsync=off", "jit=off"] {
            command.args(["-c", setting]);
        }
        // Files created by root belong to root, and PostgreSQL does not run as root.
        if fs::metadata(data.parent().unwrap()).unwrap().uid() == 0 {
            command.uid(owner.uid()).gid(owner.gid());
        }
        let server = Self { process: command.spawn().unwrap(), port };
        let url = server.url();
        let answers = async {
            while PgConnection::connect(&url).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(super::LONGEST_WAIT, answers).await.expect("the server answers");
        server
    }

    /// Returns the address on which it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    /// Returns the URL of its database.
    pub(crate) fn url(&self) -> String {
        database_at(self.address())
    }
}

/// Returns the URL of the database of the server at this address.
pub(crate) fn database_at(address: SocketAddr) -> String {
    format!("postgres://labs@{address}/labs?sslmode=disable")
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A primary with a migrated database, and its followers.
pub(crate) struct Followed {
    /// The server that accepts writes.
    pub(crate) leader: Server,
    /// The servers that replicate it.
    pub(crate) followers: Vec<Server>,
    _place: TempDir,
}

impl Followed {
    /// Creates and starts a primary and this number of followers.
    pub(crate) async fn start(count: usize) -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let (programs, data) = made(place.path()).await;
        let leader = Server::run(&programs, &data).await;
        let mut followers = Vec::new();
        for number in 0..count {
            let copy = place.path().join(format!("follower-{number}"));
            let mut command = Command::new(programs.join("pg_basebackup"));
            command.args([
                "--host=127.0.0.1",
                "--username=labs",
                "--checkpoint=fast",
                "--no-sync",
                "--write-recovery-conf",
            ]);
            command.arg(format!("--port={}", leader.port)).arg("--pgdata").arg(&copy);
            let output = command.stdin(Stdio::null()).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            give(&copy, &data);
            followers.push(Server::run(&programs, &copy).await);
        }
        Self { leader, followers, _place: place }
    }

    /// Runs a statement on one of the followers.
    pub(crate) async fn at_follower(&self, number: usize, statement: &str) {
        let mut follower = PgConnection::connect(&self.followers[number].url()).await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut follower).await.unwrap();
    }
}

/// Creates a migrated database, stops its server, and returns the folder of the PostgreSQL programs and the data
/// folder.
pub(super) async fn made(place: &Path) -> (PathBuf, PathBuf) {
    let (home, data) = (place.join("home"), place.join("leader"));
    let folder = Folder::open(&home).unwrap();
    let cluster = Cluster::start(&folder, &Settings { durable: false, ..Settings::default() }).await.unwrap();
    labs::wiring::migrate(&DatabaseUrls::new(cluster.url())).await.unwrap();
    let programs = cluster.programs().to_owned();
    cluster.stop().await.unwrap();
    fs::rename(home.join("postgres"), &data).unwrap();
    (programs, data)
}

/// Changes the owner of everything in a folder to the owner of another folder.
fn give(folder: &Path, like: &Path) {
    let owner = fs::metadata(like).unwrap();
    let mut command = Command::new("chown");
    command.arg("-R").arg(format!("{}:{}", owner.uid(), owner.gid())).arg(folder);
    assert!(command.status().unwrap().success());
}
