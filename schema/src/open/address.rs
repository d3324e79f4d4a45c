//! The addresses under which parts of the service reach the one database.

use std::fmt;

/// An address, and the setting that tells it.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) url: String,
    pub(super) setting: &'static str,
}

/// Where the database is, for each who goes there. It is one database: what differs is who signs in, and by which way.
#[derive(Clone)]
pub struct DatabaseUrls {
    /// For requests and jobs, by a pool of connections.
    pub(super) service: Address,
    /// For migrations, as whoever owns the database.
    pub(super) migrate: Address,
    /// For the two connections that are told of changes (LISTEN), which nothing may stand before that lends connections for
    /// a transaction only.
    pub(super) listen: Address,
    /// Read replicas, a server each.
    pub(super) replicas: Vec<Address>,
}

impl DatabaseUrls {
    /// One address for all.
    #[must_use]
    pub fn new(service: impl Into<String>) -> Self {
        let service = Address { url: service.into(), setting: "DATABASE_URL" };
        Self { migrate: service.clone(), listen: service.clone(), service, replicas: Vec::new() }
    }

    /// The same with another one for migrations, if there is one.
    #[must_use]
    pub fn migrated_at(self, url: Option<String>) -> Self {
        let migrate = url.map(|url| Address { url, setting: "LABS_MIGRATE_URL" });
        Self { migrate: migrate.unwrap_or(self.migrate), ..self }
    }

    /// The same with another one for what is told of changes, if there is one.
    #[must_use]
    pub fn listening_at(self, url: Option<String>) -> Self {
        let listen = url.map(|url| Address { url, setting: "LABS_LISTEN_DATABASE_URL" });
        Self { listen: listen.unwrap_or(self.listen), ..self }
    }

    /// The same with read replicas at these.
    #[must_use]
    pub fn read_at(self, urls: Vec<String>) -> Self {
        let address = |url| Address { url, setting: "LABS_READ_DATABASE_URLS" };
        Self { replicas: urls.into_iter().map(address).collect(), ..self }
    }

    /// The address for requests and jobs.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service.url
    }
}

impl fmt::Debug for DatabaseUrls {
    /// Without the addresses: there are passwords in them.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings = [self.service.setting, self.migrate.setting, self.listen.setting];
        formatter.debug_tuple("DatabaseUrls").field(&settings).finish()
    }
}
