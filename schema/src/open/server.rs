//! Requirements for a database server at start: a recent version, durable commits, and a suitable pooler in front of
//! it.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection as _, raw_sql};
use tokio::time::timeout;

use super::address::Address;
use super::connections::options_of;
use super::refusal::OpenRefusal;
use super::target::DatabaseTarget;
use super::{DatabaseUrls, SILENCE};

/// Oldest supported PostgreSQL version, with all features that migrations and statements use (`UNIQUE NULLS NOT
/// DISTINCT`).
const OLDEST: u32 = 15;
/// Timeout for a pooler to provide a second connection to the server.
const SECOND_CONNECTION: Duration = Duration::from_secs(5);

/// Rejects a database that can lose committed data or that does not support the service's connections.
///
/// # Errors
/// If the server is too old, `synchronous_commit` is off for the service, a pooler lends connections so that their
/// settings or prepared statements are lost, or the database does not answer.
pub async fn check_server(urls: &DatabaseUrls) -> Result<(), OpenRefusal> {
    // Errors in any address are reported before the service contacts the first server.
    for address in [&urls.service, &urls.migrate, &urls.listen].into_iter().chain(&urls.replicas) {
        options_of(address)?;
    }
    let (place, options) = options_of(&urls.service)?;
    let to_refusal = |error: sqlx::Error| OpenRefusal::of(&error, &place);
    let mut asking = connect(&options, &place).await?;
    if let Some(refusal) = too_old(asking.server_version_num(), &place) {
        return Err(refusal);
    }
    let asked = sqlx::query_scalar("select current_setting('synchronous_commit')").persistent(false);
    let setting: String = asked.fetch_one(&mut asking).await.map_err(to_refusal)?;
    asking.close().await.map_err(to_refusal)?;
    if setting == "off" {
        return Err(OpenRefusal::new(
            "The database runs with synchronous_commit = off and could lose acknowledged changes. Set it to on.",
        ));
    }
    if lends_for_a_transaction(&urls.listen).await? {
        let (place, _) = options_of(&urls.listen)?;
        return Err(deaf(&place, urls));
    }
    if lends_for_a_transaction(&urls.service).await? {
        check_session(&options, &place).await?;
        check_prepared(&options, &place).await?;
    }
    Ok(())
}

/// Returns the error for a server that is too old.
fn too_old(version: Option<u32>, place: &DatabaseTarget) -> Option<OpenRefusal> {
    let major = version? / 10_000;
    let text = format!(
        "{place} is PostgreSQL {major}, but Labs requires {OLDEST} or later. Upgrade it (pg_upgrade, or a dump into \
         a newer server), or name another one in {}.",
        place.setting
    );
    (major < OLDEST).then(|| OpenRefusal::new(text))
}

/// Opens a plain connection without settings.
async fn connect(options: &PgConnectOptions, place: &DatabaseTarget) -> Result<PgConnection, OpenRefusal> {
    match timeout(SILENCE, PgConnection::connect_with(options)).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(OpenRefusal::of(&error, place)),
        Err(_) => Err(OpenRefusal::silent(place)),
    }
}

/// Whether a pooler lends a server connection per transaction, as PgBouncer does with `pool_mode = transaction` (or
/// `statement`). Then a second client gets the server process that the first client used, or the first client gets
/// another process.
pub(super) async fn lends_for_a_transaction(address: &Address) -> Result<bool, OpenRefusal> {
    let (place, options) = options_of(address)?;
    let to_refusal = |error: sqlx::Error| OpenRefusal::of(&error, &place);
    let mut first = connect(&options, &place).await?;
    let before = server_of(&mut first).await.map_err(to_refusal)?;
    let mut second = match timeout(SECOND_CONNECTION, PgConnection::connect_with(&options)).await {
        Ok(connected) => connected.map_err(to_refusal)?,
        Err(_) => return Err(too_few(&place)),
    };
    raw_sql("begin").execute(&mut second).await.map_err(to_refusal)?;
    let of_second = server_of(&mut second).await.map_err(to_refusal)?;
    let after =
        timeout(SECOND_CONNECTION, server_of(&mut first)).await.map_err(|_| too_few(&place))?.map_err(to_refusal)?;
    raw_sql("rollback").execute(&mut second).await.map_err(to_refusal)?;
    second.close().await.map_err(to_refusal)?;
    first.close().await.map_err(to_refusal)?;
    Ok(before == of_second || before != after)
}

/// Returns the process id of the server that answers.
async fn server_of(connection: &mut PgConnection) -> Result<i32, sqlx::Error> {
    sqlx::query_scalar("select pg_backend_pid()").persistent(false).fetch_one(connection).await
}

/// Rejects a login without the service's connection settings: with such pooling, settings that the service makes itself
/// are lost with the transaction.
async fn check_session(options: &PgConnectOptions, place: &DatabaseTarget) -> Result<(), OpenRefusal> {
    let to_refusal = |error: sqlx::Error| OpenRefusal::of(&error, place);
    let mut asking = connect(options, place).await?;
    let asked = sqlx::query_scalar(
        "select current_user = 'labs_service'
             and current_setting('statement_timeout') <> '0'
             and current_setting('lock_timeout') <> '0'
             and current_setting('idle_in_transaction_session_timeout') <> '0'
             and current_setting('default_transaction_isolation') = 'read committed'",
    );
    let is_set: bool = asked.persistent(false).fetch_one(&mut asking).await.map_err(to_refusal)?;
    asking.close().await.map_err(to_refusal)?;
    let user = place.quoted_user();
    is_set.then_some(()).ok_or_else(|| {
        OpenRefusal::new(format!(
            "{place} is behind a connection pooler that assigns connections per transaction (pool_mode = \
             transaction), and the role {} is not configured for that. Set pool_mode to session; or run once ALTER \
             ROLE {user} SET role = 'labs_service'; ALTER ROLE {user} SET statement_timeout = '10s'; ALTER ROLE \
             {user} SET lock_timeout = '3s'; ALTER ROLE {user} SET idle_in_transaction_session_timeout = '15s'; and \
             name the owner in LABS_MIGRATE_URL.",
            place.user
        ))
    })
}

/// Rejects a pooler that loses prepared statements (SQLSTATE 26000), or gives a client the statements of another
/// (42P05).
async fn check_prepared(options: &PgConnectOptions, place: &DatabaseTarget) -> Result<(), OpenRefusal> {
    let to_refusal = |error: sqlx::Error| OpenRefusal::of(&error, place);
    let (mut first, mut second) = (connect(options, place).await?, connect(options, place).await?);
    let prepared = async {
        let one: i32 = sqlx::query_scalar("select 1").fetch_one(&mut first).await?;
        raw_sql("begin").execute(&mut second).await?;
        let two: i32 = sqlx::query_scalar("select 2").fetch_one(&mut second).await?;
        let again: i32 = sqlx::query_scalar("select 1").fetch_one(&mut first).await?;
        raw_sql("rollback").execute(&mut second).await?;
        Ok::<_, sqlx::Error>((one, two, again) == (1, 2, 1))
    };
    match timeout(SECOND_CONNECTION, prepared).await {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => Err(unprepared(place)),
        Ok(Err(error)) if is_of_prepared(&error) => Err(unprepared(place)),
        Ok(Err(error)) => Err(to_refusal(error)),
        Err(_) => Err(too_few(place)),
    }
}

fn is_of_prepared(error: &sqlx::Error) -> bool {
    let state = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    state.is_some_and(|state| matches!(&*state, "26000" | "42P05" | "08P01"))
}

fn unprepared(place: &DatabaseTarget) -> OpenRefusal {
    OpenRefusal::new(format!(
        "{place} is behind a connection pooler that assigns connections per transaction (pool_mode = transaction) \
         and loses prepared statements. Use PgBouncer 1.21 or later with max_prepared_statements of 512 or more, or \
         set pool_mode to session."
    ))
}

fn deaf(place: &DatabaseTarget, urls: &DatabaseUrls) -> OpenRefusal {
    let address = match urls.listen.setting {
        "LABS_LISTEN_DATABASE_URL" => "Set LABS_LISTEN_DATABASE_URL to another address",
        _ => "Set LABS_LISTEN_DATABASE_URL to an address of PostgreSQL itself",
    };
    OpenRefusal::new(format!(
        "{place} is behind a connection pooler that assigns connections per transaction (pool_mode = transaction), \
         so a replica would not be notified of revoked rights. {address}; each replica opens two connections there."
    ))
}

fn too_few(place: &DatabaseTarget) -> OpenRefusal {
    OpenRefusal::new(format!(
        "{place} is behind a connection pooler that did not provide a second connection within {} seconds. Raise \
         default_pool_size (and max_db_connections) above the total of LABS_DATABASE_CONNECTIONS of all replicas.",
        SECOND_CONNECTION.as_secs()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_old_server_is_rejected_by_name() {
        let address = Address { url: "postgres://labs@db.example/shop".to_owned(), setting: "DATABASE_URL" };
        let (place, _) = DatabaseTarget::of(&address).unwrap();
        let to_refusal = too_old(Some(140_012), &place).unwrap().to_string();
        assert!(to_refusal.contains("db.example:5432 is PostgreSQL 14, but Labs requires 15"), "{to_refusal}");
        assert!(too_old(Some(150_000), &place).is_none());
        assert!(too_old(None, &place).is_none());
    }
}
