//! Why the inside cannot be opened, as an operator needs to know it: what is wrong, where, and what to do.

use std::io::ErrorKind;

use sqlx::migrate::MigrateError;

use super::SILENCE;
use super::place::Place;
use crate::core::fault::{Code, Fault};

/// Why the inside cannot be opened. Its text is for the operator.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct OpenRefusal(String);

impl OpenRefusal {
    /// This text.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The database took the connection, or not even that, and says nothing.
    pub(super) fn silent(place: &Place) -> Self {
        let setting = place.setting;
        Self(format!(
            "{} does not answer: nothing came in {} seconds. Look at it and at what stands before it (firewall, network \
             policy), or name another one in {setting}.",
            place.whole(),
            SILENCE.as_secs()
        ))
    }

    /// Migrations would be run over connections that are lent for a transaction only.
    pub(super) fn needs_a_session(place: &Place) -> Self {
        Self(format!(
            "Migrations are lacking, and what stands before {place} lends connections for a transaction (pool_mode = \
             transaction). Name an address of PostgreSQL itself in LABS_MIGRATE_URL."
        ))
    }

    /// A read replica of something else.
    pub(super) fn no_replica(place: &Place) -> Self {
        Self(format!(
            "{} is no replica of the one in DATABASE_URL: it has other data. Name servers that follow that one in {}, separated \
             by commas.",
            place.whole(),
            place.setting
        ))
    }

    /// Another master key than the database's.
    pub(super) fn other_key() -> Self {
        Self::new(
            "The master key is not the one that this database was sealed with. Name its file with --master-key-file or \
             LABS_MASTER_KEY_FILE; every replica needs the same.",
        )
    }

    /// What a connection or a statement failed with.
    pub(super) fn of(error: &sqlx::Error, place: &Place) -> Self {
        let state = error.as_database_error().and_then(|error| error.code().map(std::borrow::Cow::into_owned));
        let (name, user, setting) = (&place.database, &place.user, place.setting);
        Self(match (error, state.as_deref()) {
            (_, Some("3D000")) => format!(
                "{place} has no database {name}. Create it (CREATE DATABASE {name} OWNER {user}), or name another one in \
                 {setting}."
            ),
            (_, Some("28000")) if error.to_string().contains("no encryption") => format!(
                "{place} lets {user} in by TLS only ({error}). Write sslmode=require or, better, sslmode=verify-full in \
                 {setting}."
            ),
            (_, Some("28000" | "28P01")) => format!(
                "{place} does not let {user} in ({error}). Create the role (CREATE ROLE {user} LOGIN PASSWORD …), mend the \
                 password, or let it in by pg_hba.conf; or name another one in {setting}."
            ),
            (_, Some("42501")) if error.to_string().contains("permission denied to set role") => format!(
                "{user} may not act as labs_service at {place}, as the service does. Let a superuser run: GRANT labs_service \
                 TO {};",
                place.quoted_user()
            ),
            (_, Some("42501")) => not_permitted(error, place),
            (_, Some("53100")) => {
                format!("The disk of {place} is full. Free some room and start again; nothing was lost.")
            }
            (_, Some("53300")) => format!(
                "{place} has no connection left for {user}. Raise max_connections, or lower LABS_DATABASE_CONNECTIONS of \
                 the replicas."
            ),
            (_, Some("57P03")) => format!("{place} is only starting, or stopping. Start again in a moment."),
            (_, Some("55P03")) => {
                format!("Somebody at {place} holds what a migration needs ({error}). End that, then start again.")
            }
            (sqlx::Error::Configuration(cause), _) => format!("{setting} cannot be used: {cause}."),
            (sqlx::Error::PoolTimedOut, _) => return Self::silent(place),
            (sqlx::Error::Tls(cause), _) => without_tls(&cause.to_string(), place),
            // What rustls refuses comes as this.
            (sqlx::Error::Io(cause), _) if cause.kind() == ErrorKind::InvalidData => {
                without_tls(&cause.to_string(), place)
            }
            (sqlx::Error::Io(cause), _) => format!(
                "{} cannot be reached ({cause}). Start it, mend host and port in {setting}, or let this machine through \
                 to it.",
                place.whole()
            ),
            (sqlx::Error::Protocol(cause), _) => format!(
                "{} cannot be reached: what answers there does not speak as PostgreSQL does ({cause}). Mend host and port \
                 in {setting}.",
                place.whole()
            ),
            _ => format!("{place} refuses what the service needs: {error}."),
        })
    }

    /// What a migration failed with.
    pub(super) fn of_migration(error: &MigrateError, place: &Place) -> Self {
        let setting = place.setting;
        match error {
            MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _) => Self::of(cause, place),
            MigrateError::VersionMissing(number) => Self(format!(
                "{place} was migrated by a newer version of Labs: its migration {number} is unknown to this one. Start that \
                 version, or a later one."
            )),
            MigrateError::VersionMismatch(number) => Self(format!(
                "Migration {number} of {place} was another one than this version has. Start the version that migrated it, \
                 or name another database in {setting}."
            )),
            other => Self(format!("{place} cannot be migrated: {other}.")),
        }
    }

    /// What the inside itself refused.
    pub(super) fn of_fault(fault: &Fault) -> Self {
        match fault.code() {
            // Its own words are for callers of the API.
            Code::Internal | Code::Unavailable => Self(format!("The service cannot be opened: {}.", fault.for_log())),
            _ => Self(fault.detail().to_owned()),
        }
    }
}

/// A migration needs a right that its user has not.
fn not_permitted(error: &sqlx::Error, place: &Place) -> String {
    let (name, user) = (&place.database, place.quoted_user());
    let cause = error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned());
    format!(
        "{} may not do at {place} what a migration does ({cause}). Name the owner of the database {name} in LABS_MIGRATE_URL, \
         for `labs migrate` alone if you like: once all migrations have run, the service needs no right but that of \
         labs_service. What the owner may not do, a superuser does once, in that database: CREATE ROLE labs_service \
         NOLOGIN; GRANT labs_service TO {user}; CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent;",
        place.user
    )
}

/// Why there is no TLS, and what to do.
fn without_tls(cause: &str, place: &Place) -> String {
    let setting = place.setting;
    let what = match cause {
        _ if cause.contains("does not support TLS") => {
            return format!(
                "{place} does not speak TLS, and sslmode in {setting} asks for it. Switch it on there (ssl = on), or write \
                 sslmode=disable where the way to it is safe without."
            );
        }
        _ if cause.contains("not valid for name") => {
            format!(
                "Write the host in {setting} as the certificate has it; it is not the one that was asked for, or not the one \
                 that should have answered."
            )
        }
        _ if cause.contains("UnknownIssuer") || cause.contains("CaUsedAsEndEntity") => {
            format!("Name the file of the authority that issued its certificate: sslrootcert=<file> in {setting}.")
        }
        _ if cause.contains("alert") => {
            format!(
                "It wants a certificate of this service: sslcert=<file>&sslkey=<file> in {setting}; or another one."
            )
        }
        _ => format!("Look at its certificate, and at sslmode, sslrootcert, sslcert and sslkey in {setting}."),
    };
    format!("The TLS connection to {} fails ({cause}). {what}", place.host())
}

#[cfg(test)]
mod tests {
    use super::super::DatabaseUrls;

    #[tokio::test(start_paused = true)]
    async fn a_database_that_takes_the_connection_and_says_nothing_is_named() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let refused =
            super::super::migrate(&DatabaseUrls::new(format!("postgres://labs@{address}/labs"))).await.unwrap_err();
        let said = format!("The database labs at {address} does not answer");
        assert!(refused.to_string().starts_with(&said), "{refused}");
    }
}
