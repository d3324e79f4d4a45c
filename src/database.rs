//! The database of a command: an external one, or the folder's private one.

use crate::cluster::{self, Cluster, Settings};
use crate::config::Common;
use crate::folder::{Claim, Folder};
use anyhow::ensure;
use labs_schema::open::DatabaseUrls;
use std::path::Path;

/// An available database, and the private server to stop after use.
#[derive(Debug)]
pub struct Database {
    urls: DatabaseUrls,
    private: Option<Cluster>,
    _folder: Option<Folder>,
}

impl Database {
    /// Opens the database for a command that may run in parallel with the service: the external one, else the private
    /// one of a running service, else the folder's private one, started for the duration of the command.
    ///
    /// # Errors
    /// If the private PostgreSQL cannot be started, or the password of an external one cannot be read.
    pub async fn reach(common: &Common) -> anyhow::Result<Self> {
        if let Some(urls) = common.database_urls()? {
            return Ok(Self::external(urls));
        }
        match Folder::claim(&common.folder)? {
            Claim::Theirs(_) => Ok(Self {
                urls: DatabaseUrls::new(cluster::address(&std::fs::canonicalize(&common.folder)?)?),
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

    /// Opens an existing database, for a command about existing data: a folder without a database does not get one.
    ///
    /// # Errors
    /// As [`Self::reach`], and if no database exists.
    pub async fn reach_existing(common: &Common) -> anyhow::Result<Self> {
        let is_elsewhere = common.database_urls()?.is_some();
        ensure!(
            is_elsewhere || cluster::is_in(&common.folder),
            "the folder {} contains no Labs database: create one there with `labs serve`, name another folder with \
             --folder, or set DATABASE_URL",
            common.folder.display()
        );
        Self::reach(common).await
    }

    /// Opens the database for the service, which has locked the folder: the external one, or the folder's private one.
    ///
    /// # Errors
    /// If the private PostgreSQL cannot be started.
    pub async fn start(folder: &Folder, urls: Option<&DatabaseUrls>, binaries: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(urls) = urls {
            return Ok(Self::external(urls.clone()));
        }
        let binaries = binaries.map(Path::to_owned);
        let settings = Settings { binaries, ..Settings::default() };
        let cluster = Cluster::start(folder, &settings).await?;
        Ok(Self { urls: DatabaseUrls::new(cluster.url()), private: Some(cluster), _folder: None })
    }

    /// Returns the addresses of the database.
    #[must_use]
    pub fn urls(&self) -> &DatabaseUrls {
        &self.urls
    }

    fn external(urls: DatabaseUrls) -> Self {
        Self { urls, private: None, _folder: None }
    }

    /// Stops the private server, if one was started.
    ///
    /// # Errors
    /// If the private PostgreSQL does not stop.
    pub async fn close(self) -> anyhow::Result<()> {
        match self.private {
            Some(cluster) => cluster.stop().await,
            None => Ok(()),
        }
    }
}
