//! Statements that the jobs themselves run for jobs and their runs.
//!
//! Leases and deadlines use the database's real clock, `clock_timestamp()`, which tests cannot move.

use std::time::Duration;

use labs_core::fault::Fault;
use labs_core::time::Time;
use labs_core::words::Word as _;
use sqlx::PgPool;
use sqlx::postgres::types::PgInterval;
use uuid::Uuid;

use super::board::{ActiveRun, RunReport};
use super::runner::{EndedRun, RunStore};
use labs_admin::jobs::{JobCode, JobPlan};

/// Minimum delay of a required job before readiness reports it: several report intervals.
const LEAST_LATENESS: Duration = Duration::from_secs(15);
/// Number of intervals without a run after which a job is behind.
const INTERVALS: u32 = 3;

/// The run history in the database.
pub(super) struct PgRunStore(pub(super) PgPool);

impl RunStore for PgRunStore {
    async fn claim(&self, run_uuid: Uuid, plan: JobPlan) -> Result<bool, Fault> {
        let claimed = sqlx::query!(
            "update job_run
             set state = 'RUNNING', started_at = labs_now(), heartbeat_on_clock = clock_timestamp(),
                 deadline_on_clock = clock_timestamp() + $2
             where run_uuid = $1 and state = 'QUEUED'",
            run_uuid,
            interval(plan.deadline)?,
        )
        .execute(&self.0)
        .await?;
        Ok(claimed.rows_affected() == 1)
    }

    async fn begin_due(&self, run_uuid: Uuid, code: JobCode, next_run_at: Time) -> Result<bool, Fault> {
        let begun = sqlx::query!(
            "with due as (
                 update job set next_run_at = $3
                 where code = $2 and coalesce(next_run_at <= labs_now(), true) and paused_at is null
                   and not exists (select from job_run where job = $2 and state in ('QUEUED', 'RUNNING'))
                 returning code
             )
             insert into job_run (run_uuid, job, state, started_at, heartbeat_on_clock, deadline_on_clock)
             select $1, code, 'RUNNING', labs_now(), clock_timestamp(), clock_timestamp() + $4 from due
             on conflict (job) where state in ('QUEUED', 'RUNNING') do nothing",
            run_uuid,
            code.name(),
            next_run_at as Time,
            interval(code.plan().deadline)?,
        )
        .execute(&self.0)
        .await?;
        Ok(begun.rows_affected() == 1)
    }

    /// Logs the run if it is relevant, and writes the run history. The first of consecutive failures represents all of
    /// them.
    async fn note(&self, ended: &EndedRun) {
        let (job, failures) = (ended.code.name(), ended.failures);
        let is_worth_a_row = match &ended.outcome {
            Err(fault) if failures == 0 => {
                tracing::warn!(
                    job,
                    code = fault.code().name(),
                    cause = fault.for_log(),
                    "a job run failed; it is retried"
                );
                true
            }
            Err(fault) => {
                tracing::warn!(job, failures, cause = fault.for_log(), "a job run failed again; the service retries");
                false
            }
            Ok(_) if failures > 0 => {
                tracing::info!(job, failures, "a job run succeeded after failures");
                true
            }
            Ok(done) => {
                tracing::trace!(job, done, "a job run succeeded");
                !ended.plan.is_quiet && *done > 0
            }
        };
        if !is_worth_a_row && !ended.stands_in_ledger {
            return;
        }
        if let Err(fault) = write(&self.0, ended).await {
            tracing::warn!(job, cause = fault.for_log(), "a job run could not be recorded");
        }
    }
}

/// Renders a fault for the run history.
pub(super) fn explain(fault: &Fault) -> String {
    format!("{}: {fault}", fault.code().name())
}

fn interval(duration: Duration) -> Result<PgInterval, Fault> {
    PgInterval::try_from(duration).map_err(Fault::internal)
}

async fn write(pool: &PgPool, ended: &EndedRun) -> Result<(), Fault> {
    let (state, done, error) = match &ended.outcome {
        Ok(done) => ("SUCCEEDED", i64::try_from(*done).ok(), None),
        Err(fault) => ("FAILED", None, Some((fault.code().name(), explain(fault)))),
    };
    let (error_code, error) = error.unzip();
    sqlx::query!(
        "insert into job_run as known (run_uuid, job, state, created_at, started_at, ended_at, done, error_code, error)
         values ($1, $2, $3, $4, $4, $5, $6, $7, $8)
         on conflict (run_uuid) do update
         set state = excluded.state, ended_at = excluded.ended_at, done = excluded.done,
             error_code = excluded.error_code, error = excluded.error,
             overran = known.deadline_on_clock < clock_timestamp()",
        ended.run_uuid,
        ended.code.name(),
        state,
        ended.started_at as Time,
        ended.ended_at as Time,
        done,
        error_code,
        error,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Inserts the rows of jobs that have none.
pub(super) async fn enter(pool: &PgPool, codes: impl Iterator<Item = JobCode>) -> Result<(), Fault> {
    let codes: Vec<&str> = codes.map(JobCode::name).collect();
    sqlx::query!(
        "insert into job (code)
         select code from unnest($1::text[]) as code
         where not exists (select from job where job.code = code.code) order by code
         on conflict (code) do nothing",
        &codes as &[&str]
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Marks runs of replicas without a current lease as interrupted, and makes scheduled jobs among them due. Gives up a
/// requested run that no replica took because no replica has the job.
pub(super) async fn mark_broken(pool: &PgPool) -> Result<(), Fault> {
    sqlx::query!(
        "with broken as (
             update job_run
             set state = 'FAILED', ended_at = labs_now(), error_code = 'BROKEN_OFF',
                 error = 'BROKEN_OFF: The replica that ran it does not answer any more.'
             where state = 'RUNNING' and heartbeat_on_clock < clock_timestamp() - interval '30 seconds'
             returning job
         ), given_up as (
             update job_run
             set state = 'FAILED', ended_at = labs_now(), error_code = 'NOT_TAKEN',
                 error = 'NOT_TAKEN: No replica that runs has this job.'
             where state = 'QUEUED' and created_at < labs_now() - interval '10 minutes'
         )
         update job set next_run_at = labs_now()
         where code in (select job from broken) and next_run_at is not null"
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Writes the results of the jobs since the last report. Rows are locked in one order, so that replicas never deadlock.
pub(super) async fn write_reports(pool: &PgPool, reports: &[(JobCode, RunReport)]) -> Result<(), Fault> {
    if reports.is_empty() {
        return Ok(());
    }
    let (mut codes, mut started, mut ended, mut done) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut errors, mut failures, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut all_done, mut succeeded) = (Vec::new(), Vec::new());
    for (code, reports) in reports {
        codes.push(code.name());
        started.push(reports.started_at);
        ended.push(reports.ended_at);
        done.push(reports.last.as_ref().ok().and_then(|done| i64::try_from(*done).ok()));
        errors.push(reports.last.as_ref().err().cloned());
        failures.push(i64::from(reports.failures));
        runs.push(i64::try_from(reports.runs).unwrap_or(i64::MAX));
        all_done.push(i64::try_from(reports.done).unwrap_or(i64::MAX));
        succeeded.push(reports.succeeded);
    }
    sqlx::query!(
        "with held as (select code from job where code = any($1) order by code for update)
         update job as j
         set last_started_at = told.started_at, last_ended_at = told.ended_at,
             last_outcome = case when told.error is null then 'SUCCEEDED' else 'FAILED' end,
             last_done = told.done, last_error = told.error, failures = told.failures,
             failing_since = case when told.failures > 0 then coalesce(j.failing_since, told.started_at) end,
             runs = j.runs + told.runs, done = j.done + told.all_done,
             succeeded_on_clock = case when told.succeeded then clock_timestamp() else j.succeeded_on_clock end
         from unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::bigint[], $5::text[], $6::bigint[],
                 $7::bigint[], $8::bigint[], $9::bool[])
              as told (code, started_at, ended_at, done, error, failures, runs, all_done, succeeded)
         join held using (code)
         where j.code = told.code",
        &codes as &[&str],
        &started as &[Time],
        &ended as &[Time],
        &done as &[Option<i64>],
        &errors as &[Option<String>],
        &failures,
        &runs,
        &all_done,
        &succeeded,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Renews the leases of runs, and marks runs past their deadline.
pub(super) async fn renew(pool: &PgPool, runs: &[Uuid]) -> Result<(), Fault> {
    if runs.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "update job_run
         set heartbeat_on_clock = clock_timestamp(), overran = deadline_on_clock < clock_timestamp()
         where run_uuid = any($1) and state = 'RUNNING'",
        runs
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Inserts a long run of a repeating job. Returns false if the row of another replica exists.
pub(super) async fn enter_run(pool: &PgPool, run: &ActiveRun) -> Result<bool, Fault> {
    let entered = sqlx::query!(
        "insert into job_run (run_uuid, job, state, created_at, started_at, heartbeat_on_clock, deadline_on_clock)
         values ($1, $2, 'RUNNING', $3, $3, clock_timestamp(), clock_timestamp() + $4)
         on conflict do nothing",
        run.run_uuid,
        run.code.name(),
        run.started_at as Time,
        interval(run.deadline)?,
    )
    .execute(pool)
    .await?;
    Ok(entered.rows_affected() == 1)
}

/// Deletes the row of a run that ended while it was inserted.
pub(super) async fn forget(pool: &PgPool, run_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("delete from job_run where run_uuid = $1 and state = 'RUNNING'", run_uuid).execute(pool).await?;
    Ok(())
}

/// State of a job in the database.
pub(super) struct JobStateRow {
    pub(super) code: JobCode,
    pub(super) is_paused: bool,
    pub(super) is_due: bool,
    pub(super) queued: Option<Uuid>,
}

/// Loads the state of these jobs.
pub(super) async fn load_states(
    pool: &PgPool,
    codes: impl Iterator<Item = JobCode>,
) -> Result<Vec<JobStateRow>, Fault> {
    let codes: Vec<&str> = codes.map(JobCode::name).collect();
    Ok(sqlx::query_as!(
        JobStateRow,
        r#"select code as "code: _", paused_at is not null as "is_paused!",
                  coalesce(next_run_at <= labs_now(), true) as "is_due!",
                  (select run_uuid from job_run where job = code and state = 'QUEUED') as queued
           from job where code = any($1)"#,
        &codes as &[&str]
    )
    .fetch_all(pool)
    .await?)
}

/// Returns the codes of required jobs that have not succeeded for three times their interval (and for at least 15
/// seconds).
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub async fn list_behind(pool: &PgPool, now: Time) -> Result<Vec<&'static str>, Fault> {
    let rows = sqlx::query!(
        r#"select code, extract(epoch from clock_timestamp() - succeeded_on_clock)::float8 as "seconds!" from job"#
    )
    .fetch_all(pool)
    .await?;
    let mut behind = Vec::new();
    for row in rows {
        let Some(code) = JobCode::read(&row.code) else { continue };
        let plan = code.plan();
        let longest = plan.schedule.interval(now)?.saturating_mul(INTERVALS).max(LEAST_LATENESS);
        if plan.needed_because.is_some() && row.seconds > longest.as_secs_f64() {
            behind.push(code.name());
        }
    }
    behind.sort_unstable();
    Ok(behind)
}
