//! Master keys that the running replicas know.
//!
//! Each replica holds shared advisory locks on its listening connection: one shows that it runs, and one identifies
//! each key of its key file. PostgreSQL releases them when the connection ends, even after a crash, so no row needs
//! cleanup and no clocks are compared. The lock numbers reveal nothing about the keys.

use labs_crypto::sealed::MasterKey;
use sqlx::PgExecutor;

use crate::fault::Fault;

/// Class of the locks that show that a replica runs.
const RUNS: i32 = 0x4C61_6273;
/// Class of the locks that identify keys.
const KNOWS: i32 = 0x4C61_6274;

/// Number of running replicas of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningReplicas {
    /// All running replicas.
    pub all: i64,
    /// Replicas that do not know the key.
    pub unaware: i64,
}

/// Announces on this session, until it ends, that a replica runs and which keys it knows.
pub(super) async fn announce(on: impl PgExecutor<'_>, key: &MasterKey) -> Result<(), Fault> {
    let (mut classes, mut numbers) = (vec![RUNS], vec![0]);
    for number in key.lock_numbers() {
        classes.push(KNOWS);
        numbers.push(number);
    }
    sqlx::query(
        "select pg_advisory_lock_shared(class, number) from unnest($1::int4[], $2::int4[]) as held (class, number)",
    )
    .bind(classes)
    .bind(numbers)
    .execute(on)
    .await?;
    Ok(())
}

/// Counts the running replicas, and those without the newest of these keys.
pub async fn running_replicas(on: impl PgExecutor<'_>, key: &MasterKey) -> Result<RunningReplicas, Fault> {
    let newest = key.lock_numbers().next().unwrap_or_default();
    // `pg_locks` shows the two numbers of an advisory lock as unsigned integers if `objsubid` is 2.
    let (all, unaware) = sqlx::query_as(
        "with held as (
             select pid, classid::bigint as class, objid::bigint as number from pg_locks
              where locktype = 'advisory' and objsubid = 2 and granted
                and database = (select oid from pg_database where datname = current_database()))
         select count(*), count(*) filter (where not exists (
                    select from held as known where known.pid = held.pid and known.class = $2 and known.number = $3))
           from held where class = $1",
    )
    .bind(i64::from(RUNS))
    .bind(i64::from(KNOWS))
    .bind(i64::from(newest.cast_unsigned()))
    .fetch_one(on)
    .await?;
    Ok(RunningReplicas { all, unaware })
}
