//! The database that a command works on: one elsewhere, or the folder's own.

use crate::cluster::{self, Cluster, Settings};
use crate::config::Common;
use crate::folder::{Claim, Folder};
use crate::secret::Secret;
use anyhow::ensure;
use std::path::Path;

/// A database within reach, and what must be stopped when it is needed no more.
#[derive(Debug)]
pub struct Database {
    url: String,
    private: Option<Cluster>,
    _folder: Option<Folder>,
}

impl Database {
    /// For a command that may run beside the service: the database elsewhere, else the one that
    /// the folder's service runs, else the folder's own, started for as long as this takes.
    ///
    /// # Errors
    /// When the private PostgreSQL cannot be started, or the password of another one cannot be read.
    pub async fn reach(common: &Common) -> anyhow::Result<Self> {
        if let Some(url) = elsewhere(common.database_url()?.as_ref()) {
            return Ok(url);
        }
        match Folder::claim(&common.folder)? {
            Claim::Theirs(_) => Ok(Self {
                url: cluster::address(&std::fs::canonicalize(&common.folder)?)?,
                private: None,
                _folder: None,
            }),
            Claim::Ours(folder) => {
                let mut database = Self::start(&folder, None, common.pg_bin.as_deref()).await?;
                database._folder = Some(folder);
                Ok(database)
            }
        }
    }

    /// The same for a command that is about what is there already: a folder without a database gets none.
    ///
    /// # Errors
    /// As [`Self::reach`], and where there is nothing.
    pub async fn reach_existing(common: &Common) -> anyhow::Result<Self> {
        let is_elsewhere = common.database_url()?.is_some_and(|url| !url.expose().is_empty());
        ensure!(
            is_elsewhere || cluster::is_in(&common.folder),
            "no Labs lives in {}: start one there with `labs serve`, or name another folder with --folder, or its database \
             in DATABASE_URL",
            common.folder.display()
        );
        Self::reach(common).await
    }

    /// For the service, which holds the folder: the database elsewhere, or the folder's own.
    ///
    /// # Errors
    /// When the private PostgreSQL cannot be started.
    pub async fn start(folder: &Folder, url: Option<&Secret>, binaries: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(database) = elsewhere(url) {
            return Ok(database);
        }
        let binaries = binaries.map(Path::to_owned);
        let settings = Settings { binaries, ..Settings::default() };
        let cluster = Cluster::start(folder, &settings).await?;
        Ok(Self { url: cluster.url().to_owned(), private: Some(cluster), _folder: None })
    }

    /// The address, as the database's owner.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops what was started for it.
    ///
    /// # Errors
    /// When the private PostgreSQL does not stop.
    pub async fn close(self) -> anyhow::Result<()> {
        match self.private {
            Some(cluster) => cluster.stop().await,
            None => Ok(()),
        }
    }
}

fn elsewhere(url: Option<&Secret>) -> Option<Database> {
    let url = url.map(Secret::expose).filter(|url| !url.is_empty())?;
    Some(Database { url: url.to_owned(), private: None, _folder: None })
}
