//! Work without a request: each job looks at the state and acts, again and again. It takes no input, so a signal that
//! was missed, a failure or a restart never matters (docs/decisions.md#transactions).
//!
//! Every replica runs every job; each job itself sees to it that two of them do not do the same thing twice (advisory
//! locks, `for update skip locked`). A failure or a panic is told and tried again; it never ends a loop. A run that
//! outlives its time is told and left to its end, never cut: cutting it while it begins a transaction would hand a
//! connection with an open transaction to the next request (docs/performance.md#what-the-figures-led-to).

mod closures;
mod listing_feed;
mod objects;
mod tidy;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::core::audit_chain::Sealer;
use crate::core::engine::Engine;
use crate::core::fault::Fault;
use crate::core::services::Services;
use crate::core::time::Time;
use crate::marketplace::{PutOff, attend_silent, publish_due};
use crate::publication::items::release_due;

/// How often the audit chain is continued: a record is sealed within a second of its commit.
const SEAL: Duration = Duration::from_millis(250);
/// How often changes of listings get their place in the feed: within a second of their commit.
const SEAL_LISTINGS: Duration = Duration::from_millis(500);
/// How often scheduled versions, and scheduled items of the publication, are looked for.
const PUBLISH: Duration = Duration::from_secs(1);
/// How often submissions are looked for whose partner is silent.
const REMIND: Duration = Duration::from_secs(2);
/// How often accounts are looked for whose time has come.
const CLOSE: Duration = Duration::from_secs(2);
/// How often archives that are asked for, or are over, are looked for.
const EXPORT: Duration = Duration::from_secs(2);
/// How often changes of subscriptions that wait for their time are looked for.
const SUBSCRIBE: Duration = Duration::from_secs(1);
/// How often usage is written.
const USAGE: Duration = Duration::from_secs(5);
/// How often what is of no more use is deleted.
const TIDY: Duration = Duration::from_secs(600);
/// How often pictures are looked for that nobody names. With their least age, what was replaced is gone within the hour.
const SWEEP: Duration = Duration::from_secs(1200);
/// The longest pause after failures, of a job that otherwise runs more often.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How long a run is waited for once the service stops.
const GRACE: Duration = Duration::from_secs(10);

/// How a run ended: how many things it did.
pub type Outcome = Result<u64, Fault>;

type Run = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Outcome> + Send>> + Send + Sync>;

/// Something to be done again and again.
pub struct Job {
    name: &'static str,
    every: Duration,
    patience: Duration,
    is_quiet: bool,
    run: Run,
}

impl Job {
    /// A job with its pause between two runs. A run answers how many things it did; runs that did something, and the
    /// first that fails, stand in the ledger of runs.
    pub fn new<F, R>(name: &'static str, every: Duration, run: R) -> Self
    where
        R: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Outcome> + Send + 'static,
    {
        let run: Run = Box::new(move || Box::pin(run()));
        Self { name, every, patience: Duration::from_secs(30), is_quiet: false, run }
    }

    /// The same, but only failures stand in the ledger: for what does something all the time.
    #[must_use]
    pub fn quiet(self) -> Self {
        Self { is_quiet: true, ..self }
    }

    /// The same with another time that a run may take before it is told; 30 seconds otherwise.
    #[must_use]
    pub fn patient(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The pause before the next run: longer after each failure in a row.
    fn pause(&self, failures: u32) -> Duration {
        self.every.saturating_mul(1 << failures.min(5)).min(LONGEST_PAUSE.max(self.every))
    }
}

/// The jobs of a running service.
pub struct Jobs {
    tasks: TaskTracker,
    pool: PgPool,
    services: Arc<Services>,
}

impl Jobs {
    /// Starts the service's own jobs, the watch over principals, and `further` ones. They run until `stop`.
    #[must_use]
    pub fn spawn(engine: &Engine, further: Vec<Job>, stop: &CancellationToken) -> Self {
        let (pool, services) = (engine.pool().clone(), Arc::clone(engine.services()));
        let tasks = TaskTracker::new();
        tasks.spawn(Arc::clone(&services.authority).watch(stop.clone()));
        for job in jobs_of_every_service(&pool, &services).into_iter().chain(further) {
            let (ledger, clock) = (pool.clone(), services.clock.clone());
            let noted = move |ended: Ended| {
                let ledger = ledger.clone();
                async move { ended.note(&ledger).await }
            };
            tasks.spawn(repeat(job, move || clock.now(), noted, stop.clone()));
        }
        tasks.close();
        Self { tasks, pool, services }
    }

    /// Waits until every run has ended, or has been waited for long enough, and writes the last counts. To be called
    /// after `stop`, and before the pool is closed.
    pub async fn end(self) {
        self.tasks.wait().await;
        if let Err(fault) = self.services.usage.flush(&self.pool).await {
            tracing::warn!(cause = fault.for_log(), "the last counts of usage are lost");
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
    let (sweep_pool, sweep_services) = (pool.clone(), Arc::clone(services));
    let sweep = move || {
        let (pool, services) = (sweep_pool.clone(), Arc::clone(&sweep_services));
        async move { objects::sweep(&pool, &services).await }
    };
    vec![
        Job::new("publish_due", PUBLISH, publish),
        Job::new("publication_due", PUBLISH, release),
        Job::new("silent_partners", REMIND, silence),
        Job::new("close_due", CLOSE, close),
        Job::new("data_exports", EXPORT, export).patient(Duration::from_secs(600)),
        Job::new("subscriptions_due", SUBSCRIBE, subscriptions),
        Job::new("audit_seal", SEAL, seal).quiet(),
        Job::new("listing_changes_seal", SEAL_LISTINGS, feed).quiet(),
        Job::new("usage_flush", USAGE, usage).quiet(),
        Job::new("tidy", TIDY, tidy).patient(Duration::from_secs(300)),
        Job::new("objects_sweep", SWEEP, sweep).patient(Duration::from_secs(600)),
    ]
}

/// A run that has ended.
struct Ended {
    job: &'static str,
    is_quiet: bool,
    started_at: Time,
    ended_at: Time,
    /// Failures in a row before it.
    failures: u32,
    outcome: Outcome,
}

/// One job's loop.
async fn repeat<C, N, F>(job: Job, now: C, note: N, stop: CancellationToken)
where
    C: Fn() -> Time,
    N: Fn(Ended) -> F,
    F: Future<Output = ()>,
{
    let mut failures = 0;
    loop {
        let started_at = now();
        let outcome = attend(&job, &stop).await;
        let next = if outcome.is_ok() { 0 } else { failures + 1 };
        let ended_at = now();
        note(Ended { job: job.name, is_quiet: job.is_quiet, started_at, ended_at, failures, outcome }).await;
        failures = next;
        if stop.run_until_cancelled(sleep(job.pause(failures))).await.is_none() {
            return;
        }
    }
}

/// One run, in a task of its own, so that a panic is a failure like any other.
async fn attend(job: &Job, stop: &CancellationToken) -> Outcome {
    let mut run = tokio::spawn((job.run)());
    let given_up = async {
        stop.cancelled().await;
        sleep(GRACE).await;
    };
    tokio::pin!(given_up);
    loop {
        tokio::select! {
            ended = &mut run => return ended.unwrap_or_else(|error| Err(Fault::internal(error))),
            () = &mut given_up => return Err(Fault::unavailable("The run outlived the service.")),
            () = sleep(job.patience) => {
                let seconds = job.patience.as_secs();
                tracing::warn!(job = job.name, seconds, "a run takes longer than it should; it is waited for");
            }
        }
    }
}

impl Ended {
    /// Tells what is worth telling, and writes the ledger, where the first of failures in a row stands for all.
    async fn note(self, pool: &PgPool) {
        let Self { job, is_quiet, failures, .. } = self;
        let (state, error) = match &self.outcome {
            Err(fault) if failures == 0 => {
                let code = fault.code().name();
                tracing::warn!(job, code, cause = fault.for_log(), "a job failed; it is tried again");
                ("FAILED", Some(format!("{code}: {fault}")))
            }
            Err(fault) => {
                tracing::warn!(job, failures, cause = fault.for_log(), "a job failed again");
                return;
            }
            Ok(_) if failures > 0 => {
                tracing::info!(job, failures, "a job succeeds again");
                ("SUCCEEDED", None)
            }
            Ok(done) if is_quiet || *done == 0 => return,
            Ok(done) => {
                tracing::debug!(job, done, "a job did something");
                ("SUCCEEDED", None)
            }
        };
        if let Err(fault) = self.write(pool, state, error).await {
            tracing::warn!(job, cause = fault.for_log(), "a run could not be written into the ledger");
        }
    }

    async fn write(&self, pool: &PgPool, state: &str, error: Option<String>) -> Result<(), Fault> {
        sqlx::query!(
            "insert into job_run (run_uuid, job, state, created_at, started_at, ended_at, error)
             values (labs_uuid(), $1, $2, $3, $3, $4, $5)",
            self.job,
            state,
            self.started_at as Time,
            self.ended_at as Time,
            error,
        )
        .execute(pool)
        .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Runs a job until it has ended so often; how each run ended.
    async fn runs_of(job: Job, times: usize) -> Vec<Result<u64, u32>> {
        let stop = CancellationToken::new();
        let seen = Mutex::new(Vec::new());
        let note = |ended: Ended| {
            let mut seen = seen.lock().unwrap();
            seen.push(ended.outcome.map_err(|_| ended.failures));
            if seen.len() == times {
                stop.cancel();
            }
            async {}
        };
        repeat(job, || Time(jiff::Timestamp::UNIX_EPOCH), note, stop.clone()).await;
        seen.into_inner().unwrap()
    }

    #[tokio::test]
    async fn neither_a_failure_nor_a_panic_ends_a_loop() {
        let run = Arc::new(AtomicU32::new(0));
        let job = Job::new("shaky", Duration::from_millis(1), move || {
            let run = run.fetch_add(1, Ordering::SeqCst);
            async move {
                match run {
                    0 => Err(Fault::unavailable("away")),
                    1 => panic!("on purpose"),
                    done => Ok(done.into()),
                }
            }
        });
        assert_eq!(runs_of(job, 4).await, [Err(0), Err(1), Ok(2), Ok(3)]);
    }

    #[tokio::test]
    async fn a_run_that_takes_long_is_waited_for_and_never_overlaps() {
        let running = Arc::new(AtomicU32::new(0));
        let job = Job::new("slow", Duration::from_millis(1), move || {
            let running = Arc::clone(&running);
            async move {
                let others = running.fetch_add(1, Ordering::SeqCst);
                sleep(Duration::from_millis(20)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(others.into())
            }
        });
        assert_eq!(runs_of(job.patient(Duration::from_millis(5)), 3).await, [Ok(0), Ok(0), Ok(0)]);
    }

    #[tokio::test]
    async fn a_stop_ends_the_pause() {
        let job = Job::new("rare", Duration::from_secs(3600), || async { Ok(0) });
        assert_eq!(runs_of(job, 1).await, [Ok(0)]);
    }

    #[test]
    fn pauses_grow_with_failures_and_stop_growing() {
        let often = Job::new("often", Duration::from_millis(250), || async { Ok(0) });
        let pauses = [0, 1, 2, 3, 9].map(|failures| often.pause(failures).as_millis());
        assert_eq!(pauses, [250, 500, 1000, 2000, 2000]);
        let rare = Job::new("rare", Duration::from_secs(600), || async { Ok(0) });
        assert_eq!(rare.pause(9), Duration::from_secs(600));
    }
}
