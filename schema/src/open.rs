//! Start of the schema: migrations, connections, services.

mod address;
mod connections;
mod media;
mod migrations;
mod refusal;
mod replicas;
mod server;
mod target;

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use labs_blocking::fair::QueueLimits;
use labs_core::authority::{self, Authority};
use labs_core::budget::Budgets;
use labs_core::engine::{Engine, PreparedSchema};
use labs_core::fault::Fault;
use labs_core::identity_issuers::{IdentityIssuers, KeySetSource};
use labs_core::services::{Services, Settings};
use labs_core::time::Clock;
use labs_crypto::cursor::CursorSeal;
use labs_crypto::password::{PasswordHasher, PasswordOptions};
use labs_crypto::refresh::RefreshSeal;
use labs_crypto::sealed::MasterKey;
use labs_media::image::ImageWorkshop;
use labs_media::store::MediaStore;
use sqlx::postgres::{PgConnection, PgPool};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::time::timeout;

use self::address::Address;
pub use self::address::DatabaseUrls;
pub use self::media::open_media;
pub(crate) use self::migrations::MIGRATIONS;
pub use self::migrations::{MigrationPlan, PendingMigration, is_migrated, migrate, plan_migrations};
pub use self::refusal::OpenRefusal;
pub use self::server::check_server;
use self::target::DatabaseTarget;

/// Limits of the queue of uploaded images. If the queue is full, the service asks the client to retry. One image takes
/// at most a second or two.
const WAITING_PICTURES: QueueLimits = QueueLimits { all: 24, of_network: 12, of_account: 4 };
/// Maximum time without a response of the database while the service starts.
const SILENCE: Duration = Duration::from_secs(15);

/// Parameters for opening the schema.
pub struct OpenOptions {
    /// Addresses of the database. Every login acts as the role `labs_service`.
    pub database: DatabaseUrls,
    /// Prepared GraphQL schema.
    pub plan: Arc<PreparedSchema>,
    /// Maximum number of connections.
    pub connections: u32,
    /// Key that encrypts and authenticates data that leaves the service.
    pub key: MasterKey,
    /// Clock of the service; tests provide their own.
    pub clock: Clock,
    /// Storage of media files.
    pub media: MediaStore,
    /// Settings of the operator.
    pub settings: Settings,
    /// Reads the keys of the issuers in the settings.
    pub issuer_keys: Arc<dyn KeySetSource>,
    /// Cost of password hashes, and passwords that no user may choose.
    pub passwords: PasswordOptions,
}

/// Describes the database for requests, for a log, without its password.
///
/// # Errors
/// If the address is invalid.
pub fn describe(urls: &DatabaseUrls) -> Result<String, OpenRefusal> {
    Ok(DatabaseTarget::of(&urls.service)?.0.describe())
}

/// Opens a connection as the database's owner, and returns the database. Statement logging is disabled. A migration is
/// tens of kilobytes of SQL, and a migration of more than a second would be logged in full as a slow statement.
async fn connect_owner(address: &Address) -> Result<(PgConnection, DatabaseTarget), OpenRefusal> {
    let (target, options) = connections::options_of(address)?;
    let options = options.disable_statement_logging();
    match timeout(SILENCE, PgConnection::connect_with(&options)).await {
        Ok(Ok(owner)) => Ok((owner, target)),
        Ok(Err(error)) => Err(OpenRefusal::of(&error, &target)),
        Err(_) => Err(OpenRefusal::silent(&target)),
    }
}

/// Checks that the database answers.
///
/// # Errors
/// If it does not answer.
pub async fn ping(pool: &PgPool) -> Result<(), Fault> {
    sqlx::query("select 1").execute(pool).await?;
    Ok(())
}

/// Opens the schema over a migrated database.
///
/// # Errors
/// If the database does not answer, the master key differs from the key of the database, or the schema breaks a rule.
pub fn open(opening: OpenOptions) -> BoxFuture<'static, Result<Engine, OpenRefusal>> {
    async move {
        let pool = connections::connect(&opening.database.service, opening.connections).await?;
        let listeners = connections::listeners(&opening.database.listen)?;
        let read_replicas = replicas::open(&opening.database, opening.connections).await?;
        let inside = |fault: Fault| OpenRefusal::of_fault(&fault);
        if !authority::is_sealed_with(&pool, &opening.key).await.map_err(inside)? {
            return Err(OpenRefusal::other_key());
        }
        let key = authority::with_naming_key(&pool, opening.key).await.map_err(inside)?;
        let key = key.ok_or_else(OpenRefusal::other_key)?;
        let pools = (pool.clone(), listeners.clone());
        let authority = Authority::open(pools, opening.clock.clone(), key.clone(), &opening.settings).await;
        let authority = authority.map_err(inside)?;
        let issuers = IdentityIssuers::new(&opening.settings.trusted_issuers, opening.issuer_keys);
        let services = Services {
            cursors: CursorSeal::new(&key),
            refresh: RefreshSeal::new(&key),
            passwords: PasswordHasher::for_this_machine(opening.passwords),
            clock: opening.clock,
            budgets: Budgets::new(pool.clone()),
            listeners,
            read_replicas: read_replicas.map(Arc::new),
            media: opening.media,
            pictures: ImageWorkshop::new(1, WAITING_PICTURES),
            usage: labs_core::usage::Usage::default(),
            deprecations: Arc::default(),
            settings: opening.settings,
            authority: Arc::new(authority),
            key,
            issuers,
            of_groups: labs_core::type_map::TypeMap::default(),
        };
        Ok(Engine::new(opening.plan, pool, Arc::new(services)))
    }
    .boxed()
}
