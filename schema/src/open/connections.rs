//! The service's own connections: as its own role, with a time limit for everything (docs/decisions.md#database).

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{Connection as _, Row as _};
use tokio::time::timeout;

use super::address::Address;
use super::place::{self, Place};
use super::refusal::OpenRefusal;
use crate::core::demotion;
use crate::core::pool_lane::PATIENCE;

/// How long a connection may lie idle and be used untested, and the longest that its test takes. Under load few lie for so
/// long; after a quiet hour the server may have ended them all.
const TRUSTED_IDLE: Duration = Duration::from_millis(500);

/// Most statements that a connection keeps prepared. The service has fewer.
const STATEMENTS: usize = 512;

/// What a connection begins with. Statements say it, since PgBouncer passes on no `options` of the address; the last one
/// answers whether the server takes writes.
///
/// The isolation is what a plain BEGIN begins: to say it in each costs the server more than the BEGIN. To compile a statement
/// takes seconds where there are many partitions, and no statement of a request runs for so long that it pays.
const SESSION: &str = "set role labs_service; set statement_timeout = '10s'; set lock_timeout = '3s'; set \
                       idle_in_transaction_session_timeout = '15s'; set default_transaction_isolation = 'read \
                       committed'; set jit = off; select current_setting('transaction_read_only')";

/// The same at a read replica, which takes no writes.
const SESSION_OF_REPLICA: &str = "set role labs_service; set statement_timeout = '2s'; set \
                                  idle_in_transaction_session_timeout = '15s'; set default_transaction_isolation = \
                                  'read committed'; set jit = off";

/// Who listens for changes: one for rights, one for pictures.
const LISTENERS: u32 = 2;

/// How a part of the service connects to this address.
pub(super) fn options_of(address: &Address) -> Result<(Place, PgConnectOptions), OpenRefusal> {
    let (place, options) = Place::of(address)?;
    // PgBouncer refuses what it does not know. Numbers come in binary, which this does not touch.
    Ok((place, options.application_name("labs").extra_float_digits(None)))
}

/// The pool of requests and jobs.
pub(super) async fn connect(address: &Address, connections: u32) -> Result<PgPool, OpenRefusal> {
    for name in place::ignored_parameters(&address.url) {
        tracing::warn!(parameter = name, "{} contains a parameter that this service ignores", address.setting);
    }
    let (place, options) = options_of(address)?;
    let options = options.statement_cache_capacity(STATEMENTS);
    // A pool would try again and again, and never say why in vain.
    let told = |error: sqlx::Error| OpenRefusal::of(&error, &place);
    let mut first = timeout(super::SILENCE, PgConnection::connect_with(&options))
        .await
        .map_err(|_| OpenRefusal::silent(&place))?
        .map_err(told)?;
    begin(&mut first).await.map_err(told)?;
    first.close().await.map_err(told)?;
    let pool = pool_of(connections)
        .min_connections(connections.min(2))
        .before_acquire(|connection, known| {
            Box::pin(async move {
                if demotion::is_before(known.age) {
                    return Ok(false);
                }
                if known.idle_for >= TRUSTED_IDLE {
                    // Another is opened where it is dead, in what is left of the request's patience.
                    timeout(TRUSTED_IDLE, connection.ping()).await.map_err(|_| sqlx::Error::PoolTimedOut)??;
                }
                Ok(true)
            })
        })
        .connect_with(options)
        .await;
    pool.map_err(told)
}

/// The connections of those who listen for changes, opened when they begin to.
pub(super) fn listeners(address: &Address) -> Result<PgPool, OpenRefusal> {
    let (_, options) = options_of(address)?;
    Ok(pool_of(LISTENERS).connect_lazy_with(options))
}

/// The connections to a read replica, opened when it is first asked. It need not answer when the service starts.
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

/// Makes a connection the service's. A server that takes no writes is none to begin with: it follows another one, which
/// the address leads to in a moment.
async fn begin(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let answer = sqlx::raw_sql(SESSION).fetch_one(connection).await?;
    match answer.try_get(0)? {
        "off" => Ok(()),
        _ => Err(sqlx::Error::Protocol("the server does not accept writes: it is a standby, or read-only".to_owned())),
    }
}
