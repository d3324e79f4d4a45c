//! Work without a request: each job looks at the state and acts, again and again. It takes no input, so a signal that
//! was missed, a failure or a restart never matters (docs/decisions.md#transactions).
//!
//! What runs again and again runs on every replica, and sees to it itself that two do not do the same thing twice
//! (advisory locks, `for update skip locked`). What has a calendar runs on one: a run under way is a row of the ledger,
//! of which a job has one at most, and which its replica keeps alive; when it does not, the run is marked as broken off
//! and another replica begins anew. A failure or a panic is told and tried again; it never ends a loop. A run that
//! outlives its time is told and left to its end, never cut: cutting it while it begins a transaction would hand a
//! connection with an open transaction to the next request (docs/performance.md#what-the-figures-led-to).

mod board;
mod closures;
mod ledger;
mod listing_feed;
mod objects;
mod runner;
pub mod statistics;
mod tidy;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use sqlx::PgPool;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::board::Board;
use self::ledger::PgLedger;
pub use self::ledger::list_behind;
use crate::core::audit_chain::Sealer;
use crate::core::engine::Engine;
use crate::core::fault::Fault;
pub use crate::core::job::JobCode;
use crate::core::job::JobPlan;
use crate::core::services::Services;
use crate::marketplace::{PutOff, attend_silent, public_pictures, publish_due};
use crate::publication::items::release_due;

/// How a run ended: how many things it did.
pub type Outcome = Result<u64, Fault>;

type Run = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// Something to be done again and again.
pub struct Job {
    code: JobCode,
    plan: JobPlan,
    run: Run,
}

impl Job {
    /// A job and what it does. A run answers how many things it did; runs that did something, and the first that fails,
    /// stand in the ledger of runs.
    pub fn new<F, R>(code: JobCode, run: R) -> Self
    where
        R: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Outcome> + Send + 'static,
    {
        Self { code, plan: code.plan(), run: Box::new(move || Box::pin(run())) }
    }
}

/// The jobs of a running service.
pub struct Jobs {
    tasks: TaskTracker,
    board: Arc<Board>,
    pool: PgPool,
    services: Arc<Services>,
}

impl Jobs {
    /// Starts the service's own jobs, the watches over principals and pictures, and `further` ones. They run until `stop`.
    #[must_use]
    pub fn spawn(engine: &Engine, further: Vec<Job>, stop: &CancellationToken) -> Self {
        let (pool, services) = (engine.pool().clone(), Arc::clone(engine.services()));
        let tasks = TaskTracker::new();
        tasks.spawn(Arc::clone(&services.authority).watch(stop.clone()));
        tasks.spawn(public_pictures::watch(pool.clone(), Arc::clone(&services), stop.clone()));
        let jobs: Vec<Job> = jobs_of_every_service(&pool, &services).into_iter().chain(further).collect();
        let board = Arc::new(Board::of(jobs.iter().map(|job| job.code)));
        for job in jobs {
            let clock = services.clock.clone();
            let ledger = PgLedger(pool.clone());
            tasks.spawn(runner::repeat(job, Arc::clone(&board), ledger, move || clock.now(), stop.clone()));
        }
        tasks.spawn(Arc::clone(&board).keep(pool.clone(), stop.clone()));
        tasks.close();
        Self { tasks, board, pool, services }
    }

    /// Waits until every run has ended, or has been waited for long enough, and writes the last counts. To be called
    /// after `stop`, and before the pool is closed.
    pub async fn end(self) {
        self.tasks.wait().await;
        if let Err(fault) = self.services.usage.flush(&self.pool).await {
            tracing::warn!(cause = fault.for_log(), "the last counts of usage are lost");
        }
        if let Err(fault) = self.board.tell(&self.pool).await {
            tracing::warn!(cause = fault.for_log(), "what the jobs did last could not be written");
        }
    }
}

/// The jobs that every service has.
fn jobs_of_every_service(pool: &PgPool, services: &Arc<Services>) -> Vec<Job> {
    let sealer = Arc::new(Sealer::new(pool.clone()));
    let seal = move || {
        let sealer = Arc::clone(&sealer);
        async move { Ok(sealer.seal_due().await? as u64) }
    };
    let (usage_pool, usage_services) = (pool.clone(), Arc::clone(services));
    let usage = move || {
        let (pool, services) = (usage_pool.clone(), Arc::clone(&usage_services));
        async move { services.usage.flush(&pool).await }
    };
    let tidy_pool = pool.clone();
    let (publish_pool, publish_services, put_off) = (pool.clone(), Arc::clone(services), Arc::<PutOff>::default());
    let publish = move || {
        let (pool, services, put_off) = (publish_pool.clone(), Arc::clone(&publish_services), Arc::clone(&put_off));
        async move { publish_due(&pool, &put_off, services.clock.now()).await }
    };
    let release_pool = pool.clone();
    let release = move || {
        let pool = release_pool.clone();
        async move { release_due(&pool).await }
    };
    let (silence_pool, silence_services) = (pool.clone(), Arc::clone(services));
    let silence = move || {
        let (pool, services) = (silence_pool.clone(), Arc::clone(&silence_services));
        async move { attend_silent(&pool, &services).await }
    };
    let (close_pool, close_services) = (pool.clone(), Arc::clone(services));
    let close = move || {
        let (pool, services) = (close_pool.clone(), Arc::clone(&close_services));
        async move { closures::close_due(&pool, &services).await }
    };
    let (export_pool, export_services) = (pool.clone(), Arc::clone(services));
    let export = move || {
        let (pool, services) = (export_pool.clone(), Arc::clone(&export_services));
        async move { crate::partner::data_exports::export_due(&pool, &services).await }
    };
    let (due_pool, due_services) = (pool.clone(), Arc::clone(services));
    let subscriptions = move || {
        let (pool, services) = (due_pool.clone(), Arc::clone(&due_services));
        async move { crate::subscription::changing::apply_due(&pool, &services).await }
    };
    let feed_pool = pool.clone();
    let feed = move || {
        let pool = feed_pool.clone();
        async move { listing_feed::seal_due(&pool).await }
    };
    let tidy = move || {
        let pool = tidy_pool.clone();
        async move { tidy::tidy(&pool).await }
    };
    let (render_pool, render_services) = (pool.clone(), Arc::clone(services));
    let render = move || {
        let (pool, services) = (render_pool.clone(), Arc::clone(&render_services));
        async move { public_pictures::make_due(&pool, &services).await }
    };
    let (sweep_pool, sweep_services) = (pool.clone(), Arc::clone(services));
    let sweep = move || {
        let (pool, services) = (sweep_pool.clone(), Arc::clone(&sweep_services));
        async move { objects::sweep(&pool, &services).await }
    };
    vec![
        Job::new(JobCode::ScheduledPublications, publish),
        Job::new(JobCode::SilentPartners, silence),
        Job::new(JobCode::PartnerClosures, close),
        Job::new(JobCode::DataExports, export),
        Job::new(JobCode::SubscriptionChanges, subscriptions),
        Job::new(JobCode::AuditSeal, seal),
        Job::new(JobCode::ListingChangesSeal, feed),
        Job::new(JobCode::UsageCounts, usage),
        Job::new(JobCode::Tidying, tidy),
        Job::new(JobCode::ObjectsSweep, sweep),
        Job::new(JobCode::PictureRenditions, render),
        Job::new(JobCode::PublicationReleases, release),
    ]
}
