//! Migrations, and the programs that can run on a migrated database (docs/decisions/database.md#migrations-and-older-programs).

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use labs_core::fault::Fault;
use sqlx::migrate::{MigrateError, Migration, Migrator};
use sqlx::{Connection as _, PgConnection, PgPool};

use super::address::DatabaseUrls;
use super::refusal::OpenRefusal;
use super::{connect_owner, server};

/// All migrations.
pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!("../migrations");

/// Statement that loads the applied migrations of a database.
const APPLIED: &str = "select version, checksum, null::bigint as oldest_program from _sqlx_migrations where success";
/// The same, of a database that knows the oldest program for each migration.
const APPLIED_WITH_PROGRAMS: &str = "select m.version, m.checksum, c.oldest_program
       from _sqlx_migrations as m
       left join migration_compatibility as c using (version)
      where m.success";
/// Statement that stores the oldest program of each migration of this program.
const STORE_PROGRAMS: &str = "insert into migration_compatibility as known (version, oldest_program)
     select * from unnest($1::bigint[], $2::bigint[])
         on conflict (version) do update set oldest_program = excluded.oldest_program
      where known.oldest_program <> excluded.oldest_program";

/// Words before the number of the oldest program in a migration.
const HEADER: &str = "-- Oldest program: ";

/// A migration that was applied to a database.
#[derive(Debug, sqlx::FromRow)]
struct AppliedMigration {
    version: i64,
    checksum: Vec<u8>,
    /// Oldest program that runs on the database after this migration, if known.
    oldest_program: Option<i64>,
}

/// What a start of this program would do with the migrations of a database.
#[derive(Debug, PartialEq, Eq)]
pub struct MigrationPlan {
    /// Number of this program: its last migration.
    pub program: i64,
    /// Last applied migration; 0 if there is none.
    pub applied: i64,
    /// Missing migrations, in their order.
    pub pending: Vec<PendingMigration>,
    /// Oldest program that runs on the database after the missing migrations.
    pub oldest_program: i64,
}

/// A migration that is not applied yet.
#[derive(Debug, PartialEq, Eq)]
pub struct PendingMigration {
    /// Number.
    pub version: i64,
    /// Name, in words.
    pub name: String,
    /// Oldest program that runs on the database after it.
    pub oldest_program: i64,
}

/// Applies the missing migrations and returns their number. Several replicas may start at once: one migrates, the
/// others wait. If no migration is missing, the login needs only the rights of `labs_service`.
///
/// # Errors
/// If a migration fails, or if a newer program has migrated the database and this program can no longer run on it.
pub fn migrate(urls: &DatabaseUrls) -> LocalBoxFuture<'_, Result<usize, OpenRefusal>> {
    async move {
        let (mut owner, target) = connect_owner(&urls.migrate).await?;
        let to_refusal = |error: sqlx::Error| OpenRefusal::of(&error, &target);
        let of_migration = |error: MigrateError| OpenRefusal::of_migration(&error, &target);
        let applied = list_applied(&mut owner).await.map_err(to_refusal)?;
        let missing = plan(&applied).map_err(of_migration)?.pending.len();
        if missing > 0 {
            // Replicas take turns through a lock that a database session holds.
            if server::lends_for_a_transaction(&urls.migrate).await? {
                return Err(OpenRefusal::needs_a_session(&target));
            }
            MIGRATIONS.run(&mut owner).await.map_err(of_migration)?;
        }
        // A program that stopped between its migrations and this statement left rows out.
        if missing > 0 || applied.iter().any(|known| known.oldest_program.is_none()) {
            match store_programs(&mut owner).await {
                // The login of the service cannot write them; a start as the owner does.
                Err(error) if missing == 0 && is_denied(&error) => {}
                stored => stored.map_err(to_refusal)?,
            }
        }
        owner.close().await.map_err(to_refusal)?;
        Ok(missing)
    }
    .boxed_local()
}

/// Returns what [`migrate`] would do, without doing it.
///
/// # Errors
/// If the database does not answer, or if this program cannot run on it.
pub async fn plan_migrations(urls: &DatabaseUrls) -> Result<MigrationPlan, OpenRefusal> {
    let (mut owner, target) = connect_owner(&urls.migrate).await?;
    let to_refusal = |error: sqlx::Error| OpenRefusal::of(&error, &target);
    let applied = list_applied(&mut owner).await.map_err(to_refusal)?;
    owner.close().await.map_err(to_refusal)?;
    plan(&applied).map_err(|error| OpenRefusal::of_migration(&error, &target))
}

/// Whether every migration of this program is applied.
///
/// # Errors
/// If the database does not answer.
pub async fn is_migrated(pool: &PgPool) -> Result<bool, Fault> {
    let applied: Vec<i64> =
        sqlx::query_scalar("select version from _sqlx_migrations where success").fetch_all(pool).await?;
    Ok(MIGRATIONS.iter().all(|migration| applied.contains(&migration.version)))
}

/// Loads the applied migrations and their checksums; empty if none was ever applied.
async fn list_applied(connection: &mut PgConnection) -> Result<Vec<AppliedMigration>, sqlx::Error> {
    let tables = "select to_regclass('_sqlx_migrations') is null, to_regclass('migration_compatibility') is null";
    let (is_new, is_old) = sqlx::query_as(tables).persistent(false).fetch_one(&mut *connection).await?;
    let statement = match (is_new, is_old) {
        (true, _) => return Ok(Vec::new()),
        (false, true) => APPLIED,
        (false, false) => APPLIED_WITH_PROGRAMS,
    };
    sqlx::query_as(statement).persistent(false).fetch_all(connection).await
}

async fn store_programs(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let (versions, programs): (Vec<i64>, Vec<i64>) =
        MIGRATIONS.iter().map(|migration| (migration.version, oldest_program(migration))).unzip();
    sqlx::query(STORE_PROGRAMS).persistent(false).bind(versions).bind(programs).execute(connection).await?;
    Ok(())
}

fn is_denied(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "42501")
}

/// Returns the number of this program: its last migration.
fn program() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// Returns the oldest program that runs on the database after a migration: the one in its header, else the first one
/// that knows the migration.
fn oldest_program(migration: &Migration) -> i64 {
    let header = migration.sql.as_str().lines().take(5).find_map(|line| line.strip_prefix(HEADER));
    header.and_then(|number| number.trim().parse().ok()).unwrap_or(migration.version)
}

/// Compares the migrations of this program with the applied ones.
///
/// # Errors
/// [`MigrateError::VersionMismatch`] if a migration differs. [`MigrateError::VersionMissing`] if a newer program ran a
/// migration that does not allow this program, or that follows on one that is missing.
fn plan(applied: &[AppliedMigration]) -> Result<MigrationPlan, MigrateError> {
    let program = program();
    let mut newest_unknown = None;
    for AppliedMigration { version, checksum, oldest_program } in applied {
        match MIGRATIONS.iter().find(|migration| migration.version == *version) {
            Some(known) if known.checksum.as_ref() == checksum => {}
            Some(_) => return Err(MigrateError::VersionMismatch(*version)),
            None if *version > program && oldest_program.is_some_and(|oldest| oldest <= program) => {
                newest_unknown = newest_unknown.max(Some(*version));
            }
            None => return Err(MigrateError::VersionMissing(*version)),
        }
    }
    let is_applied = |migration: &&Migration| applied.iter().any(|known| known.version == migration.version);
    let pending: Vec<PendingMigration> = MIGRATIONS
        .iter()
        .filter(|migration| !is_applied(migration))
        .map(|migration| PendingMigration {
            version: migration.version,
            name: migration.description.to_string(),
            oldest_program: oldest_program(migration),
        })
        .collect();
    match newest_unknown {
        Some(version) if !pending.is_empty() => Err(MigrateError::VersionMissing(version)),
        _ => Ok(MigrationPlan {
            program,
            applied: applied.iter().map(|known| known.version).max().unwrap_or_default(),
            oldest_program: (applied.iter().filter_map(|known| known.oldest_program))
                .chain(MIGRATIONS.iter().map(oldest_program))
                .max()
                .unwrap_or_default(),
            pending,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied_up_to(version: i64) -> Vec<AppliedMigration> {
        let known = MIGRATIONS.iter().filter(|migration| migration.version <= version);
        let applied = |migration: &Migration| AppliedMigration {
            version: migration.version,
            checksum: migration.checksum.to_vec(),
            oldest_program: Some(oldest_program(migration)),
        };
        known.map(applied).collect()
    }

    fn newer(version: i64, oldest_program: Option<i64>) -> AppliedMigration {
        AppliedMigration { version, checksum: vec![1], oldest_program }
    }

    fn followed_by(mut applied: Vec<AppliedMigration>, last: AppliedMigration) -> Vec<AppliedMigration> {
        applied.push(last);
        applied
    }

    #[test]
    fn missing_migrations_are_planned_in_order() {
        let planned = plan(&applied_up_to(9)).unwrap();
        let numbers: Vec<i64> = planned.pending.iter().map(|migration| migration.version).collect();
        assert_eq!(numbers, (10..=program()).collect::<Vec<_>>());
        assert_eq!((planned.applied, planned.program), (9, program()));
        assert_eq!(plan(&[]).unwrap().applied, 0);
    }

    #[test]
    fn newer_database_is_accepted_only_if_it_allows_this_program() {
        let with = |oldest| followed_by(applied_up_to(program()), newer(9000, oldest));
        let accepted = plan(&with(Some(program()))).unwrap();
        assert_eq!((accepted.pending.len(), accepted.applied), (0, 9000));
        for oldest in [None, Some(program() + 1)] {
            assert!(matches!(plan(&with(oldest)), Err(MigrateError::VersionMissing(9000))), "{oldest:?}");
        }
    }

    #[test]
    fn newer_database_that_lacks_known_migration_is_refused() {
        let gap = followed_by(applied_up_to(program() - 1), newer(9000, Some(1)));
        assert!(matches!(plan(&gap), Err(MigrateError::VersionMissing(9000))));
        let unknown_before = followed_by(applied_up_to(program()), newer(0, Some(1)));
        assert!(matches!(plan(&unknown_before), Err(MigrateError::VersionMissing(0))));
    }

    #[test]
    fn changed_migration_is_refused() {
        let mut applied = applied_up_to(program());
        applied[0].checksum = vec![1];
        assert!(matches!(plan(&applied), Err(MigrateError::VersionMismatch(1))));
    }

    #[test]
    fn migration_without_header_needs_a_program_that_knows_it() {
        let of = |version| oldest_program(MIGRATIONS.iter().find(|migration| migration.version == version).unwrap());
        assert_eq!((of(1), of(11)), (1, 11));
    }
}
