//! The private PostgreSQL: created, started, monitored and stopped by this process alone.
//!
//! It is in the service's folder and listens only on a Unix socket:
//!
//! ```text
//! <folder>/lock            locked while the service runs, contains its process number
//! <folder>/postgres/       the data, mode 0700; its own log is in postgres/log, at most 10 files
//! <folder>/socket/         the socket, mode 0700 (a deep folder: <temp>/labs-<hash of the folder>)
//! <folder>/postgres.log    output of PostgreSQL during its last start
//! ```
//!
//! No password is needed: only the owner of the socket's folder and root can enter it, and both are owner of the
//! database. PostgreSQL could also authenticate them by "peer", but only under one name; a service that root runs with
//! a server that `postgres` runs has two.
//!
//! PostgreSQL refuses to run as root. Root therefore runs it as `postgres`, else as `nobody`, and the server gets its
//! two folders through descriptors that are already open: so it can be below a /root that its user cannot enter,
//! without any additional capability.
//!
//! A small watchdog runs between the service and the server. It has the reading end of a pipe whose other end the
//! service has. If the service ends in any way, the pipe closes and the watchdog stops the server. Both have a separate
//! process group, so that Ctrl-C reaches only the service, which drains before it stops its database.

mod binaries;
mod data;
mod owner;
mod paths;
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
/// It stops with [`Cluster::stop`]; if the value is dropped or the process ends, it stops by itself a moment later.
#[derive(Debug)]
pub struct Cluster {
    url: String,
    programs: PathBuf,
    stop: oneshot::Sender<()>,
    keeper: JoinHandle<anyhow::Result<()>>,
}

/// Settings of a private PostgreSQL.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether acknowledged commits survive a power failure. Only tests may disable it.
    pub durable: bool,
    /// Folder of `postgres` and `initdb`. None: search LABS_PG_BIN, PG_BIN, `pg_config --bindir`, the PATH and the
    /// usual folders.
    pub binaries: Option<PathBuf>,
    /// Further server settings, name and value, which override the defaults.
    pub extra: Vec<(String, String)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { durable: true, binaries: None, extra: Vec::new() }
    }
}

impl Cluster {
    /// Starts the folder's PostgreSQL, creates it first if needed, and returns when it accepts connections.
    ///
    /// After that, it is restarted whenever it ends by itself.
    ///
    /// # Errors
    /// If no binaries of a matching version exist, if a server of an earlier run does not end, or if the new one does
    /// not start; the message contains PostgreSQL's output.
    pub async fn start(folder: &Folder, settings: &Settings) -> anyhow::Result<Self> {
        let plan = Plan::new(folder.path(), settings).await?;
        let url = plan.paths.url()?;
        if !plan.paths.data.exists() {
            data::make(&plan).await.context("the private PostgreSQL could not be created")?;
        }
        let server = Server::start(&plan).await.context("the private PostgreSQL could not be started")?;
        let (stop, stopped) = oneshot::channel();
        let programs = plan.binaries.folder().to_owned();
        let keeper = tokio::spawn(keep(server, plan, stopped));
        Ok(Self { url, programs, stop, keeper })
    }

    /// Address of the database `labs` for its owner, who has all rights: `postgres://labs@<socket folder,
    /// percent-encoded>:5432/labs?sslmode=disable`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Folder of the PostgreSQL programs that created and run it.
    #[must_use]
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    /// Stops the server gracefully and returns when it has ended. Connections are closed, open transactions are rolled
    /// back.
    ///
    /// # Errors
    /// If it takes more than a minute.
    pub async fn stop(self) -> anyhow::Result<()> {
        // If the keeper's task panicked, the receiver is already gone; the join below reports it.
        let _ = self.stop.send(());
        self.keeper.await?
    }
}

/// Whether a folder contains a private PostgreSQL, running or not.
#[must_use]
pub fn is_in(folder: &Path) -> bool {
    paths::data_of(folder).join("PG_VERSION").exists()
}

/// Returns the address at which another process serves this folder's database. It need not run.
///
/// # Errors
/// If the folder's path is too long for a socket or is not UTF-8.
pub fn address(folder: &Path) -> anyhow::Result<String> {
    paths::ClusterPaths::of(folder)?.url()
}

/// Restarts the server if it ends by itself, until the stop signal.
async fn keep(mut server: Server, plan: Plan, mut stopped: oneshot::Receiver<()>) -> anyhow::Result<()> {
    loop {
        tokio::select! {
            asked = &mut stopped => {
                server.stop().await?;
                if asked.is_ok() {
                    // Otherwise the service does not wait for the end, and the next server may already run.
                    plan.paths.remove_socket();
                }
                return Ok(());
            }
            () = tokio::time::sleep(Duration::from_secs(60)) => data::prune_logs(&plan.paths),
            ended = server.wait_for_end() => {
                drop(server);
                tracing::error!(%ended, "the private PostgreSQL stopped unexpectedly; it is restarted");
                server = loop {
                    match Server::start(&plan).await {
                        Ok(server) => break server,
                        Err(error) => tracing::error!("the private PostgreSQL could not be restarted, next attempt \
                                                       in 1 s: {error:#}"),
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
