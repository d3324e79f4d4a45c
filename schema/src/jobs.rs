//! Background jobs. Each job reads the state and acts, repeatedly. A job takes no input, so a missed signal, a failure
//! or a restart never matters (docs/decisions/engine.md#jobs).
//!
//! A job that repeats with a pause runs on every replica and itself prevents duplicate work (advisory locks, `for
//! update skip locked`). A job with a calendar runs on one replica. Its run in progress is a row of the run history. A
//! job has at most one such row, and the replica renews its lease. If the replica stops renewing the lease, the run is
//! marked as interrupted and another replica starts again.
//!
//! A failure or a panic is reported and retried; it never ends a loop. A run that exceeds its deadline is reported and
//! may finish. It is never cancelled, because cancelling it while it begins a transaction would give the next request a
//! connection with an open transaction (docs/performance.md#decisions-that-follow-from-the-figures).

mod board;
mod closures;
mod counts;
mod event_positions;
mod listing_feed;
mod objects;
mod partitions;
mod run_store;
mod runner;
pub mod statistics;
mod tidy;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use labs_core::audit_chain::{Sealer, transparency};
use labs_core::engine::Engine;
use labs_core::event_positions::KnownEnds;
use labs_core::fault::Fault;
use labs_core::services::Services;
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::board::Board;
use self::run_store::PgRunStore;
pub use self::run_store::list_behind;
use labs_admin::deprecations::remind_callers;
pub use labs_admin::jobs::JobCode;
use labs_admin::jobs::JobPlan;
use labs_engagement::{board_texts, weekly_mail};
use labs_identity::partner::data_exports::export_due;
use labs_marketplace::{PostponedVersions, process_silent, public_pictures, publish_due, watch_index};
use labs_publication::items::release_due;
use labs_subscription::changing::apply_due;
use labs_subscription::usage::warn_of_quota;

/// Outcome of a run: the number of processed items.
pub type Outcome = Result<u64, Fault>;

type Run = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// A repeated background task.
pub struct Job {
    code: JobCode,
    plan: JobPlan,
    run: Run,
}

impl Job {
    /// Creates a job from its code and its function. A run returns the number of items that it processed. The run
    /// history contains the runs that processed items (except runs of quiet jobs), the first of consecutive failures,
    /// and the first success after failures.
    pub fn new<F, R>(code: JobCode, run: R) -> Self
    where
        R: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Outcome> + Send + 'static,
    {
        Self { code, plan: code.plan(), run: Box::new(move || Box::pin(run())) }
    }
}

/// Jobs of a running service.
pub struct Jobs {
    tasks: TaskTracker,
    board: Arc<Board>,
    pool: PgPool,
    services: Arc<Services>,
}

impl Jobs {
    /// Starts the service's jobs, the watchers of principals, deprecations, media and listings, and the `further` jobs.
    /// They run until `stop`.
    #[must_use]
    pub fn spawn(engine: &Engine, further: Vec<Job>, stop: &CancellationToken) -> Self {
        let (pool, services) = (engine.pool().clone(), Arc::clone(engine.services()));
        let tasks = TaskTracker::new();
        tasks.spawn(Arc::clone(&services.authority).watch(stop.clone()));
        if let Some(replicas) = &services.read_replicas {
            replicas.watch(stop);
        }
        tasks.spawn(Arc::clone(&services.deprecations).watch(pool.clone(), stop.clone()));
        tasks.spawn(public_pictures::watch(Arc::clone(&services), stop.clone()));
        tasks.spawn(watch_index(Arc::clone(&services), pool.clone(), stop.clone()));
        let own = jobs_of_every_service(&pool, &services).into_iter().chain(job_of_checkpoints(&pool, &services));
        let jobs: Vec<Job> = own.chain(further).collect();
        let board = Arc::new(Board::of(jobs.iter().map(|job| job.code)));
        for job in jobs {
            let clock = services.clock.clone();
            let run_store = PgRunStore(pool.clone());
            tasks.spawn(runner::repeat(job, Arc::clone(&board), run_store, move || clock.now(), stop.clone()));
        }
        tasks.spawn(Arc::clone(&board).keep(pool.clone(), stop.clone()));
        tasks.close();
        Self { tasks, board, pool, services }
    }

    /// Waits until every run has ended or the grace period has passed, and writes the last counts. Call it after `stop`
    /// and before the pool is closed.
    pub async fn end(self) {
        self.tasks.wait().await;
        if let Err(fault) = self.services.usage.flush(&self.pool).await {
            tracing::warn!(cause = fault.for_log(), "the last request counts could not be written and are lost");
        }
        if let Err(fault) = self.board.push_report(&self.pool).await {
            tracing::warn!(cause = fault.for_log(), "the last results of the jobs could not be written");
        }
    }
}

/// Returns the jobs that every instance of the service has.
fn jobs_of_every_service(pool: &PgPool, services: &Arc<Services>) -> Vec<Job> {
    let (sealer, put_off) = (Arc::new(Sealer::new(pool.clone())), Arc::<PostponedVersions>::default());
    let seal = move || {
        let sealer = Arc::clone(&sealer);
        async move { Ok(sealer.seal_due().await? as u64) }
    };
    let with = (pool, services);
    vec![
        job_with(with, JobCode::ScheduledPublications, move |pool, services| {
            let put_off = Arc::clone(&put_off);
            async move { publish_due(&pool, &put_off, services.clock.now()).await }
        }),
        job_with(with, JobCode::QuotaWarnings, |pool, services| async move { warn_of_quota(&pool, &services).await }),
        job_with(with, JobCode::DeprecationReminders, |pool, services| async move {
            remind_callers(&pool, &services).await
        }),
        job_with(
            with,
            JobCode::BoardMail,
            |pool, services| async move { weekly_mail::mail_due(&pool, &services).await },
        ),
        job_with(
            with,
            JobCode::PublicationReleases,
            |pool, services| async move { release_due(&pool, &services).await },
        ),
        job_with(with, JobCode::SilentPartners, |pool, services| async move { process_silent(&pool, &services).await }),
        job_with(with, JobCode::PartnerClosures, |pool, services| async move {
            closures::close_due(&pool, &services).await
        }),
        job_with(with, JobCode::DataExports, |pool, services| async move { export_due(&pool, &services).await }),
        job_with(with, JobCode::SubscriptionChanges, |pool, services| async move { apply_due(&pool, &services).await }),
        Job::new(JobCode::AuditSeal, seal),
        job_with(with, JobCode::EventsSeal, |pool, services| async move {
            let sealed = event_positions::seal_due(&pool).await?;
            services.state::<KnownEnds>().refresh(&pool).await?;
            Ok(sealed)
        }),
        job_with(with, JobCode::ListingChangesSeal, |pool, _| async move { listing_feed::seal_due(&pool).await }),
        job_with(with, JobCode::UsageCounts, |pool, services| async move { services.usage.flush(&pool).await }),
        job_with(with, JobCode::PlatformCounts, |pool, _| async move { counts::fold(&pool).await }),
        job_with(with, JobCode::Ledgers, |pool, services| async move { partitions::keep(&pool, &services).await }),
        job_with(with, JobCode::Tidying, |pool, _| async move { tidy::tidy(&pool).await }),
        job_with(with, JobCode::ObjectsSweep, |pool, services| async move { objects::sweep(&pool, &services).await }),
        job_with(with, JobCode::PictureRenditions, |pool, services| async move {
            public_pictures::make_due(&pool, &services).await
        }),
        job_with(with, JobCode::TextRendering, |pool, services| async move {
            board_texts::render_due(&pool, &services).await
        }),
    ]
}

/// Returns the job that signs checkpoints of the audit log, if a key is configured.
fn job_of_checkpoints(pool: &PgPool, services: &Arc<Services>) -> Option<Job> {
    let run = |pool: PgPool, services: Arc<Services>| async move { transparency::publish(&pool, &services).await };
    services.settings.checkpoints.as_ref().map(|_| job_with((pool, services), JobCode::AuditCheckpoint, run))
}

/// Creates a job that uses the database and the shared services.
fn job_with<F, R>((pool, services): (&PgPool, &Arc<Services>), code: JobCode, run: R) -> Job
where
    R: Fn(PgPool, Arc<Services>) -> F + Send + Sync + 'static,
    F: Future<Output = Outcome> + Send + 'static,
{
    let (pool, services) = (pool.clone(), Arc::clone(services));
    Job::new(code, move || run(pool.clone(), Arc::clone(&services)))
}
