//! Monitoring figures of the outbox, the audit chain and the jobs. Each statement reads a few rows of an index.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use labs_core::fault::Fault;
use labs_core::words::Word as _;
use sqlx::PgPool;

use labs_admin::jobs::JobCode;

/// Maximum count of mail messages, which bounds the cost of a full outbox.
pub const MOST_MAILS: i64 = 10_000;

/// Current figures of the service.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Queued mail messages, up to [`MOST_MAILS`].
    pub mails_queued: i64,
    /// Failed mail messages, up to [`MOST_MAILS`].
    pub mails_failed: i64,
    /// Age of the oldest queued mail message in seconds; 0 without queued messages.
    pub oldest_mail_seconds: f64,
    /// Age of the oldest unsealed audit record in seconds; 0 if all records are sealed.
    pub oldest_unsealed_seconds: f64,
    /// Figures of each job.
    pub jobs: Vec<JobFigures>,
    /// Figures of each table that is partitioned by time.
    pub ledgers: Vec<LogFigures>,
}

/// Figures of a partitioned log.
#[derive(Clone, Debug)]
pub struct LogFigures {
    /// Name of the log.
    pub ledger: &'static str,
    /// Number of partitions; partitions of several tables count once.
    pub partitions: i64,
    /// Seconds until the end of the last partition.
    pub room_seconds: f64,
}

/// Names of the partitioned logs (`migrations/0001_foundation.sql`).
const LEDGERS: [&str; 4] = ["AUDIT", "SECURITY_EVENTS", "MAILS", "REQUEST_USAGE"];

/// Figures of a job over all replicas.
#[derive(Clone, Debug)]
pub struct JobFigures {
    /// Name of the job.
    pub job: &'static str,
    /// Seconds since the last successful run.
    pub succeeded_seconds: f64,
    /// Number of consecutive failed runs.
    pub failures: i64,
    /// Whether staff have paused it.
    pub is_paused: bool,
}

/// Loads the figures.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub fn load_figures(pool: &PgPool) -> BoxFuture<'_, Result<Figures, Fault>> {
    async move {
        let mails = sqlx::query!(
            r#"select (select count(*) from (
                           select from mail_message where state = 'QUEUED' limit 10000
                       ) as queued) as "queued!",
                      (select count(*) from (
                           select from mail_message where state = 'FAILED' limit 10000
                       ) as failed) as "failed!",
                      coalesce(extract(epoch from labs_now() - (
                          select created_at from mail_message where state = 'QUEUED' order by created_at limit 1
                      )), 0)::float8 as "oldest_seconds!""#
        )
        .fetch_one(pool)
        .await?;
        Ok(Figures {
            mails_queued: mails.queued,
            mails_failed: mails.failed,
            oldest_mail_seconds: mails.oldest_seconds.max(0.0),
            oldest_unsealed_seconds: oldest_unsealed(pool).await?.max(0.0),
            jobs: jobs(pool).await?,
            ledgers: ledgers(pool).await?,
        })
    }
    .boxed()
}

/// Computes the age of the oldest unsealed record in seconds. Like the sealer, it starts at the transaction below which
/// all records are sealed. It reads a limited number of records from there, so while a transaction stays open for long,
/// later unsealed records may not be found.
async fn oldest_unsealed(pool: &PgPool) -> Result<f64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select coalesce(extract(epoch from labs_now() - (
               select record.recorded_at
                 from (
                          select recorded_at, record_uuid, transaction_id from audit_log
                           where transaction_id >= coalesce(
                                     (select settled_below from audit_seal order by position desc limit 1), '0'::xid8)
                           order by transaction_id, record_uuid limit 2000
                      ) as record
                 left join lateral (
                          select position from audit_seal where audit_seal.record_uuid = record.record_uuid limit 1
                      ) as seal on true
                where seal.position is null
                order by record.transaction_id, record.record_uuid limit 1
           )), 0)::float8 as "seconds!""#
    )
    .fetch_one(pool)
    .await?)
}

async fn jobs(pool: &PgPool) -> Result<Vec<JobFigures>, Fault> {
    let rows = sqlx::query!(
        r#"select code, extract(epoch from clock_timestamp() - succeeded_on_clock)::float8 as "seconds!", failures,
                  paused_at is not null as "is_paused!"
             from job"#
    )
    .fetch_all(pool)
    .await?;
    let known = rows.into_iter().filter_map(|row| {
        let job = JobCode::read(&row.code)?.name();
        let (failures, is_paused) = (row.failures, row.is_paused);
        Some(JobFigures { job, succeeded_seconds: row.seconds.max(0.0), failures, is_paused })
    });
    Ok(known.collect())
}

async fn ledgers(pool: &PgPool) -> Result<Vec<LogFigures>, Fault> {
    let rows = sqlx::query!(
        r#"select ledger as "ledger!", count(*) as "partitions!",
                  coalesce(extract(epoch from max(until) - labs_now()), 0)::float8 as "room_seconds!"
             from ledger_partition
            where place = 1 and partition_name not like '%others'
            group by ledger"#
    )
    .fetch_all(pool)
    .await?;
    let known = rows.into_iter().filter_map(|row| {
        let ledger = LEDGERS.into_iter().find(|name| *name == row.ledger)?;
        Some(LogFigures { ledger, partitions: row.partitions, room_seconds: row.room_seconds })
    });
    Ok(known.collect())
}
