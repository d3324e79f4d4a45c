//! The loop of one job.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use labs_core::fault::Fault;
use labs_core::time::Time;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::board::Board;
use super::{Job, Outcome};
use labs_admin::jobs::{JobCode, JobPlan, Schedule};

/// Maximum pause after failures, for a job that otherwise runs more often.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Interval at which a job with a calendar checks for a run, in case it missed the signal.
const LOOK: Duration = Duration::from_secs(5);
/// Grace period for a run after the service stops.
const GRACE: Duration = Duration::from_secs(10);

/// A run to start.
pub(super) struct StartedRun {
    pub(super) run_uuid: Uuid,
    /// Whether the run history already contains it.
    pub(super) stands_in_ledger: bool,
}

/// A completed run.
pub(super) struct EndedRun {
    pub(super) code: JobCode,
    pub(super) plan: JobPlan,
    pub(super) run_uuid: Uuid,
    pub(super) stands_in_ledger: bool,
    pub(super) started_at: Time,
    pub(super) ended_at: Time,
    /// Consecutive failures before this run.
    pub(super) failures: u32,
    pub(super) outcome: Outcome,
}

/// Access of a job loop to the run history.
pub(super) trait RunStore: Send + Sync {
    /// Claims a run that staff requested. Returns false if another replica has claimed it.
    fn claim(&self, run_uuid: Uuid, plan: JobPlan) -> impl Future<Output = Result<bool, Fault>> + Send;

    /// Starts a scheduled run if it is due and no replica has started it, and sets the next due time.
    fn begin_due(
        &self,
        run_uuid: Uuid,
        code: JobCode,
        next_run_at: Time,
    ) -> impl Future<Output = Result<bool, Fault>> + Send;

    /// Records the run if it is relevant.
    fn note(&self, ended: &EndedRun) -> impl Future<Output = ()> + Send;
}

/// Runs a job at its times, until `stop`.
pub(super) async fn repeat<L, C>(job: Job, board: Arc<Board>, ledger: L, now: C, stop: CancellationToken)
where
    L: RunStore,
    C: Fn() -> Time + Send,
{
    let Some(slot) = board.slot(job.code) else { return };
    let mut failures = 0;
    loop {
        match begin(&job, &board, &ledger, now()).await {
            Ok(Some(StartedRun { run_uuid, stands_in_ledger })) => {
                let started_at = now();
                slot.begin(run_uuid, stands_in_ledger, job.plan.deadline, started_at);
                let outcome = run_job(&job, &stop).await;
                let next = if outcome.is_ok() { 0 } else { failures + 1 };
                let ended_at = now();
                let stands_in_ledger = slot.end(&outcome, started_at, ended_at, next);
                let (code, plan) = (job.code, job.plan);
                let ended =
                    EndedRun { code, plan, run_uuid, stands_in_ledger, started_at, ended_at, failures, outcome };
                ledger.note(&ended).await;
                failures = next;
            }
            Ok(None) => {}
            Err(fault) => {
                tracing::warn!(
                    job = job.code.name(),
                    cause = fault.for_log(),
                    "a job run could not be started; the service retries"
                );
            }
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = slot.wait_for_work() => {}
            () = sleep(pause(&job.plan, failures)) => {}
        }
    }
}

/// Returns the run to start now, if there is one.
async fn begin(job: &Job, board: &Board, ledger: &impl RunStore, now: Time) -> Result<Option<StartedRun>, Fault> {
    let Some(slot) = board.slot(job.code) else { return Ok(None) };
    if let Some(run_uuid) = slot.take_queued() {
        let is_taken = ledger.claim(run_uuid, job.plan).await?;
        return Ok(is_taken.then_some(StartedRun { run_uuid, stands_in_ledger: true }));
    }
    let run_uuid = labs_crypto::uuid_at(now.0);
    match job.plan.schedule.next_after(now)? {
        _ if !slot.may_run() => Ok(None),
        None => Ok(Some(StartedRun { run_uuid, stands_in_ledger: false })),
        Some(next_run_at) if slot.take_due() => {
            let is_begun = ledger.begin_due(run_uuid, job.code, next_run_at).await?;
            Ok(is_begun.then_some(StartedRun { run_uuid, stands_in_ledger: true }))
        }
        Some(_) => Ok(None),
    }
}

/// Computes the pause before the next check. For a repeating job it grows with each consecutive failure.
fn pause(plan: &JobPlan, failures: u32) -> Duration {
    match plan.schedule {
        Schedule::Every(every) => every.saturating_mul(1 << failures.min(5)).min(LONGEST_PAUSE.max(every)),
        Schedule::Calendar(_) => LOOK,
    }
}

/// Executes one run in a separate task, so that a panic counts as a failure.
async fn run_job(job: &Job, stop: &CancellationToken) -> Outcome {
    let mut run = tokio::spawn((job.run)());
    let given_up = async {
        stop.cancelled().await;
        sleep(GRACE).await;
    };
    tokio::pin!(given_up);
    loop {
        tokio::select! {
            ended = &mut run => return ended.unwrap_or_else(|error| Err(Fault::internal(error))),
            () = &mut given_up => return Err(Fault::unavailable("The service stopped before the run ended.")),
            () = sleep(job.plan.deadline) => {
                let seconds = job.plan.deadline.as_secs();
                tracing::warn!(job = job.code.name(), seconds, "a job run exceeds its deadline; the service waits \
                                                                for its end");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Stops the loop after the given number of runs and records their outcomes.
    struct Seen {
        runs: Arc<Mutex<Vec<Result<u64, u32>>>>,
        times: usize,
        stop: CancellationToken,
    }

    impl RunStore for Seen {
        async fn claim(&self, _: Uuid, _: JobPlan) -> Result<bool, Fault> {
            Ok(true)
        }

        async fn begin_due(&self, _: Uuid, _: JobCode, _: Time) -> Result<bool, Fault> {
            Ok(true)
        }

        async fn note(&self, ended: &EndedRun) {
            let mut runs = self.runs.lock().unwrap();
            runs.push(ended.outcome.as_ref().map(|done| *done).map_err(|_| ended.failures));
            if runs.len() == self.times {
                self.stop.cancel();
            }
        }
    }

    fn job<F, R>(schedule: Schedule, run: R) -> Job
    where
        R: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Outcome> + Send + 'static,
    {
        let mut job = Job::new(JobCode::Tidying, run);
        job.plan.schedule = schedule;
        job
    }

    const OFTEN: Schedule = Schedule::Every(Duration::from_millis(1));
    const RARE: Schedule = Schedule::Calendar("0 0 1 1 *");

    /// Runs a job the given number of times. Returns the outcome of each run.
    async fn runs_of(job: Job, board: Board, times: usize) -> Vec<Result<u64, u32>> {
        let (runs, stop) = (Arc::<Mutex<Vec<_>>>::default(), CancellationToken::new());
        let seen = Seen { runs: Arc::clone(&runs), times, stop: stop.clone() };
        repeat(job, Arc::new(board), seen, || Time(jiff::Timestamp::UNIX_EPOCH), stop).await;
        std::mem::take(&mut *runs.lock().unwrap())
    }

    /// Creates the state of a job that may run.
    fn board() -> Board {
        let board = Board::of([JobCode::Tidying]);
        board.slot(JobCode::Tidying).unwrap().apply_state(false, false, None);
        board
    }

    #[tokio::test]
    async fn failure_or_panic_does_not_end_job_loop() {
        let run = Arc::new(AtomicU32::new(0));
        let job = job(OFTEN, move || {
            let run = run.fetch_add(1, Ordering::SeqCst);
            async move {
                match run {
                    0 => Err(Fault::unavailable("away")),
                    1 => panic!("on purpose"),
                    done => Ok(done.into()),
                }
            }
        });
        assert_eq!(runs_of(job, board(), 4).await, [Err(0), Err(1), Ok(2), Ok(3)]);
    }

    #[tokio::test]
    async fn long_run_never_overlaps() {
        let running = Arc::new(AtomicU32::new(0));
        let mut job = job(OFTEN, move || {
            let running = Arc::clone(&running);
            async move {
                let others = running.fetch_add(1, Ordering::SeqCst);
                sleep(Duration::from_millis(20)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(others.into())
            }
        });
        job.plan.deadline = Duration::from_millis(5);
        assert_eq!(runs_of(job, board(), 3).await, [Ok(0), Ok(0), Ok(0)]);
    }

    #[tokio::test]
    async fn due_job_runs_and_paused_job_runs_on_staff_request() {
        let due = board();
        due.slot(JobCode::Tidying).unwrap().apply_state(false, true, None);
        assert_eq!(runs_of(job(RARE, || async { Ok(1) }), due, 1).await, [Ok(1)]);
        let asked = board();
        asked.slot(JobCode::Tidying).unwrap().apply_state(true, false, Some(Uuid::nil()));
        assert_eq!(runs_of(job(OFTEN, || async { Ok(2) }), asked, 1).await, [Ok(2)]);
    }

    #[tokio::test]
    async fn stop_signal_ends_wait() {
        let job = job(Schedule::Every(Duration::from_secs(3600)), || async { Ok(0) });
        assert_eq!(runs_of(job, board(), 1).await, [Ok(0)]);
    }

    #[test]
    fn retry_pause_grows_with_failures_up_to_maximum() {
        let of = |schedule| JobPlan { schedule, ..JobCode::Tidying.plan() };
        let often = of(Schedule::Every(Duration::from_millis(250)));
        assert_eq!([0, 1, 2, 3, 9].map(|failures| pause(&often, failures).as_millis()), [250, 500, 1000, 2000, 2000]);
        assert_eq!(pause(&of(Schedule::Every(Duration::from_secs(600))), 9), Duration::from_secs(600));
        assert_eq!(pause(&of(RARE), 9), LOOK);
    }
}
