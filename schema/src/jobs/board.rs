//! What this replica and the database tell each other of the jobs: once a second which are paused, due or asked for, and
//! that runs under way are alive; every few seconds what was done.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::Outcome;
use super::ledger;
use crate::core::fault::Fault;
use crate::core::job::{JobCode, Schedule};
use crate::core::time::Time;

/// How often the database is asked.
const BEAT: Duration = Duration::from_secs(1);
/// Beats from one telling to the next, unless a job begins to fail or succeeds again.
const BEATS_A_TELLING: u32 = 5;
/// How long a run goes on before the ledger has it, of a job that runs again and again.
const WORTH_A_ROW: Duration = Duration::from_secs(1);

/// The jobs of this replica.
pub(super) struct Board(BTreeMap<JobCode, Slot>);

/// One job of this replica.
#[derive(Default)]
pub(super) struct Slot {
    state: Mutex<State>,
    call: Notify,
}

#[derive(Default)]
struct State {
    /// Whether it may run; not before the database was asked.
    may_run: bool,
    is_due: bool,
    queued: Option<Uuid>,
    running: Option<Running>,
    /// What has been done since the last telling.
    told: Option<Told>,
}

struct Running {
    run_uuid: Uuid,
    stands_in_ledger: bool,
    since: Instant,
    started_at: Time,
    deadline: Duration,
}

/// What a job did since that was last told.
#[derive(Clone)]
pub(super) struct Told {
    pub(super) started_at: Time,
    pub(super) ended_at: Time,
    /// What the last run did, or why it failed.
    pub(super) last: Result<u64, String>,
    pub(super) failures: u32,
    pub(super) runs: u64,
    pub(super) done: u64,
    pub(super) succeeded: bool,
    /// Whether this should not wait.
    is_news: bool,
}

/// A run that is alive.
pub(super) struct Alive {
    pub(super) code: JobCode,
    pub(super) run_uuid: Uuid,
    pub(super) started_at: Time,
    pub(super) deadline: Duration,
    stands_in_ledger: bool,
}

impl Board {
    /// A board of these jobs, of which nothing is known yet.
    pub(super) fn of(codes: impl IntoIterator<Item = JobCode>) -> Self {
        Self(codes.into_iter().map(|code| (code, Slot::default())).collect())
    }

    /// One job.
    pub(super) fn slot(&self, code: JobCode) -> Option<&Slot> {
        self.0.get(&code)
    }

    /// Keeps board and database together until `stop`.
    pub(super) async fn keep(self: Arc<Self>, pool: PgPool, stop: CancellationToken) {
        let mut beats = 0;
        loop {
            if let Err(fault) = self.beat(&pool, beats).await {
                tracing::debug!(cause = fault.for_log(), "the table of jobs does not answer; the next beat retries");
            }
            beats = (beats + 1) % BEATS_A_TELLING;
            if stop.run_until_cancelled(sleep(BEAT)).await.is_none() {
                return;
            }
        }
    }

    async fn beat(&self, pool: &PgPool, beats: u32) -> Result<(), Fault> {
        if beats == 0 {
            ledger::enter(pool, self.0.keys().copied()).await?;
            ledger::break_off(pool).await?;
        }
        if beats == 0 || self.0.values().any(Slot::has_news) {
            self.tell(pool).await?;
        }
        self.keep_alive(pool).await?;
        for word in ledger::look(pool, self.0.keys().copied()).await? {
            if let Some(slot) = self.slot(word.code) {
                let is_due = word.is_due && matches!(word.code.plan().schedule, Schedule::Calendar(_));
                slot.look(word.is_paused, is_due, word.queued);
            }
        }
        Ok(())
    }

    /// Writes what was done. What cannot be written is kept for the next time.
    pub(super) async fn tell(&self, pool: &PgPool) -> Result<(), Fault> {
        let taken: Vec<(JobCode, Told)> =
            self.0.iter().filter_map(|(code, slot)| Some((*code, slot.state().told.take()?))).collect();
        let told = ledger::tell(pool, &taken).await;
        if told.is_err() {
            for (code, told) in taken {
                if let Some(slot) = self.slot(code) {
                    slot.state().tell(told, true);
                }
            }
        }
        told
    }

    /// Renews the runs under way, and enters those that have become long.
    async fn keep_alive(&self, pool: &PgPool) -> Result<(), Fault> {
        let alive: Vec<Alive> = self.0.iter().filter_map(|(code, slot)| slot.alive(*code)).collect();
        let known: Vec<Uuid> = alive.iter().filter(|run| run.stands_in_ledger).map(|run| run.run_uuid).collect();
        ledger::renew(pool, &known).await?;
        for run in alive.iter().filter(|run| !run.stands_in_ledger) {
            let is_entered = ledger::enter_run(pool, run).await?;
            let goes_on = self.slot(run.code).is_some_and(|slot| slot.has_entered(run.run_uuid, is_entered));
            if is_entered && !goes_on {
                ledger::forget(pool, run.run_uuid).await?;
            }
        }
        Ok(())
    }
}

impl Slot {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in what the database says, and calls the job if there is something to run.
    pub(super) fn look(&self, is_paused: bool, is_due: bool, queued: Option<Uuid>) {
        let mut state = self.state();
        let could_run = std::mem::replace(&mut state.may_run, !is_paused);
        let begins = state.may_run && !could_run;
        (state.is_due, state.queued) = (is_due, queued);
        if queued.is_some() || begins || (is_due && !is_paused) {
            self.call.notify_one();
        }
    }

    /// Waits until there is something to run.
    pub(super) async fn called(&self) {
        self.call.notified().await;
    }

    /// Whether it may run: it is not paused, as far as the database said.
    pub(super) fn may_run(&self) -> bool {
        self.state().may_run
    }

    /// The run that staff asked for; it is asked for once.
    pub(super) fn take_queued(&self) -> Option<Uuid> {
        self.state().queued.take()
    }

    /// Whether the calendar's time has come; that is told once.
    pub(super) fn take_due(&self) -> bool {
        std::mem::take(&mut self.state().is_due)
    }

    /// A run begins.
    pub(super) fn begin(&self, run_uuid: Uuid, stands_in_ledger: bool, deadline: Duration, started_at: Time) {
        let since = Instant::now();
        self.state().running = Some(Running { run_uuid, stands_in_ledger, since, started_at, deadline });
    }

    /// The run has ended. Answers whether the ledger has it.
    pub(super) fn end(&self, outcome: &Outcome, started_at: Time, ended_at: Time, failures: u32) -> bool {
        let mut state = self.state();
        let told = Told {
            started_at,
            ended_at,
            last: outcome.as_ref().map(|done| *done).map_err(ledger::explain),
            failures,
            runs: 1,
            done: *outcome.as_ref().unwrap_or(&0),
            succeeded: outcome.is_ok(),
            is_news: failures == 1,
        };
        state.tell(told, false);
        state.running.take().is_some_and(|running| running.stands_in_ledger)
    }

    fn has_news(&self) -> bool {
        self.state().told.as_ref().is_some_and(|told| told.is_news)
    }

    /// The run under way, if the ledger has it or it has become long.
    fn alive(&self, code: JobCode) -> Option<Alive> {
        let state = self.state();
        let running = state.running.as_ref()?;
        let Running { run_uuid, stands_in_ledger, started_at, deadline, .. } = *running;
        (stands_in_ledger || running.since.elapsed() >= WORTH_A_ROW).then_some(Alive {
            code,
            run_uuid,
            started_at,
            deadline,
            stands_in_ledger,
        })
    }

    /// Remembers that a run stands in the ledger. False when it has ended meanwhile.
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
    /// Adds a telling to what waits: one from `before` it, or one after it.
    fn tell(&mut self, mut told: Told, is_before: bool) {
        if let Some(other) = self.told.take() {
            let (runs, done) = (told.runs + other.runs, told.done + other.done);
            let (succeeded, is_news) = (told.succeeded || other.succeeded, told.is_news || other.is_news);
            let last = if is_before { other } else { told };
            told = Told { runs, done, succeeded, is_news, ..last };
        } else if is_before {
            told.is_news = true;
        }
        self.told = Some(told);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_holds_what_runs_already_until_it_is_lifted() {
        let slot = Slot::default();
        assert!(!slot.may_run(), "before the database was asked");
        slot.look(false, false, None);
        assert!(slot.may_run());
        slot.look(true, false, None);
        assert!(!slot.may_run());
        slot.look(false, false, None);
        assert!(slot.may_run());
    }
}
