//! The private PostgreSQL: made, started, watched and stopped by this process alone.
//!
//! It lives in the service's folder and listens on a Unix socket only:
//!
//! ```text
//! <folder>/lock            held for as long as the service lives, with its process number
//! <folder>/postgres/       the data, mode 0700; its own log is in postgres/log, at most 10 files
//! <folder>/socket/         the socket, mode 0700 (a deep folder: <temp>/labs-<hash of the folder>)
//! <folder>/postgres.log    what PostgreSQL said while it started the last time
//! ```
//!
//! Nobody needs a password: whoever can enter the socket's folder, which is its owner and root,
//! is the owner of the database. PostgreSQL would also let them in by "peer", but only under a
//! name; a service run by root with its server run by `postgres` has two.
//!
//! PostgreSQL refuses to run as root. Root therefore hands it over to `postgres`, else to
//! `nobody`, and the server finds its two folders through descriptors opened beforehand: it may
//! then live below a /root that its user cannot enter, without one capability more.
//!
//! A small watchdog stands between the service and the server. It holds the reading end of a pipe
//! whose other end the service holds; when the service ends, however that happens, the pipe
//! closes and the watchdog stops the server. Both have a process group of their own, so that a
//! Ctrl-C reaches the service first, which drains before it stops its database.

mod binaries;
mod data;
mod owner;
mod place;
mod predecessor;
mod ready;
mod server;

use crate::folder::Folder;
use anyhow::Context;
use server::{Plan, Server};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running PostgreSQL that belongs to this process.
///
/// It stops with [`Cluster::stop`]; when the value is dropped or the process ends, it stops by
/// itself a moment later.
#[derive(Debug)]
pub struct Cluster {
    url: String,
    programs: PathBuf,
    stop: oneshot::Sender<()>,
    keeper: JoinHandle<anyhow::Result<()>>,
}

/// What may differ from one private PostgreSQL to the next.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether what was acknowledged survives a power cut. Only tests may do without.
    pub durable: bool,
    /// Where `postgres` and `initdb` are. None: LABS_PG_BIN, PG_BIN, `pg_config --bindir`, the
    /// PATH and the usual places are searched.
    pub binaries: Option<PathBuf>,
    /// Further settings of the server, name and value, which win over ours.
    pub extra: Vec<(String, String)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { durable: true, binaries: None, extra: Vec::new() }
    }
}

impl Cluster {
    /// Starts the folder's PostgreSQL, made first where there is none, and returns when it
    /// answers.
    ///
    /// From then on it is started again whenever it ends by itself.
    ///
    /// # Errors
    /// When there are no binaries of a fitting version, when a server of an earlier run does not
    /// end, or when the new one does not start; the message carries what PostgreSQL said.
    pub async fn start(folder: &Folder, settings: &Settings) -> anyhow::Result<Self> {
        let plan = Plan::new(folder.path(), settings).await?;
        let url = plan.place.url()?;
        if !plan.place.data.exists() {
            data::make(&plan).await.context("the private PostgreSQL could not be created")?;
        }
        let server = Server::start(&plan).await.context("the private PostgreSQL could not be started")?;
        let (stop, stopped) = oneshot::channel();
        let programs = plan.binaries.folder().to_owned();
        let keeper = tokio::spawn(keep(server, plan, stopped));
        Ok(Self { url, programs, stop, keeper })
    }

    /// The address of the database `labs` for its owner, who may do everything:
    /// `postgres://labs@<socket folder, percent-encoded>:5432/labs?sslmode=disable`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The folder of PostgreSQL's programs that made and run it.
    #[must_use]
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    /// Stops the server in the orderly way and returns when it is gone. Connections are cut,
    /// transactions under way are rolled back.
    ///
    /// # Errors
    /// When it takes more than a minute.
    pub async fn stop(self) -> anyhow::Result<()> {
        // The keeper is gone already when its task panicked, which the join below reports.
        let _ = self.stop.send(());
        self.keeper.await?
    }
}

/// Whether a folder has a private PostgreSQL, running or not.
#[must_use]
pub fn is_in(folder: &Path) -> bool {
    place::data_of(folder).join("PG_VERSION").exists()
}

/// The address at which another process serves this folder's database. It need not be running.
///
/// # Errors
/// When the folder's path is too long for a socket or is not UTF-8.
pub fn address(folder: &Path) -> anyhow::Result<String> {
    place::Place::of(folder)?.url()
}

/// Starts the server again when it ends by itself, until it is told to stop.
async fn keep(mut server: Server, plan: Plan, mut stopped: oneshot::Receiver<()>) -> anyhow::Result<()> {
    loop {
        tokio::select! {
            asked = &mut stopped => {
                server.stop().await?;
                if asked.is_ok() {
                    // Otherwise nobody waits for us, and the next server may be here already.
                    plan.place.socket_remove();
                }
                return Ok(());
            }
            () = tokio::time::sleep(Duration::from_secs(60)) => data::logs_prune(&plan.place),
            ended = server.wait_for_end() => {
                drop(server);
                tracing::error!(%ended, "the private PostgreSQL stopped unexpectedly; it is restarted");
                server = loop {
                    match Server::start(&plan).await {
                        Ok(server) => break server,
                        Err(error) => tracing::error!("the private PostgreSQL could not be restarted: {error:#}"),
                    }
                    tokio::select! {
                        _ = &mut stopped => return Ok(()),
                        () = tokio::time::sleep(Duration::from_secs(1)) => {}
                    }
                };
            }
        }
    }
}

#[cfg(test)]
mod tests;
