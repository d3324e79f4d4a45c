//! Start of the read replicas of the database.

use std::time::Duration;

use labs_core::read_replicas::ReadReplicas;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use tokio::time::timeout;

use super::address::DatabaseUrls;
use super::connections;
use super::refusal::OpenRefusal;

/// Maximum time without a response of a server before the service starts without it.
const SILENCE: Duration = Duration::from_secs(3);

/// Statement that returns the identity of a server's data and whether it follows another server.
const IDENTITY: &str = "select system_identifier, pg_is_in_recovery(), current_database() from pg_control_system()";

/// Opens the configured read replicas. A read replica that does not answer is used once it answers.
///
/// # Errors
/// If an address is invalid, or names another database.
pub(super) async fn open(urls: &DatabaseUrls, connections: u32) -> Result<Option<ReadReplicas>, OpenRefusal> {
    if urls.replicas.is_empty() {
        return Ok(None);
    }
    let (_, leader) = connections::options_of(&urls.listen)?;
    let leader = leader.disable_statement_logging();
    let own = identity(&leader).await.ok();
    let mut pools = Vec::new();
    for address in &urls.replicas {
        let (place, options) = connections::options_of(address)?;
        match (identity(&options).await, &own) {
            (Ok((theirs, _)), Some((own, _))) if theirs != *own => return Err(OpenRefusal::no_replica(&place)),
            (Ok((_, true)), _) => {}
            (Ok((_, false)), _) => tracing::warn!(
                replica = place.host(),
                "a server in LABS_READ_DATABASE_URLS is a primary; it is used as soon as it follows another server"
            ),
            (Err(error), _) => tracing::warn!(
                replica = place.host(),
                cause = %OpenRefusal::of(&error, &place),
                "a read replica does not answer; it is used as soon as it answers"
            ),
        }
        let pool = connections::replica(options.clone(), connections);
        pools.push((place.host().to_owned(), options.disable_statement_logging(), pool));
    }
    Ok(Some(ReadReplicas::new(leader, pools)))
}

/// Loads the identity of a server's data, and whether it follows another server.
async fn identity(options: &PgConnectOptions) -> Result<((i64, String), bool), sqlx::Error> {
    let asked = async {
        let mut server = PgConnection::connect_with(options).await?;
        let row = sqlx::raw_sql(IDENTITY).fetch_one(&mut server).await?;
        server.close().await?;
        Ok(((row.try_get(0)?, row.try_get(2)?), row.try_get(1)?))
    };
    timeout(SILENCE, asked).await.map_err(|_| sqlx::Error::PoolTimedOut)?
}
