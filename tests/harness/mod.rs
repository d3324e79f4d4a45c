//! The house that tests live in: a service of their own, over HTTP, on real PostgreSQL.
//!
//! One private PostgreSQL serves the whole run; every test has a database of its own, copied from a
//! migrated template, and a service in its own process memory on a free port. Tests come in by public
//! doors only: they call operations by id, never by URL, and every answer is held against the contract.

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
use labs_schema::media::store::MediaPlace;
use labs_schema::time::Clock;
use sqlx::postgres::PgPoolOptions;
use sqlx::{Connection as _, PgConnection, PgPool};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub(crate) use call::{Answer, Call, contract};
pub(crate) use follower::{Followed, database_at};
pub(crate) use held::{Held, WAITING};
pub(crate) use media::{FaultyBucket, StoreFault};
pub(crate) use pooler::Pooler;
pub(crate) use replica::Replica;

/// Where a replica keeps the key from which its others are derived, unless it is told.
const MASTER_KEY: &str = "secrets/master.key";

/// Budgets of networks that no test spends. A house with flags of its own has them where they are among those.
pub(crate) const ROOMY: &[&str] =
    &["--anonymous-per-second", "100000", "--anonymous-per-day", "10000000", "--attempts-per-minute", "100000"];

/// The flags of a house behind a proxy on this machine, which tells where callers come from.
pub(crate) fn behind_a_proxy() -> Vec<&'static str> {
    [&["--trusted-proxies", "127.0.0.0/8"], ROOMY].concat()
}

/// A running service with a database of its own.
pub(crate) struct Harness {
    /// Its address.
    pub(crate) base_url: String,
    /// Its clock; the database's is moved with it.
    pub(crate) clock: Clock,
    /// The inside, for the few tests that must see it.
    pub(crate) engine: Engine,
    /// The database as its owner.
    pub(crate) database_url: String,
    /// Where mail is written.
    pub(crate) mail_folder: PathBuf,
    /// Where its files lie.
    media: MediaPlace,
    /// Connections as its owner. Whoever waits asks again and again, and a new one each time would cost more than the test.
    owners: PgPool,
    client: reqwest::Client,
    stop: CancellationToken,
    folder: tempfile::TempDir,
}

impl Harness {
    /// A fresh one.
    pub(crate) async fn new() -> Self {
        Self::with(&[]).await
    }

    /// A fresh one started with these flags.
    pub(crate) async fn with(flags: &[&str]) -> Self {
        let database_url = cluster::fresh_database().await;
        Self::over(database_url, flags).await
    }

    /// A service over a database that is there: a second replica.
    pub(crate) async fn over(database_url: String, flags: &[&str]) -> Self {
        Self::replica(database_url, flags, None, media::fresh_place().await).await
    }

    /// A fresh one whose files lie in this place.
    pub(crate) async fn with_media(place: MediaPlace) -> Self {
        Self::replica(cluster::fresh_database().await, &[], None, Some(place)).await
    }

    /// A replica beside this one, with flags of its own: the same database, keys, name, time, mail and files, another address.
    pub(crate) async fn twin(&self, flags: &[&str]) -> Self {
        Self::replica(self.database_url.clone(), flags, Some(self), Some(self.media.clone())).await
    }

    /// Sends its calls to this address from now on, each over a connection of its own.
    pub(crate) fn stand_behind(&mut self, address: std::net::SocketAddr) {
        self.base_url = format!("http://{address}");
        self.client = reqwest::Client::builder().pool_max_idle_per_host(0).build().unwrap();
    }

    /// Looks into this database from now on.
    pub(crate) fn look_into(&mut self, database_url: String) {
        self.owners = owners_of(&database_url);
        self.database_url = database_url;
    }

    /// The key from which the service's other keys are derived.
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
        let fixed = fixed.into_iter().chain(["--database-connections", "6"]);
        let own = ["--own-per-second", "100000"];
        let words =
            fixed.chain(own).chain(ROOMY.iter().copied().filter(|_| flags.is_empty())).chain(flags.iter().copied());
        let Command::Serve(serve) = Cli::try_parse_from(words).unwrap().command else { panic!("`serve` is a command") };
        let mut config = serve.settle().unwrap();
        if let Some(first) = beside {
            config.mail_folder.clone_from(&first.mail_folder);
        }
        config.media = media.unwrap_or(config.media);
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

    /// Begins a call of the operation of this id.
    pub(crate) fn call(&self, operation: &str) -> Call<'_> {
        Call::new(self, operation)
    }

    /// The client, for requests that are no operation's.
    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.client
    }

    /// A connection as the database's owner, to break things and to look behind them.
    pub(crate) async fn owner(&self) -> PgConnection {
        PgConnection::connect(&self.database_url).await.unwrap()
    }

    /// Runs SQL as the database's owner. What it sets holds for these statements alone.
    pub(crate) async fn sql(&self, statements: &str) {
        let mut owner = self.owners.acquire().await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(statements.to_owned())).execute(&mut *owner).await.unwrap();
        sqlx::raw_sql("reset role; reset all").execute(&mut *owner).await.unwrap();
    }

    /// Asks for one number as the database's owner.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        // Planned anew each time: the tables may have changed.
        let query = sqlx::query_scalar(sqlx::AssertSqlSafe(query.to_owned())).persistent(false);
        query.fetch_one(&self.owners).await.unwrap()
    }

    /// Waits until a query answers this number.
    pub(crate) async fn until(&self, query: &str, number: i64) {
        let waited = tokio::time::timeout(std::time::Duration::from_secs(60), async {
            while self.number(query).await != number {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        });
        assert!(waited.await.is_ok(), "this did not become {number}: {query}");
    }

    /// Waits until something holds that takes a replica up to a second to learn, on a machine that may be busy.
    pub(crate) async fn soon<F: Future<Output = bool>>(&self, what: &str, holds: impl Fn() -> F) {
        let waited = tokio::time::timeout(std::time::Duration::from_secs(20), async {
            while !holds().await {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        });
        assert!(waited.await.is_ok(), "not within seconds: {what}");
    }

    /// Has a job with a calendar run, and waits until it has. Runs of long ago may be tidied away meanwhile.
    pub(crate) async fn run_job(&self, code: &str) {
        let now = self.number("select (extract(epoch from labs_now()) * 1000000)::bigint").await;
        self.sql(&format!("update job set next_run_at = labs_now() where code = '{code}'")).await;
        let ended = format!("from job_run where job = '{code}' and state = 'SUCCEEDED'");
        let since = format!("extract(epoch from created_at) * 1000000 >= {now}");
        self.until(&format!("select least(count(*), 1) {ended} and {since}"), 1).await;
    }

    /// Moves the service's and the database's clock ahead together.
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

/// Connections to a database as its owner, made when they are needed. One whose server was killed meanwhile is made anew.
fn owners_of(database_url: &str) -> PgPool {
    PgPoolOptions::new().max_connections(8).connect_lazy(database_url).unwrap()
}
