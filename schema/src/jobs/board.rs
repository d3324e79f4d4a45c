//! Exchange of job state between this replica and the database. Once per second it reads which jobs are paused, due or
//! requested, and renews the runs in progress. Every few seconds it writes the results.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use labs_core::fault::Fault;
use labs_core::time::Time;
use sqlx::PgPool;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Outcome;
use super::run_store;
use labs_admin::jobs::{JobCode, Schedule};

/// Interval between two database queries.
const BEAT: Duration = Duration::from_secs(1);
/// Beats between two reports, unless a job starts to fail or recovers.
const BEATS_A_TELLING: u32 = 5;
/// Duration from which a run of a repeating job is written to the run history while in progress.
const WORTH_A_ROW: Duration = Duration::from_secs(1);

/// State of the jobs of this replica.
pub(super) struct Board(BTreeMap<JobCode, Slot>);

/// State of one job of this replica.
#[derive(Default)]
pub(super) struct Slot {
    state: Mutex<State>,
    call: Notify,
}

#[derive(Default)]
struct State {
    /// Whether the job may run; false before the first database query.
    may_run: bool,
    is_due: bool,
    queued: Option<Uuid>,
    running: Option<Running>,
    /// Results since the last report.
    report: Option<RunReport>,
}

struct Running {
    run_uuid: Uuid,
    stands_in_ledger: bool,
    since: Instant,
    started_at: Time,
    deadline: Duration,
}

/// Results of a job since its last report.
#[derive(Clone)]
pub(super) struct RunReport {
    pub(super) started_at: Time,
    pub(super) ended_at: Time,
    /// Result of the last run, or its error.
    pub(super) last: Result<u64, String>,
    pub(super) failures: u32,
    pub(super) runs: u64,
    pub(super) done: u64,
    pub(super) succeeded: bool,
    /// Whether the report must be sent without delay.
    is_news: bool,
}

/// A run in progress whose lease must be renewed.
pub(super) struct ActiveRun {
    pub(super) code: JobCode,
    pub(super) run_uuid: Uuid,
    pub(super) started_at: Time,
    pub(super) deadline: Duration,
    stands_in_ledger: bool,
}

impl Board {
    /// Creates the state for these jobs, with no information from the database yet.
    pub(super) fn of(codes: impl IntoIterator<Item = JobCode>) -> Self {
        Self(codes.into_iter().map(|code| (code, Slot::default())).collect())
    }

    /// Returns the state of one job.
    pub(super) fn slot(&self, code: JobCode) -> Option<&Slot> {
        self.0.get(&code)
    }

    /// Exchanges state with the database until `stop`.
    pub(super) async fn keep(self: Arc<Self>, pool: PgPool, stop: CancellationToken) {
        let mut beats = 0;
        loop {
            if let Err(fault) = self.sync(&pool, beats).await {
                tracing::debug!(
                    cause = fault.for_log(),
                    "the states of the jobs cannot be read or written; the service retries"
                );
            }
            beats = (beats + 1) % BEATS_A_TELLING;
            if stop.run_until_cancelled(sleep(BEAT)).await.is_none() {
                return;
            }
        }
    }

    async fn sync(&self, pool: &PgPool, beats: u32) -> Result<(), Fault> {
        if beats == 0 {
            run_store::enter(pool, self.0.keys().copied()).await?;
            run_store::mark_broken(pool).await?;
        }
        if beats == 0 || self.0.values().any(Slot::has_news) {
            self.push_report(pool).await?;
        }
        self.keep_alive(pool).await?;
        for word in run_store::load_states(pool, self.0.keys().copied()).await? {
            if let Some(slot) = self.slot(word.code) {
                let is_due = word.is_due && matches!(word.code.plan().schedule, Schedule::Calendar(_));
                slot.apply_state(word.is_paused, is_due, word.queued);
            }
        }
        Ok(())
    }

    /// Writes the results. Results that cannot be written are kept for the next report.
    pub(super) async fn push_report(&self, pool: &PgPool) -> Result<(), Fault> {
        let taken: Vec<(JobCode, RunReport)> =
            self.0.iter().filter_map(|(code, slot)| Some((*code, slot.state().report.take()?))).collect();
        let report = run_store::write_reports(pool, &taken).await;
        if report.is_err() {
            for (code, report) in taken {
                if let Some(slot) = self.slot(code) {
                    slot.state().push_report(report, true);
                }
            }
        }
        report
    }

    /// Renews the leases of the runs in progress, and writes long runs to the run history.
    async fn keep_alive(&self, pool: &PgPool) -> Result<(), Fault> {
        let alive: Vec<ActiveRun> = self.0.iter().filter_map(|(code, slot)| slot.active_run(*code)).collect();
        let known: Vec<Uuid> = alive.iter().filter(|run| run.stands_in_ledger).map(|run| run.run_uuid).collect();
        run_store::renew(pool, &known).await?;
        for run in alive.iter().filter(|run| !run.stands_in_ledger) {
            let is_entered = run_store::enter_run(pool, run).await?;
            let goes_on = self.slot(run.code).is_some_and(|slot| slot.has_entered(run.run_uuid, is_entered));
            if is_entered && !goes_on {
                run_store::forget(pool, run.run_uuid).await?;
            }
        }
        Ok(())
    }
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies the database's answer, and wakes the job if there is something to run.
    pub(super) fn apply_state(&self, is_paused: bool, is_due: bool, queued: Option<Uuid>) {
        let mut state = self.state();
        let could_run = std::mem::replace(&mut state.may_run, !is_paused);
        let begins = state.may_run && !could_run;
        (state.is_due, state.queued) = (is_due, queued);
        if queued.is_some() || begins || (is_due && !is_paused) {
            self.call.notify_one();
        }
    }

    /// Waits until there is something to run.
    pub(super) async fn wait_for_work(&self) {
        self.call.notified().await;
    }

    /// Whether the job may run: it was not paused at the last database query.
    pub(super) fn may_run(&self) -> bool {
        self.state().may_run
    }

    /// Takes the run that staff requested. Each request is returned once.
    pub(super) fn take_queued(&self) -> Option<Uuid> {
        self.state().queued.take()
    }

    /// Whether the scheduled time has come. Each due time is returned once.
    pub(super) fn take_due(&self) -> bool {
        std::mem::take(&mut self.state().is_due)
    }

    /// Marks a run as started.
    pub(super) fn begin(&self, run_uuid: Uuid, stands_in_ledger: bool, deadline: Duration, started_at: Time) {
        let since = Instant::now();
        self.state().running = Some(Running { run_uuid, stands_in_ledger, since, started_at, deadline });
    }

    /// Marks the run as ended. Returns whether the run history contains it.
    pub(super) fn end(&self, outcome: &Outcome, started_at: Time, ended_at: Time, failures: u32) -> bool {
        let mut state = self.state();
        let report = RunReport {
            started_at,
            ended_at,
            last: outcome.as_ref().map(|done| *done).map_err(run_store::explain),
            failures,
            runs: 1,
            done: *outcome.as_ref().unwrap_or(&0),
            succeeded: outcome.is_ok(),
            is_news: failures == 1,
        };
        state.push_report(report, false);
        state.running.take().is_some_and(|running| running.stands_in_ledger)
    }

    fn has_news(&self) -> bool {
        self.state().report.as_ref().is_some_and(|report| report.is_news)
    }

    /// Returns the run in progress if the run history contains it or if it has become long.
    fn active_run(&self, code: JobCode) -> Option<ActiveRun> {
        let state = self.state();
        let running = state.running.as_ref()?;
        let Running { run_uuid, stands_in_ledger, started_at, deadline, .. } = *running;
        (stands_in_ledger || running.since.elapsed() >= WORTH_A_ROW).then_some(ActiveRun {
            code,
            run_uuid,
            started_at,
            deadline,
            stands_in_ledger,
        })
    }

    /// Marks a run as contained in the run history. Returns false if it has ended since.
    fn has_entered(&self, run_uuid: Uuid, is_entered: bool) -> bool {
        match &mut self.state().running {
            Some(running) if running.run_uuid == run_uuid => {
                running.stands_in_ledger = is_entered;
                true
            }
            _ => false,
        }
    }
}

impl State {
    /// Merges results into the pending results: earlier ones if `is_before`, else later ones.
    fn push_report(&mut self, mut report: RunReport, is_before: bool) {
        if let Some(other) = self.report.take() {
            let (runs, done) = (report.runs + other.runs, report.done + other.done);
            let (succeeded, is_news) = (report.succeeded || other.succeeded, report.is_news || other.is_news);
            let last = if is_before { other } else { report };
            report = RunReport { runs, done, succeeded, is_news, ..last };
        } else if is_before {
            report.is_news = true;
        }
        self.report = Some(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paused_job_may_not_run_until_resumed() {
        let slot = Slot::default();
        assert!(!slot.may_run(), "before the database was asked");
        slot.apply_state(false, false, None);
        assert!(slot.may_run());
        slot.apply_state(true, false, None);
        assert!(!slot.may_run());
        slot.apply_state(false, false, None);
        assert!(slot.may_run());
    }
}
