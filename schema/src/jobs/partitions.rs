//! Maintenance of the partitioned log tables: each has a partition for future rows, and expired partitions are dropped
//! (`migrations/0001_foundation.sql`). The audit log is archived first. A change of partitions takes all of its locks
//! at once or none, so it is retried.

use std::time::Duration;

use labs_core::audit_chain;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::{Retention, Services};
use sqlx::PgPool;

/// Number of attempts to lock the partitions of a table, and the pause between two attempts: half a minute in total.
const ATTEMPTS: usize = 300;
const PAUSE: Duration = Duration::from_millis(100);

/// Maintains every partitioned table once. Returns the number of created and dropped partitions and of archived audit
/// records.
pub(super) async fn keep(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let Retention { audit, security_events, mails, request_usage } = services.settings.retention;
    let kept =
        [("AUDIT", None), ("SECURITY_EVENTS", security_events), ("MAILS", mails), ("REQUEST_USAGE", request_usage)];
    let mut done = 0;
    for (ledger, days) in kept {
        done += retry_until_unlocked(|| prepare(pool, ledger)).await?.unsigned_abs();
        let Some(days) = days else { continue };
        while retry_until_unlocked(|| expire(pool, ledger, days)).await? > 0 {
            done += 1;
        }
    }
    match audit {
        Some(days) => Ok(done + archive(pool, services, days).await?),
        None => Ok(done),
    }
}

async fn prepare(pool: &PgPool, ledger: &str) -> Result<Option<i64>, Fault> {
    Ok(sqlx::query_scalar!("select ledger_prepare($1)", ledger).fetch_one(pool).await?)
}

async fn expire(pool: &PgPool, ledger: &str, days: u16) -> Result<Option<i64>, Fault> {
    let days = i32::from(days);
    Ok(sqlx::query_scalar!("select ledger_expire($1, labs_now() - make_interval(days => $2))", ledger, days)
        .fetch_one(pool)
        .await?)
}

/// Archives the expired parts of the audit log and deletes them from the table.
async fn archive(pool: &PgPool, services: &Services, days: u16) -> Result<u64, Fault> {
    let mut archived = 0;
    for part in audit_chain::list_over(pool, i32::from(days)).await? {
        archived += audit_chain::archive(&Db::from_pool(pool.clone()), &services.media, part.last_position).await?;
        if !retry_until_unlocked(|| audit_chain::detach(pool, &part)).await? {
            tracing::warn!(
                part = part.suffix,
                "a partition of the audit log is not dropped, because it contains unsealed records"
            );
        }
    }
    Ok(archived)
}

/// Repeats the call until the tables that it must lock are free.
async fn retry_until_unlocked<T, F>(ask: impl Fn() -> F) -> Result<T, Fault>
where
    F: Future<Output = Result<Option<T>, Fault>>,
{
    for _ in 0..ATTEMPTS {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(Fault::unavailable("Other transactions locked the partitions of an event table during all attempts."))
}
