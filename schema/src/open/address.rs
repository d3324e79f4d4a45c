//! Addresses under which parts of the service reach the database.

use std::fmt;

/// An address and the setting that contains it.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) url: String,
    pub(super) setting: &'static str,
}

/// Addresses of the database, by use. All address the same database; they differ in login and route.
#[derive(Clone)]
pub struct DatabaseUrls {
    /// Address for requests and jobs, with a connection pool.
    pub(super) service: Address,
    /// Address for migrations, with the login of the database's owner.
    pub(super) migrate: Address,
    /// Address for the two connections that receive notifications (LISTEN). It must not pass through a pooler that
    /// lends connections per transaction.
    pub(super) listen: Address,
    /// Addresses of the read replicas.
    pub(super) replicas: Vec<Address>,
}

impl DatabaseUrls {
    /// Creates addresses that are equal for all uses.
    #[must_use]
    pub fn new(service: impl Into<String>) -> Self {
        let service = Address { url: service.into(), setting: "DATABASE_URL" };
        Self { migrate: service.clone(), listen: service.clone(), service, replicas: Vec::new() }
    }

    /// Sets a separate address for migrations, if given.
    #[must_use]
    pub fn migrated_at(self, url: Option<String>) -> Self {
        let migrate = url.map(|url| Address { url, setting: "LABS_MIGRATE_URL" });
        Self { migrate: migrate.unwrap_or(self.migrate), ..self }
    }

    /// Sets a separate address for notifications, if given.
    #[must_use]
    pub fn listening_at(self, url: Option<String>) -> Self {
        let listen = url.map(|url| Address { url, setting: "LABS_LISTEN_DATABASE_URL" });
        Self { listen: listen.unwrap_or(self.listen), ..self }
    }

    /// Sets the addresses of the read replicas.
    #[must_use]
    pub fn read_at(self, urls: Vec<String>) -> Self {
        let address = |url| Address { url, setting: "LABS_READ_DATABASE_URLS" };
        Self { replicas: urls.into_iter().map(address).collect(), ..self }
    }

    /// Returns the address for requests and jobs.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service.url
    }
}

impl fmt::Debug for DatabaseUrls {
    /// Omits the addresses, because they contain passwords.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = [self.service.setting, self.migrate.setting, self.listen.setting];
        formatter.debug_tuple("DatabaseUrls").field(&settings).finish()
    }
}
