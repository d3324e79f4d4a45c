//! Addresses of the database: one for requests, and optional ones for other purposes.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use labs_schema::open::DatabaseUrls;
use reqwest::Url;

use super::Common;
use crate::secret::Secret;

impl Common {
    /// Returns the addresses of an external PostgreSQL, with passwords from files if configured; none for the private
    /// one.
    ///
    /// # Errors
    /// If a file cannot be read, or an address already has a password or cannot have one.
    pub fn database_urls(&self) -> anyhow::Result<Option<DatabaseUrls>> {
        let given = |url: &Option<Secret>| url.clone().filter(Secret::is_some);
        let (service, migrate) = (given(&self.database_url), given(&self.migrate_url));
        let file = self.database_password_file.as_deref().filter(|file| !file.as_os_str().is_empty());
        let file_of_migrate = self.migrate_password_file.as_deref().filter(|file| !file.as_os_str().is_empty());
        let Some(service) = service else {
            let stray = [
                (file.is_some(), "LABS_DATABASE_PASSWORD_FILE"),
                (migrate.is_some(), "LABS_MIGRATE_URL"),
                (file_of_migrate.is_some(), "LABS_MIGRATE_PASSWORD_FILE"),
            ];
            return match stray.into_iter().find(|(is_given, _)| *is_given) {
                Some((_, name)) => bail!(
                    "{name} requires DATABASE_URL, for example postgres://user@host:5432/database; the private \
                     PostgreSQL does not use it"
                ),
                None => Ok(None),
            };
        };
        if migrate.is_none() && file_of_migrate.is_some() {
            bail!(
                "LABS_MIGRATE_PASSWORD_FILE requires LABS_MIGRATE_URL, for example postgres://user@host:5432/database"
            );
        }
        let service = fill_password(&service, file, ("DATABASE_URL", "LABS_DATABASE_PASSWORD_FILE"))?;
        let migrate =
            migrate.map(|url| fill_password(&url, file_of_migrate, ("LABS_MIGRATE_URL", "LABS_MIGRATE_PASSWORD_FILE")));
        Ok(Some(DatabaseUrls::new(service).migrated_at(migrate.transpose()?)))
    }

    /// Returns the addresses with another one for change notifications. It may omit the password, which is then read
    /// from the file.
    ///
    /// # Errors
    /// As [`Self::database_urls`].
    pub(super) fn urls_listening_at(&self, listen: Option<Secret>) -> anyhow::Result<Option<DatabaseUrls>> {
        let (urls, listen) = (self.database_urls()?, listen.filter(Secret::is_some));
        if urls.is_none() && listen.is_some() {
            bail!("LABS_LISTEN_DATABASE_URL requires DATABASE_URL; the private PostgreSQL does not use it");
        }
        let listen = listen.map(|url| self.with_usual_password(&url, "LABS_LISTEN_DATABASE_URL")).transpose()?;
        Ok(urls.map(|urls| urls.listening_at(listen)))
    }

    /// Returns the addresses with read replicas. They may omit the password, which is then read from the file.
    ///
    /// # Errors
    /// As [`Self::database_urls`].
    pub(super) fn urls_read_at(
        &self,
        urls: Option<DatabaseUrls>,
        replicas: Vec<Secret>,
    ) -> anyhow::Result<Option<DatabaseUrls>> {
        let replicas: Vec<Secret> = replicas.into_iter().filter(Secret::is_some).collect();
        if urls.is_none() && !replicas.is_empty() {
            bail!("LABS_READ_DATABASE_URLS requires DATABASE_URL; the private PostgreSQL has no read replicas");
        }
        let named = replicas.iter().map(|url| self.with_usual_password(url, "LABS_READ_DATABASE_URLS"));
        let named = named.collect::<anyhow::Result<Vec<_>>>()?;
        Ok(urls.map(|urls| urls.read_at(named)))
    }

    /// Completes an address that may omit the password with the password of the file.
    fn with_usual_password(&self, url: &Secret, setting: &'static str) -> anyhow::Result<String> {
        let file = self.database_password_file.as_deref().filter(|file| !file.as_os_str().is_empty());
        let file = file.filter(|_| !has_password(url.expose()));
        fill_password(url, file, (setting, "LABS_DATABASE_PASSWORD_FILE"))
    }

    /// Returns the path of the master key.
    #[must_use]
    pub fn master_key_file(&self) -> PathBuf {
        match self.master_key_file.strip_prefix("<folder>/") {
            Some(rest) => self.folder.join(rest),
            None => PathBuf::from(&self.master_key_file),
        }
    }
}

/// Returns the address with the password of a file, if one is configured. The two names are the names of the settings.
fn fill_password(url: &Secret, file: Option<&Path>, (setting, of_file): (&str, &str)) -> anyhow::Result<String> {
    let Some(file) = file else { return Ok(url.expose().to_owned()) };
    let password = std::fs::read_to_string(file)
        .map_err(|error| anyhow!("{of_file} names the file {}, which cannot be read ({error})", file.display()))?;
    with_password(url.expose(), password.trim_end_matches(['\r', '\n']), (setting, of_file))
}

fn has_password(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password"))
}

/// Returns the address with this password. No message contains either of them.
fn with_password(url: &str, password: &str, (setting, of_file): (&str, &str)) -> anyhow::Result<String> {
    let mut parsed = Url::parse(url)
        .map_err(|error| anyhow!("{setting} cannot be parsed: {error}. Write postgres://user@host:5432/database"))?;
    if has_password(url) {
        bail!("{setting} and {of_file} both contain a password: remove one of them");
    }
    if password.is_empty() || parsed.set_password(Some(password)).is_err() {
        bail!("{of_file} requires a password in its file, and a user and a host in {setting}");
    }
    Ok(String::from(parsed))
}
