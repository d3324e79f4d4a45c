//! SQL statements of the monitoring figures.

use labs_admin::jobs::JobCode;
use labs_core::fault::Fault;
use labs_core::words::Word as _;
use sqlx::PgPool;

use super::{JobFigures, LogFigures};

/// Names of the partitioned logs (`migrations/0001_foundation.sql`).
const LEDGERS: [&str; 4] = ["AUDIT", "SECURITY_EVENTS", "MAILS", "REQUEST_USAGE"];

/// Figures of the outbox.
pub(super) struct MailFigures {
    pub(super) queued: i64,
    pub(super) failed: i64,
    pub(super) oldest_seconds: f64,
}

/// Counts the mail messages, and returns the age of the oldest queued one.
pub(super) async fn get_mails(pool: &PgPool) -> Result<MailFigures, Fault> {
    Ok(sqlx::query_as!(
        MailFigures,
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
    .await?)
}

/// Computes the age of the oldest unsealed record in seconds. Like the sealer, it starts at the transaction below which
/// all records are sealed. It reads a limited number of records from there, so while a transaction stays open for long,
/// later unsealed records may not be found.
pub(super) async fn oldest_unsealed(pool: &PgPool) -> Result<f64, Fault> {
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

/// Lists the known jobs.
pub(super) async fn list_jobs(pool: &PgPool) -> Result<Vec<JobFigures>, Fault> {
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

/// Lists the known logs.
pub(super) async fn list_logs(pool: &PgPool) -> Result<Vec<LogFigures>, Fault> {
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
