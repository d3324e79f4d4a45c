//! Reasons why the schema cannot be opened, for the operator: the error, its place and the remedy.

use std::io::ErrorKind;

use labs_core::fault::{Code, Fault};
use sqlx::migrate::MigrateError;

use super::SILENCE;
use super::target::DatabaseTarget;

/// Reason why the schema cannot be opened. Its text is for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OpenRefusal(String);

impl OpenRefusal {
    /// Creates a refusal with this text.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The database does not respond, whether or not it accepted the connection.
    pub(super) fn silent(place: &DatabaseTarget) -> Self {
        let setting = place.setting;
        Self(format!(
            "{} did not answer within {} seconds. Check it and the network in front of it (firewall, network \
             policy), or name another database in {setting}.",
            place.whole(),
            SILENCE.as_secs()
        ))
    }

    /// Migrations would use connections that a pooler lends per transaction.
    pub(super) fn needs_a_session(place: &DatabaseTarget) -> Self {
        Self(format!(
            "{place} needs migrations, but a connection pooler in front of it assigns connections per transaction \
             (pool_mode = transaction). Set LABS_MIGRATE_URL to an address of PostgreSQL itself."
        ))
    }

    /// The address is not a read replica of this database.
    pub(super) fn no_replica(place: &DatabaseTarget) -> Self {
        Self(format!(
            "{} is not a replica of the database in DATABASE_URL: its data differs. Name servers that follow that \
             database in {}, separated by commas.",
            place.whole(),
            place.setting
        ))
    }

    /// The master key differs from the key of the database.
    pub(super) fn other_key() -> Self {
        Self::new(
            "The data of this database was sealed with another master key. Name the file of that key with \
             --master-key-file or LABS_MASTER_KEY_FILE; every replica needs the same key.",
        )
    }

    /// Explains a failed connection or statement.
    pub(super) fn of(error: &sqlx::Error, place: &DatabaseTarget) -> Self {
        let state = error.as_database_error().and_then(|error| error.code().map(std::borrow::Cow::into_owned));
        let (name, user, setting) = (&place.database, &place.user, place.setting);
        Self(match (error, state.as_deref()) {
            (_, Some("3D000")) => format!(
                "{place} has no database {name}. Create it (CREATE DATABASE {name} OWNER {user}), or name another one in \
                 {setting}."
            ),
            (_, Some("28000")) if error.to_string().contains("no encryption") => format!(
                "{place} accepts {user} only over TLS ({error}). Write sslmode=require or, better, \
                 sslmode=verify-full in {setting}."
            ),
            (_, Some("28000" | "28P01")) => format!(
                "{place} rejects the user {user} ({error}). Create the role (CREATE ROLE {user} LOGIN PASSWORD …), \
                 correct the password, or allow the user in pg_hba.conf; or name another database in {setting}."
            ),
            (_, Some("42501")) if error.to_string().contains("permission denied to set role") => format!(
                "{place} does not allow {user} to act as labs_service, which the service requires. Have a superuser \
                 run: GRANT labs_service TO {};",
                place.quoted_user()
            ),
            (_, Some("42501")) => not_permitted(error, place),
            (_, Some("53100")) => {
                format!("{place} has a full disk. Free some space and start again; no data was lost.")
            }
            (_, Some("53300")) => format!(
                "{place} has no connection left for {user}. Raise max_connections, or lower LABS_DATABASE_CONNECTIONS of \
                 the replicas."
            ),
            (_, Some("57P03")) => format!("{place} is starting or stopping. Start again in a moment."),
            (_, Some("55P03")) => {
                format!(
                    "{place} has a session that holds a lock which a migration needs ({error}). End that session, then \
                     start again."
                )
            }
            (sqlx::Error::Configuration(cause), _) => format!("{setting} cannot be used: {cause}."),
            (sqlx::Error::PoolTimedOut, _) => return Self::silent(place),
            (sqlx::Error::Tls(cause), _) => without_tls(&cause.to_string(), place),
            // Errors of rustls have this kind.
            (sqlx::Error::Io(cause), _) if cause.kind() == ErrorKind::InvalidData => {
                without_tls(&cause.to_string(), place)
            }
            (sqlx::Error::Io(cause), _) => format!(
                "{} cannot be reached ({cause}). Start it, correct host and port in {setting}, or allow connections \
                 from this machine.",
                place.whole()
            ),
            (sqlx::Error::Protocol(cause), _) => format!(
                "{} cannot be reached: the server at this address does not speak the PostgreSQL protocol ({cause}). \
                 Correct host and port in {setting}.",
                place.whole()
            ),
            _ => format!("{place} rejects a statement that the service needs: {error}."),
        })
    }

    /// Explains a failed migration.
    pub(super) fn of_migration(error: &MigrateError, place: &DatabaseTarget) -> Self {
        let setting = place.setting;
        match error {
            MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _) => Self::of(cause, place),
            MigrateError::VersionMissing(number) => Self(format!(
                "{place} was migrated by a newer version of Labs: this version does not know its migration {number} and \
                 cannot run after it. Start that version, or a later one."
            )),
            MigrateError::VersionMismatch(number) => Self(format!(
                "{place} has a migration {number} that differs from the one in this version. Start the version that \
                 migrated it, or name another database in {setting}."
            )),
            other => Self(format!("{place} cannot be migrated: {other}.")),
        }
    }

    /// Explains a fault of the schema.
    pub(super) fn of_fault(fault: &Fault) -> Self {
        match fault.code() {
            // The fault's own detail is for callers of the API.
            Code::Internal | Code::Unavailable => Self(format!("The service cannot start: {}.", fault.for_log())),
            _ => Self(fault.detail().to_owned()),
        }
    }
}

/// A migration needs a right that its user lacks.
fn not_permitted(error: &sqlx::Error, place: &DatabaseTarget) -> String {
    let (name, user) = (&place.database, place.quoted_user());
    let cause = error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned());
    format!(
        "{place} does not give {} the rights that a migration needs ({cause}). Name the owner of the database {name} \
         in LABS_MIGRATE_URL, for `labs migrate` alone if you like: after all migrations have run, the service needs \
         only the rights of labs_service. If the owner lacks a right too, have a superuser run once in that database: \
         CREATE ROLE labs_service NOLOGIN; GRANT labs_service TO {user}; CREATE EXTENSION pg_trgm; CREATE EXTENSION \
         unaccent;",
        place.user
    )
}

/// Explains why TLS failed, and the remedy.
fn without_tls(cause: &str, place: &DatabaseTarget) -> String {
    let setting = place.setting;
    let what = match cause {
        _ if cause.contains("does not support TLS") => {
            return format!(
                "{place} does not support TLS. Labs requires it for a server on another machine, and if sslmode says so. \
                 Enable TLS there (ssl = on), or write sslmode=disable in {setting} if the connection is secure without \
                 TLS."
            );
        }
        _ if cause.contains("not valid for name") => {
            format!(
                "The certificate is not valid for the host in {setting}. Write the host as the certificate names it, \
                 and check that the right server answers."
            )
        }
        _ if cause.contains("UnknownIssuer") || cause.contains("CaUsedAsEndEntity") => {
            format!("Set sslrootcert=<file> in {setting} to the file of the authority that issued the certificate.")
        }
        _ if cause.contains("alert") => {
            format!(
                "The server requires a certificate of this service, or another one: set sslcert=<file>&sslkey=<file> \
                 in {setting}."
            )
        }
        _ => format!("Check the server's certificate, and sslmode, sslrootcert, sslcert and sslkey in {setting}."),
    };
    format!("The TLS connection to {} failed ({cause}). {what}", place.host())
}

#[cfg(test)]
mod tests {
    use super::super::DatabaseUrls;

    #[tokio::test(start_paused = true)]
    async fn silent_database_is_named_in_error() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let refused =
            super::super::migrate(&DatabaseUrls::new(format!("postgres://labs@{address}/labs"))).await.unwrap_err();
        let said = format!("The database labs at {address} did not answer within");
        assert!(refused.to_string().starts_with(&said), "{refused}");
    }
}
