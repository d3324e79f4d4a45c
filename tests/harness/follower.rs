//! A PostgreSQL and another one that follows it, as a read replica does.

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

/// A server on a port of its own. It ends with this.
pub(crate) struct Server {
    process: Child,
    port: u16,
}

impl Server {
    /// Runs the server of these data as whoever they belong to.
    async fn run(programs: &Path, data: &Path) -> Self {
        let owner = fs::metadata(data).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(programs.join("postgres"));
        command.arg("-D").arg(data).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let listens = format!("port={port}");
        for setting in ["listen_addresses=127.0.0.1", &listens, "unix_socket_directories=", "fsync=off", "jit=off"] {
            command.args(["-c", setting]);
        }
        // What root makes is root's, and PostgreSQL does not run as root.
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
        tokio::time::timeout(Duration::from_secs(60), answers).await.expect("the server answers");
        server
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.port).into()
    }

    /// The address of its database.
    pub(crate) fn url(&self) -> String {
        database_at(self.address())
    }
}

/// The address of the database of a server that is reached so.
pub(crate) fn database_at(address: SocketAddr) -> String {
    format!("postgres://labs@{address}/labs?sslmode=disable")
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A leader whose database is migrated, and a server that follows it.
pub(crate) struct Followed {
    /// The one that takes writes.
    pub(crate) leader: Server,
    /// The other one.
    pub(crate) follower: Server,
    _place: TempDir,
}

impl Followed {
    /// Makes and starts both.
    pub(crate) async fn start() -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let (programs, data) = made(place.path()).await;
        let leader = Server::run(&programs, &data).await;
        let copy = place.path().join("follower");
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
        let follower = Server::run(&programs, &copy).await;
        Self { leader, follower, _place: place }
    }
}

/// PostgreSQL's programs, and the data of a server that ended after its database was migrated.
async fn made(place: &Path) -> (PathBuf, PathBuf) {
    let (home, data) = (place.join("home"), place.join("leader"));
    let folder = Folder::open(&home).unwrap();
    let cluster = Cluster::start(&folder, &Settings { durable: false, ..Settings::default() }).await.unwrap();
    labs::wiring::migrate(&DatabaseUrls::new(cluster.url())).await.unwrap();
    let programs = cluster.programs().to_owned();
    cluster.stop().await.unwrap();
    fs::rename(home.join("postgres"), &data).unwrap();
    (programs, data)
}

/// Gives everything in a folder to whoever has another one.
fn give(folder: &Path, like: &Path) {
    let owner = fs::metadata(like).unwrap();
    let mut command = Command::new("chown");
    command.arg("-R").arg(format!("{}:{}", owner.uid(), owner.gid())).arg(folder);
    assert!(command.status().unwrap().success());
}
