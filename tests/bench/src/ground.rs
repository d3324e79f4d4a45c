//! Shared setup of every form: one private PostgreSQL with generated rows, and clients with tokens.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context as _;
use clap::Parser as _;
use http::Method;
use labs::cli::{Cli, Command};
use labs::cluster::{Cluster, Settings};
use labs::folder::Folder;
use labs::wiring;
use labs_schema::Engine;
use labs_schema::open::DatabaseUrls;
use labs_schema::operator::{self, NewClient};
use labs_schema::time::Clock;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use uuid::Uuid;

use crate::forms::Running;
use crate::load;

/// Number of machine clients whose tokens are used in turn, because each has a separate budget.
pub(crate) const CLIENTS: usize = 64;
/// The partner whose apps are listed and changed.
pub(crate) const PARTNER: Uuid = Uuid::from_u128(0x0198_bbbb_0000_7000_8000_0000_0000_0001);

/// Default number of apps per partner.
pub(crate) const APIECE: u32 = 100;

/// The prepared database, its folder and its clients.
pub(crate) struct PreparedData {
    cluster: Cluster,
    folder: tempfile::TempDir,
    apps: AtomicU32,
    first: u32,
    /// Apps per partner. More apps mean more partners.
    apiece: u32,
    documents: Documents,
    credentials: Vec<Credentials>,
}

/// Numbers of rows, from which requests choose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    /// Number of apps.
    pub(crate) apps: u32,
    /// Number of partners.
    pub(crate) partners: u32,
    /// [`PARTNER`] owns each app whose number is a multiple of this.
    step: u32,
}

impl Numbers {
    /// Returns the number of the app at this index among the first apps of [`PARTNER`].
    pub(crate) fn own_app(&self, index: usize) -> u32 {
        self.step * (1 + u32::try_from(index).unwrap_or_default())
    }

    /// Returns the app of [`PARTNER`] that has one percent of all customer reviews.
    pub(crate) fn favourite(&self) -> u32 {
        self.own_app(0)
    }
}

/// How the search documents of the listings are created.
#[derive(Clone, Copy)]
pub(crate) enum Documents {
    /// By the service's own triggers, which take some milliseconds per listing.
    OneByOne,
    /// By one statement.
    AtOnce,
}

impl PreparedData {
    /// Starts PostgreSQL and inserts this many apps, `apiece` of them per partner.
    pub(crate) async fn prepare(apps: u32, apiece: u32, documents: Documents) -> anyhow::Result<Self> {
        let mut ground = Self { apiece, documents, ..Self::empty(apps).await? };
        ground.grow(apps).await?;
        ground.create_clients().await?;
        Ok(ground)
    }

    /// Starts an empty PostgreSQL, to be grown first to this many apps.
    pub(crate) async fn empty(first: u32) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let cluster = Cluster::start(&Folder::open(folder.path())?, &Settings::default()).await?;
        wiring::migrate(&DatabaseUrls::new(cluster.url())).await?;
        Ok(Self {
            cluster,
            folder,
            apps: AtomicU32::new(0),
            first,
            apiece: APIECE,
            documents: Documents::OneByOne,
            credentials: Vec::new(),
        })
    }

    /// Grows the tables to this many apps.
    pub(crate) async fn grow(&self, apps: u32) -> anyhow::Result<()> {
        let partners = (apps / self.apiece).to_string();
        let seed = include_str!("seed.sql").replace(":apps", &apps.to_string()).replace(":partners", &partners);
        let seed = match self.documents {
            Documents::OneByOne => seed,
            Documents::AtOnce => {
                let triggers = |what: &str| format!("alter table listing_category {what} trigger user;");
                [triggers("disable"), seed, include_str!("documents.sql").to_owned(), triggers("enable")].concat()
            }
        };
        self.seed(seed).await?;
        self.apps.store(apps, Ordering::Relaxed);
        Ok(())
    }

    /// Grows the customer reviews to ten per app, and publishes collections and changelog entries.
    pub(crate) async fn furnish(&self) -> anyhow::Result<()> {
        let numbers =
            [(":reviews", 10 * self.apps()), (":apps", self.apps()), (":favourite", self.numbers().favourite())];
        let seed = include_str!("storefront.sql").to_owned();
        self.seed(numbers.into_iter().fold(seed, |seed, (name, number)| seed.replace(name, &number.to_string()))).await
    }

    /// Grows the board to this many feature requests, each with fifty votes and ten comments.
    pub(crate) async fn seed_board(&self, requests: u32) -> anyhow::Result<()> {
        self.seed(include_str!("board/board.sql").replace(":requests", &requests.to_string())).await
    }

    /// Returns the folder of the service: secrets, files and mail.
    pub(crate) fn service(&self) -> PathBuf {
        self.folder.path().join("service")
    }

    /// Returns the folder of the database.
    pub(crate) fn database_folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the numbers of the rows.
    pub(crate) fn numbers(&self) -> Numbers {
        Numbers { apps: self.apps(), partners: self.apps() / self.apiece, step: self.first / self.apiece }
    }

    /// Runs these statements as the database owner, then brings the tables into the state of long-lived tables (vacuum,
    /// analyze, checkpoint).
    pub(crate) async fn seed(&self, statements: String) -> anyhow::Result<()> {
        let mut owner = self.owner().await?;
        sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut owner).await?;
        sqlx::raw_sql("vacuum analyze").execute(&mut owner).await?;
        sqlx::raw_sql("checkpoint").execute(&mut owner).await?;
        Ok(())
    }

    /// Opens a connection as the database owner.
    pub(crate) async fn owner(&self) -> anyhow::Result<PgConnection> {
        Ok(PgConnection::connect(self.database()).await?)
    }

    /// Returns the URL of the database for its owner.
    pub(crate) fn database(&self) -> &str {
        self.cluster.url()
    }

    /// Returns the number of apps.
    pub(crate) fn apps(&self) -> u32 {
        self.apps.load(Ordering::Relaxed)
    }

    /// Starts the form with this name on this database.
    pub(crate) async fn form(&self, name: &str) -> anyhow::Result<Running> {
        self.form_by(name, self.database()).await
    }

    /// Starts a form that connects to the database at this URL.
    pub(crate) async fn form_by(&self, name: &str, database: &str) -> anyhow::Result<Running> {
        Running::start(name, database, &self.service(), &[]).await
    }

    /// Starts the service with these environment variables for metrics and traces.
    pub(crate) async fn watched(&self, variables: &[(&str, String)]) -> anyhow::Result<Running> {
        Running::start("watched", self.database(), &self.service(), variables).await
    }

    /// Opens the service's engine, to create data that no request can create.
    pub(crate) async fn inside(&self) -> anyhow::Result<Engine> {
        let place = self.service();
        let words = ["labs", "serve", "--folder", &place.to_string_lossy(), "--database-url", self.database()];
        let Command::Serve(serve) = Cli::parse_from(words).command else { anyhow::bail!("`serve` is a command") };
        let config = serve.settle()?;
        let (media, database) = (wiring::media(&config).await?, DatabaseUrls::new(self.database()));
        let application = wiring::application(&config, media, &database, "http://bench", Clock::default()).await?;
        Ok(application.engine().clone())
    }

    /// Creates the clients: the first belongs to [`PARTNER`], the others are of staff.
    pub(crate) async fn create_clients(&mut self) -> anyhow::Result<()> {
        let engine = self.inside().await?;
        let mut credentials = Vec::new();
        for number in 0..=CLIENTS {
            let (scopes, partner_uuid): (&[&str], _) = match number {
                0 => (&["marketplace.apps:write", "marketplace.reviews", "storefront", "partner.team"], Some(PARTNER)),
                _ => (&["labs.admin.clients"], None),
            };
            credentials.push(client(&engine, &format!("bench {number}"), scopes, partner_uuid).await?);
        }
        engine.pool().close().await;
        self.credentials = credentials;
        Ok(())
    }

    /// Issues a token for each client; the partner's client is first.
    pub(crate) async fn tokens(&self, service: &Running) -> anyhow::Result<Vec<String>> {
        let mut tokens = Vec::new();
        for credentials in &self.credentials {
            tokens.push(token(service, credentials).await?);
        }
        Ok(tokens)
    }
}

/// Client id and client secret of a machine client.
pub(crate) type Credentials = (String, String);

/// Creates a machine client with these scopes, bound to a partner or to none.
pub(crate) async fn client(
    engine: &Engine,
    name: &str,
    scopes: &[&str],
    partner_uuid: Option<Uuid>,
) -> anyhow::Result<Credentials> {
    let scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    let new = NewClient { name: name.to_owned(), scopes, partner_uuid, networks: Vec::new() };
    let made = operator::client_create(engine.pool(), engine.services(), new).await;
    let made = made.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    Ok((made.client_id, made.secret))
}

/// Issues an access token for a machine client, valid for an hour.
pub(crate) async fn token(service: &Running, (id, secret): &Credentials) -> anyhow::Result<String> {
    let body = format!("grant_type=password&username={id}&password={secret}").into_bytes();
    let body = Some(("application/x-www-form-urlencoded", body));
    let answer = load::send(service, Method::POST, "/v1/oauth/token", None, body).await?.json()?;
    let token = answer.get("access_token").and_then(serde_json::Value::as_str).context("no token")?;
    Ok(token.to_owned())
}
