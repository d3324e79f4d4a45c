//! Connections of the service: with the service's role and a timeout for everything
//! (docs/decisions/database.md#settings-of-a-connection).

use std::time::Duration;

use labs_core::demotion;
use labs_core::pool_lane::PATIENCE;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{Connection as _, Row as _};
use tokio::time::timeout;

use super::address::Address;
use super::refusal::OpenRefusal;
use super::target::{self, DatabaseTarget};

/// Maximum idle time after which a connection is used without a test, and the timeout of that test. Under load few
/// connections are idle for so long. After a quiet hour the server may have closed them all.
const TRUSTED_IDLE: Duration = Duration::from_millis(500);

/// Maximum number of prepared statements per connection. The service has fewer statements.
const STATEMENTS: usize = 512;

/// Initial statements of a connection. The settings are statements because PgBouncer does not forward `options` of the
/// address. The last statement returns whether the server accepts writes.
///
/// The session sets the isolation level for a plain BEGIN. A level in each BEGIN costs the server more than the BEGIN
/// itself. JIT compilation takes seconds with many partitions, and no statement of a request runs long enough to
/// benefit. Parallel workers shorten few statements, and some then take up to 1.6 times the processor time.
const SESSION: &str = "set role labs_service; set statement_timeout = '10s'; set lock_timeout = '3s'; set \
                       idle_in_transaction_session_timeout = '15s'; set default_transaction_isolation = 'read \
                       committed'; set jit = off; set max_parallel_workers_per_gather = 0; select \
                       current_setting('transaction_read_only')";

/// Initial statements of a connection to a read replica, which accepts no writes.
const SESSION_OF_REPLICA: &str = "set role labs_service; set statement_timeout = '2s'; set \
                                  idle_in_transaction_session_timeout = '15s'; set default_transaction_isolation = \
                                  'read committed'; set jit = off; set max_parallel_workers_per_gather = 0";

/// Number of listening connections: one for rights, one for media.
const LISTENERS: u32 = 2;

/// Builds the connection options for an address.
pub(super) fn options_of(address: &Address) -> Result<(DatabaseTarget, PgConnectOptions), OpenRefusal> {
    let (target, options) = DatabaseTarget::of(address)?;
    // PgBouncer rejects unknown parameters. Numbers are transferred in binary, which this setting does not affect.
    Ok((target, options.application_name("labs").extra_float_digits(None)))
}

/// Opens the connection pool for requests and jobs.
pub(super) async fn connect(address: &Address, connections: u32) -> Result<PgPool, OpenRefusal> {
    for name in target::ignored_parameters(&address.url) {
        tracing::warn!(parameter = name, "{} contains a parameter that this service ignores", address.setting);
    }
    let (target, options) = options_of(address)?;
    let options = options.statement_cache_capacity(STATEMENTS);
    // A pool would retry without reporting the reason.
    let to_refusal = |error: sqlx::Error| OpenRefusal::of(&error, &target);
    let mut first = timeout(super::SILENCE, PgConnection::connect_with(&options))
        .await
        .map_err(|_| OpenRefusal::silent(&target))?
        .map_err(to_refusal)?;
    begin(&mut first).await.map_err(to_refusal)?;
    first.close().await.map_err(to_refusal)?;
    let pool = pool_of(connections)
        .min_connections(connections.min(2))
        .before_acquire(|connection, known| {
            Box::pin(async move {
                if demotion::is_before(known.age) {
                    return Ok(false);
                }
                if known.idle_for >= TRUSTED_IDLE {
                    // If the connection is dead, the pool opens another one in the remaining time of the request.
                    timeout(TRUSTED_IDLE, connection.ping()).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
                }
                Ok(true)
            })
        })
        .connect_with(options)
        .await;
    pool.map_err(to_refusal)
}

/// Creates the pool for the listeners, which opens connections on first use.
pub(super) fn listeners(address: &Address) -> Result<PgPool, OpenRefusal> {
    let (_, options) = options_of(address)?;
    Ok(pool_of(LISTENERS).connect_lazy_with(options))
}

/// Creates the pool for a read replica, which opens connections on first use. The read replica need not answer when the
/// service starts.
pub(super) fn replica(options: PgConnectOptions, connections: u32) -> PgPool {
    usual_pool(connections)
        .after_connect(|connection, _| {
            Box::pin(async move { sqlx::raw_sql(SESSION_OF_REPLICA).execute(connection).await.map(drop) })
        })
        .connect_lazy_with(options.statement_cache_capacity(STATEMENTS))
}

fn pool_of(connections: u32) -> PgPoolOptions {
    usual_pool(connections).after_connect(|connection, _| Box::pin(begin(connection)))
}

fn usual_pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new().max_connections(connections).acquire_timeout(PATIENCE).test_before_acquire(false)
}

/// Initializes a connection. A server that accepts no writes is rejected: it follows another server, to which the
/// address resolves shortly.
async fn begin(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let answer = sqlx::raw_sql(SESSION).fetch_one(connection).await?;
    match answer.try_get(0)? {
        "off" => Ok(()),
        _ => Err(sqlx::Error::Protocol("the server does not accept writes: it is a standby, or read-only".to_owned())),
    }
}
