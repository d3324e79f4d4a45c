//! Why the inside cannot be opened, as an operator needs to know it: what is wrong, where, and what to do.

use std::fmt;
use std::str::FromStr;

use sqlx::migrate::MigrateError;
use sqlx::postgres::PgConnectOptions;

use super::SILENCE;
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
        Self(format!(
            "{place} does not answer: nothing came in {} seconds. Look at it and at what stands before it, or name another \
             one in DATABASE_URL.",
            SILENCE.as_secs()
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
        let (name, user) = (&place.database, &place.user);
        Self(match (error, state.as_deref()) {
            (_, Some("3D000")) => format!(
                "{place} has no database {name}. Create it (CREATE DATABASE {name} OWNER {user}), or name another one in \
                 DATABASE_URL."
            ),
            (_, Some("28000" | "28P01")) => format!(
                "{place} does not let {user} in ({error}). Create the role (CREATE ROLE {user} LOGIN PASSWORD …), mend the \
                 password, or let it in by pg_hba.conf; or name another one in DATABASE_URL."
            ),
            (_, Some("42501")) => format!(
                "{user} may not do at {place} what a migration does ({error}). DATABASE_URL must name the owner of the \
                 database {name}, who may create roles."
            ),
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
            (sqlx::Error::Configuration(cause), _) => format!("DATABASE_URL cannot be read: {cause}."),
            (sqlx::Error::PoolTimedOut, _) => return Self::silent(place),
            (sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_), _) => {
                format!("{place} cannot be reached ({error}). Is it running, and is its address in DATABASE_URL right?")
            }
            _ => format!("{place} refuses what the service needs: {error}."),
        })
    }

    /// What a migration failed with.
    pub(super) fn of_migration(error: &MigrateError, place: &Place) -> Self {
        match error {
            MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _) => Self::of(cause, place),
            MigrateError::VersionMissing(number) => Self(format!(
                "{place} was migrated by a newer version of Labs: its migration {number} is unknown to this one. Start that \
                 version, or a later one."
            )),
            MigrateError::VersionMismatch(number) => Self(format!(
                "Migration {number} of {place} was another one than this version has. Start the version that migrated it, \
                 or name another database in DATABASE_URL."
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

/// Which database is meant, as an operator recognises it: never with its password.
pub(super) struct Place {
    host: String,
    database: String,
    user: String,
}

impl Place {
    /// The place that an address names.
    ///
    /// # Errors
    /// An address that cannot be read.
    pub(super) fn of(database_url: &str) -> Result<(Self, PgConnectOptions), OpenRefusal> {
        let nowhere = Self { host: String::new(), database: String::new(), user: String::new() };
        let options = PgConnectOptions::from_str(database_url).map_err(|error| OpenRefusal::of(&error, &nowhere))?;
        let host = match options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", options.get_host(), options.get_port()),
        };
        let user = options.get_username().to_owned();
        let database = options.get_database().unwrap_or(&user).to_owned();
        Ok((Self { host, database, user }, options))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "The database at {}", self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_without_its_password() {
        let (place, _) = Place::of("postgres://labs:hush@db.example:5433/shop").unwrap();
        assert_eq!(place.to_string(), "The database at db.example:5433");
        assert_eq!((place.database.as_str(), place.user.as_str()), ("shop", "labs"));
        let refused = Place::of("postgres://labs:hush@db.example:port/shop").err().unwrap();
        assert!(
            refused.to_string().starts_with("DATABASE_URL cannot be read") && !refused.to_string().contains("hush")
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_database_that_takes_the_connection_and_says_nothing_is_named() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let refused = super::super::migrate(&format!("postgres://labs@{address}/labs")).await.unwrap_err();
        assert!(refused.to_string().starts_with(&format!("The database at {address} does not answer")), "{refused}");
    }
}
