//! The database that a command works on: one elsewhere, or the folder's own.

use crate::cluster::{self, Cluster, Settings};
use crate::config::Common;
use crate::folder::{Claim, Folder};
use anyhow::ensure;
use labs_schema::open::DatabaseUrls;
use std::path::Path;

/// A database within reach, and what must be stopped when it is needed no more.
#[derive(Debug)]
pub struct Database {
    urls: DatabaseUrls,
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
        if let Some(urls) = common.database_urls()? {
            return Ok(Self::elsewhere(urls));
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

    /// The same for a command that is about what is there already: a folder without a database gets none.
    ///
    /// # Errors
    /// As [`Self::reach`], and where there is nothing.
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

    /// For the service, which holds the folder: the database elsewhere, or the folder's own.
    ///
    /// # Errors
    /// When the private PostgreSQL cannot be started.
    pub async fn start(folder: &Folder, urls: Option<&DatabaseUrls>, binaries: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(urls) = urls {
            return Ok(Self::elsewhere(urls.clone()));
        }
        let binaries = binaries.map(Path::to_owned);
        let settings = Settings { binaries, ..Settings::default() };
        let cluster = Cluster::start(folder, &settings).await?;
        Ok(Self { urls: DatabaseUrls::new(cluster.url()), private: Some(cluster), _folder: None })
    }

    /// Its addresses.
    #[must_use]
    pub fn urls(&self) -> &DatabaseUrls {
        &self.urls
    }

    fn elsewhere(urls: DatabaseUrls) -> Self {
        Self { urls, private: None, _folder: None }
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
