//! Monitoring figures of the outbox, the audit chain and the jobs. Each statement reads a few rows of an index.

mod store;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use labs_core::fault::Fault;
use sqlx::PgPool;

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
        let mails = store::get_mails(pool).await?;
        Ok(Figures {
            mails_queued: mails.queued,
            mails_failed: mails.failed,
            oldest_mail_seconds: mails.oldest_seconds.max(0.0),
            oldest_unsealed_seconds: store::oldest_unsealed(pool).await?.max(0.0),
            jobs: store::list_jobs(pool).await?,
            ledgers: store::list_logs(pool).await?,
        })
    }
    .boxed()
}
