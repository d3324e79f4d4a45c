//! Opening the inside: migrations, connections, services.

mod place;
mod refusal;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, LocalBoxFuture};
use sqlx::postgres::{PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _, migrate::Migrator};
use tokio::time::timeout;

use self::place::Place;
pub use self::refusal::OpenRefusal;
use crate::core::authority::{self, Authority};
use crate::core::blocking::fair::QueueLimits;
use crate::core::budget::Budgets;
use crate::core::crypto::cursor::CursorSeal;
use crate::core::crypto::password::PasswordHasher;
use crate::core::crypto::refresh::RefreshSeal;
use crate::core::crypto::sealed::MasterKey;
use crate::core::engine::{Engine, PreparedSchema};
use crate::core::fault::Fault;
use crate::core::media::image::ImageWorkshop;
use crate::core::pool_lane::PATIENCE;
use crate::core::services::{Services, Settings};
use crate::core::time::Clock;

/// Pictures that may wait for their turn; the next is told to come again. One takes a second or two at most.
const WAITING_PICTURES: QueueLimits = QueueLimits { all: 24, of_network: 12, of_account: 4 };
/// How long a connection may lie idle and be used untested, and the longest that its test takes. Under load few lie for so
/// long; after a quiet hour the server may have ended them all.
const TRUSTED_IDLE: Duration = Duration::from_millis(500);

/// How long the database may say nothing while the service starts.
const SILENCE: Duration = Duration::from_secs(15);

/// The migrations that a database has.
const APPLIED: &str = "select version from _sqlx_migrations where success";

static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// What the inside is opened with.
pub struct OpenOptions {
    /// The database as its owner; the service itself acts as the role `labs_service`.
    pub database_url: String,
    /// The schema.
    pub plan: Arc<PreparedSchema>,
    /// Most connections.
    pub connections: u32,
    /// Seals and authenticates what leaves the service.
    pub key: MasterKey,
    /// The clock; tests bring their own.
    pub clock: Clock,
    /// Where the files lie.
    pub media_folder: std::path::PathBuf,
    /// What the operator configured.
    pub settings: Settings,
}

/// Brings the database up to date, and answers how many migrations it lacked. Several replicas may start at once: one
/// migrates, the others wait.
///
/// # Errors
/// When a migration fails or the database was migrated by a newer version.
pub fn migrate(database_url: &str) -> LocalBoxFuture<'_, Result<usize, OpenRefusal>> {
    async move {
        let (mut owner, place) = connect_owner(database_url).await?;
        let told = |error: sqlx::Error| OpenRefusal::of(&error, &place);
        let is_new = sqlx::query_scalar("select to_regclass('_sqlx_migrations') is null");
        let is_new: bool = is_new.fetch_one(&mut owner).await.map_err(told)?;
        let applied: Vec<i64> = match is_new {
            true => Vec::new(),
            false => sqlx::query_scalar(APPLIED).fetch_all(&mut owner).await.map_err(told)?,
        };
        MIGRATIONS.run(&mut owner).await.map_err(|error| OpenRefusal::of_migration(&error, &place))?;
        owner.close().await.map_err(told)?;
        Ok(MIGRATIONS.iter().filter(|migration| !applied.contains(&migration.version)).count())
    }
    .boxed_local()
}

/// Which database an address names, for a log: without its password.
///
/// # Errors
/// When the address cannot be read.
pub fn describe(database_url: &str) -> Result<String, OpenRefusal> {
    Ok(Place::of(database_url)?.0.describe())
}

/// A connection as the database's owner, and which database it is. A migration is tens of kilobytes of SQL, and one that
/// takes longer than a second would be logged whole as a slow statement.
async fn connect_owner(database_url: &str) -> Result<(PgConnection, Place), OpenRefusal> {
    let (place, options) = Place::of(database_url)?;
    let options = options.disable_statement_logging();
    match timeout(SILENCE, PgConnection::connect_with(&options)).await {
        Ok(Ok(owner)) => Ok((owner, place)),
        Ok(Err(error)) => Err(OpenRefusal::of(&error, &place)),
        Err(_) => Err(OpenRefusal::silent(&place)),
    }
}

/// Refuses a database that would lose what it acknowledged.
///
/// # Errors
/// When `synchronous_commit` is off for the service, or the database cannot be asked.
pub async fn check_durability(database_url: &str) -> Result<(), OpenRefusal> {
    let (mut owner, place) = connect_owner(database_url).await?;
    let told = |error: sqlx::Error| OpenRefusal::of(&error, &place);
    let asked = sqlx::query_scalar("select current_setting('synchronous_commit')").fetch_one(&mut owner);
    let setting: String = asked.await.map_err(told)?;
    owner.close().await.map_err(told)?;
    if setting == "off" {
        return Err(OpenRefusal::new(
            "The database runs with synchronous_commit = off and would lose what was acknowledged. Set it to on.",
        ));
    }
    Ok(())
}

/// Whether every migration of this binary is applied.
///
/// # Errors
/// When the database is away.
pub async fn is_migrated(pool: &PgPool) -> Result<bool, Fault> {
    let applied: Vec<i64> = sqlx::query_scalar(APPLIED).fetch_all(pool).await?;
    Ok(MIGRATIONS.iter().all(|migration| applied.contains(&migration.version)))
}

/// Whether the database answers.
///
/// # Errors
/// When it does not.
pub async fn ping(pool: &PgPool) -> Result<(), Fault> {
    sqlx::query("select 1").execute(pool).await?;
    Ok(())
}

/// Opens the inside over a migrated database.
///
/// # Errors
/// When the database is away, the master key is not the one it was sealed with, or the schema breaks a rule.
pub fn open(opening: OpenOptions) -> BoxFuture<'static, Result<Engine, OpenRefusal>> {
    async move {
        let pool = connect(&opening.database_url, opening.connections).await?;
        let inside = |fault: Fault| OpenRefusal::of_fault(&fault);
        if !authority::is_sealed_with(&pool, &opening.key).await.map_err(inside)? {
            return Err(OpenRefusal::other_key());
        }
        let authority =
            Authority::open(pool.clone(), opening.clock.clone(), opening.key.clone(), &opening.settings).await;
        let authority = authority.map_err(inside)?;
        let services = Services {
            cursors: CursorSeal::new(&opening.key),
            refresh: RefreshSeal::new(&opening.key),
            passwords: PasswordHasher::for_this_machine(),
            clock: opening.clock,
            budgets: Budgets::new(pool.clone()),
            media: media(&opening.media_folder).map_err(inside)?,
            pictures: ImageWorkshop::new(1, WAITING_PICTURES),
            usage: crate::core::usage::Usage::default(),
            deprecations: Arc::default(),
            settings: opening.settings,
            authority: Arc::new(authority),
            key: opening.key,
            of_groups: crate::core::type_map::TypeMap::default(),
        };
        Ok(Engine::new(opening.plan, pool, Arc::new(services)))
    }
    .boxed()
}

fn media(folder: &Path) -> Result<crate::core::media::store::MediaStore, Fault> {
    crate::core::media::store::MediaStore::in_folder(folder).map_err(Fault::internal)
}

/// Connections of the service: as its own role, with a time limit for everything (docs/decisions.md#database).
async fn connect(database_url: &str, connections: u32) -> Result<PgPool, OpenRefusal> {
    let (place, options) = Place::of(database_url)?;
    for name in place::unknown_parameters(database_url) {
        tracing::warn!(
            parameter = name,
            "DATABASE_URL has a parameter that this service does not know: it counts for nothing"
        );
    }
    let options = options.application_name("labs").statement_cache_capacity(512).options([
        ("role", "labs_service"),
        ("statement_timeout", "10s"),
        ("lock_timeout", "3s"),
        ("idle_in_transaction_session_timeout", "15s"),
        // What a plain BEGIN begins. To say it in each costs the server more than the BEGIN.
        ("default_transaction_isolation", "read committed"),
    ]);
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .min_connections(connections.min(2))
        .acquire_timeout(PATIENCE)
        .test_before_acquire(false)
        .before_acquire(|connection, known| {
            Box::pin(async move {
                if known.idle_for >= TRUSTED_IDLE {
                    // Another is opened where it is dead, in what is left of the request's patience.
                    timeout(TRUSTED_IDLE, connection.ping()).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
                }
                Ok(true)
            })
        })
        .connect_with(options)
        .await;
    pool.map_err(|error| OpenRefusal::of(&error, &place))
}
