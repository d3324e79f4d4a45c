//! Test harness: runs a service over HTTP on a real PostgreSQL.
//!
//! One private PostgreSQL serves the whole run. Each test has a separate database, cloned from a migrated template, and
//! a service in the test process on a free port. Tests use public interfaces only: they call operations by id, never by
//! URL, and the harness validates every response against the contract.

mod call;
mod cluster;
mod follower;
mod held;
pub(crate) mod mail;
mod media;
pub(crate) mod people;
mod pooler;
pub(crate) mod proxy;
pub(crate) mod random;
mod replica;

use std::path::PathBuf;

use clap::Parser as _;
use labs::cli::{Cli, Command};
use labs::wiring;
use labs_schema::Engine;
use labs_schema::crypto::password::PasswordCost;
use labs_schema::media::store::MediaPlace;
use labs_schema::time::Clock;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection as _, PgConnection, PgPool};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub(crate) use call::{Answer, Call, contract};
pub(crate) use cluster::put_database;
pub(crate) use follower::{Followed, database_at};
pub(crate) use held::{OpenTransaction, WAITING};
pub(crate) use media::{FaultyBucket, StoreFault};
pub(crate) use pooler::Pooler;
pub(crate) use replica::Replica;

/// Default path of a replica's master key, from which its other keys are derived.
const MASTER_KEY: &str = "secrets/master.key";

/// Longest wait of a test for a condition. It is much longer than the service needs, because a busy machine may stand
/// still for half a minute; a test that is about a duration has its own limit.
pub(crate) const LONGEST_WAIT: std::time::Duration = std::time::Duration::from_secs(120);

/// Network budgets that no test exhausts. A harness with explicit flags must include them.
pub(crate) const ROOMY: &[&str] =
    &["--anonymous-per-second", "100000", "--anonymous-per-day", "10000000", "--attempts-per-minute", "100000"];

/// Returns the flags of a service behind a local proxy that sends the clients' addresses.
pub(crate) fn behind_a_proxy() -> Vec<&'static str> {
    [&["--trusted-proxies", "127.0.0.0/8"], ROOMY].concat()
}

/// A running service with a separate database.
pub(crate) struct Harness {
    /// Base URL.
    pub(crate) base_url: String,
    /// Clock of the service; the database's clock moves with it.
    pub(crate) clock: Clock,
    /// The service's engine, for the few tests that need internal access.
    pub(crate) engine: Engine,
    /// URL of the database for its owner.
    pub(crate) database_url: String,
    /// Folder to which mail is written.
    pub(crate) mail_folder: PathBuf,
    /// Storage of its files.
    media: MediaPlace,
    /// Connections as the database owner. Tests that wait poll often, and a new connection for each poll would cost
    /// more than the test.
    owners: PgPool,
    client: reqwest::Client,
    stop: CancellationToken,
    folder: tempfile::TempDir,
}

impl Harness {
    /// Starts a new service.
    pub(crate) async fn new() -> Self {
        Self::with(&[]).await
    }

    /// Starts a new service with these flags.
    pub(crate) async fn with(flags: &[&str]) -> Self {
        let database_url = cluster::fresh_database().await;
        Self::over(database_url, flags).await
    }

    /// Starts a service on an existing database, as a second replica.
    pub(crate) async fn over(database_url: String, flags: &[&str]) -> Self {
        Self::replica(database_url, flags, None, media::fresh_place().await).await
    }

    /// Starts a new service that stores its files in this place.
    pub(crate) async fn with_media(place: MediaPlace) -> Self {
        Self::replica(cluster::fresh_database().await, &[], None, Some(place)).await
    }

    /// Starts another replica of this service with its own flags. It shares database, keys, name, clock, mail and
    /// files, and has a different address.
    pub(crate) async fn twin(&self, flags: &[&str]) -> Self {
        Self::replica(self.database_url.clone(), flags, Some(self), Some(self.media.clone())).await
    }

    /// Sends all calls to this address from now on, each over a separate connection.
    pub(crate) fn use_address(&mut self, address: std::net::SocketAddr) {
        self.base_url = format!("http://{address}");
        self.client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    }

    /// Uses this database for SQL from now on.
    pub(crate) fn look_into(&mut self, database_url: String) {
        self.owners = owners_of(&database_url);
        self.database_url = database_url;
    }

    /// Returns the path of the key from which the service's other keys are derived.
    pub(crate) fn master_key(&self) -> PathBuf {
        self.folder.path().join(MASTER_KEY)
    }

    async fn replica(database_url: String, flags: &[&str], beside: Option<&Self>, media: Option<MediaPlace>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap().to_owned();
        let key = beside.map_or(folder.path(), |first| first.folder.path()).join(MASTER_KEY);
        let key = key.to_str().unwrap();
        let way = cluster::way_to(&database_url);
        let clock = beside.map(|first| first.clock.clone()).unwrap_or_default();
        let fixed = ["labs", "serve", "--folder", &path, "--database-url", &way, "--master-key-file", key];
        let fixed = fixed.into_iter().chain(["--database-connections", "7"]);
        let own = ["--own-per-second", "100000"];
        let words =
            fixed.chain(own).chain(ROOMY.iter().copied().filter(|_| flags.is_empty())).chain(flags.iter().copied());
        let Command::Serve(serve) = Cli::try_parse_from(words).unwrap().command else { panic!("`serve` is a command") };
        let mut config = serve.settle().unwrap();
        if let Some(first) = beside {
            config.mail_folder.clone_from(&first.mail_folder);
        }
        config.media = media.unwrap_or(config.media);
        config.passwords.cost = PasswordCost::LOWEST;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let name = beside.map_or(&base_url, |first| &first.base_url);
        let (media, database) = (wiring::media(&config).await.unwrap(), config.database.as_ref().unwrap());
        let application = wiring::application(&config, media, database, name, clock.clone()).await.unwrap();
        let engine = application.engine().clone();
        let stop = CancellationToken::new();
        tokio::spawn(wiring::answer(listener, application, stop.clone()));
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let owners = owners_of(&database_url);
        let (mail_folder, media) = (config.mail_folder, config.media);
        Self { base_url, clock, engine, database_url, mail_folder, media, owners, client, stop, folder }
    }

    /// Starts a call of the operation with this id.
    pub(crate) fn call(&self, operation: &str) -> Call<'_> {
        Call::new(self, operation)
    }

    /// Returns the HTTP client, for requests that do not belong to an operation.
    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.client
    }

    /// Opens a connection as the database owner, to cause faults and to inspect data.
    pub(crate) async fn owner(&self) -> PgConnection {
        PgConnection::connect(&self.database_url).await.unwrap()
    }

    /// Runs SQL as the database owner. Its settings apply to these statements only.
    pub(crate) async fn sql(&self, statements: &str) {
        let mut owner = self.owners.acquire().await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(statements.to_owned())).execute(&mut *owner).await.unwrap();
        sqlx::raw_sql("reset role; reset all").execute(&mut *owner).await.unwrap();
    }

    /// Runs a query that returns one number, as the database owner.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        // Not prepared, so that it is planned again each time: the tables may have changed.
        let query = sqlx::query_scalar(sqlx::AssertSqlSafe(query.to_owned())).persistent(false);
        query.fetch_one(&self.owners).await.unwrap()
    }

    /// Waits until a query returns this number.
    pub(crate) async fn until(&self, query: &str, number: i64) {
        let waited = tokio::time::timeout(LONGEST_WAIT, async {
            while self.number(query).await != number {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        });
        assert!(waited.await.is_ok(), "this did not become {number}: {query}");
    }

    /// Waits for a condition that a replica may take up to a second to see, with extra time for a busy machine.
    pub(crate) async fn soon<F: Future<Output = bool>>(&self, what: &str, holds: impl Fn() -> F) {
        let waited = tokio::time::timeout(LONGEST_WAIT, async {
            while !holds().await {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        });
        assert!(waited.await.is_ok(), "not within seconds: {what}");
    }

    /// Triggers a job with a calendar and waits until it has run. Old runs may be deleted during the wait.
    pub(crate) async fn run_job(&self, code: &str) {
        let now = self.number("select (extract(epoch from labs_now()) * 1000000)::bigint").await;
        self.sql(&format!("update job set next_run_at = labs_now() where code = '{code}'")).await;
        let ended = format!("from job_run where job = '{code}' and state = 'SUCCEEDED'");
        let since = format!("extract(epoch from created_at) * 1000000 >= {now}");
        self.until(&format!("select least(count(*), 1) {ended} and {since}"), 1).await;
    }

    /// Advances the clocks of the service and the database together.
    pub(crate) async fn advance(&self, seconds: i64) {
        self.clock.advance(seconds);
        let ahead = self.clock.ahead_seconds();
        self.sql(&format!(
            "create or replace function labs_now() returns timestamptz language sql stable
             as 'select pg_catalog.now() + interval ''{ahead} seconds'''"
        ))
        .await;
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Opens connections to a database as its owner on demand. A connection whose server was killed is replaced.
fn owners_of(database_url: &str) -> PgPool {
    PgPoolOptions::new().max_connections(8).connect_lazy(database_url).unwrap()
}
