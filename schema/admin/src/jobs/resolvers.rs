//! Operations on jobs and the scopes that they require.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_core::time::Time;
use labs_core::words::words;
use uuid::Uuid;

use super::list::{
    JOB_BY_CODE, JOBS, JobFilter, JobRow, JobRunFilter, JobRunOutcome, JobRunRow, JobRunSort, JobRunState,
    JobRunTrigger, RUN_BY_ID, RUNS, RunsOfJob,
};
use super::plan::{JobCode, Schedule};
use super::rules::{self, JobState, JobStatus};
use super::store;
use crate::reason::{Reason, Remark};

words! {
    /// Kind of schedule of a job.
    pub enum JobScheduleKind {
        /// Runs repeatedly on every replica. The replicas ensure that no work is done twice.
        Every = "EVERY",
        /// Runs on one replica at the times that match `cron`. One run makes up for all missed times.
        Calendar = "CALENDAR",
    }
}

/// Schedule of a job.
#[derive(serde::Serialize, OutputType)]
pub(super) struct JobSchedule {
    /// Kind of schedule.
    kind: JobScheduleKind,
    /// Pause between two runs in milliseconds. Null for a calendar schedule.
    every_ms: Option<i64>,
    /// Cron expression with five fields (minute, hour, day of month, month, day of week) in UTC. Null for other
    /// schedules.
    cron: Option<String>,
}

/// Last run of a job on any replica.
#[derive(serde::Serialize, OutputType)]
pub(super) struct JobLastRun {
    /// Time when the run started.
    started_at: Time,
    /// Time when the run ended.
    ended_at: Time,
    /// Outcome of the run.
    outcome: JobRunOutcome,
    /// Number of items processed, for example mail messages delivered or rows deleted. Null if the run failed.
    done: Option<i64>,
    /// Reason for the failure, without addresses or secrets.
    error: Option<String>,
}

/// A background job. The service updates the data about the last run every five seconds, and about failures
/// immediately.
#[derive(serde::Serialize, OutputType)]
pub(super) struct Job {
    /// Code of the job, for paths.
    code: JobCode,
    /// Purpose of the job, in one sentence.
    purpose: String,
    /// Schedule of the job.
    schedule: JobSchedule,
    /// Duration in seconds after which a run is overrun. The service never stops an overrun run.
    deadline_seconds: i64,
    /// Reason why the job cannot be paused: other functions depend on it. Null if the job can be paused.
    needed_because: Option<String>,
    /// Current state of the job.
    state: JobState,
    /// UUID of the run that is in progress or requested.
    run_uuid: Option<Uuid>,
    /// Time of the next run according to the calendar schedule. Null while the job is paused, and for a job that runs
    /// repeatedly.
    next_run_at: Option<Time>,
    /// Last run on any replica. Null before the first run.
    last_run: Option<JobLastRun>,
    /// Number of consecutive failed runs. 0 if the last run succeeded.
    failures: i64,
    /// Start time of the first of these failed runs.
    failing_since: Option<Time>,
    /// Total number of runs on all replicas.
    runs: i64,
    /// Total number of items processed in all runs.
    done: i64,
    /// Time when the job was paused. Null unless the job is paused.
    paused_at: Option<Time>,
    /// Reason given for the pause.
    paused_because: Option<String>,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// A run of a job.
#[derive(serde::Serialize, OutputType)]
pub(super) struct JobRun {
    /// UUID of the run.
    uuid: Uuid,
    /// Code of the job.
    job_code: JobCode,
    /// State of the run.
    state: JobRunState,
    /// Trigger of the run.
    trigger: JobRunTrigger,
    /// Time when the run was requested or started.
    created_at: Time,
    /// Time when the run started. Null while the run is `QUEUED`.
    started_at: Option<Time>,
    /// Time when the run ended or was found to be interrupted. Null before that time.
    ended_at: Option<Time>,
    /// Number of items processed. Null unless the run `SUCCEEDED`.
    done: Option<i64>,
    /// Machine-readable reason for the failure: an error code, or one of these codes.
    /// - `BROKEN_OFF`: the replica did not respond for 30 seconds. If the job is scheduled, a replica starts it again.
    /// - `NOT_TAKEN`: no replica started the run within ten minutes, because no running version of the service has the
    ///   job.
    error_code: Option<String>,
    /// Human-readable reason for the failure, without addresses or secrets.
    error: Option<String>,
    /// Whether the run took, or so far takes, longer than `deadline_seconds` of its job.
    is_overrun: bool,
}

/// Operations of this file.
pub const OPERATIONS: &[Operation] =
    operations![admin_jobs_list, admin_jobs_list_runs, admin_jobs_run, admin_jobs_pause, admin_jobs_resume];

/// List jobs.
#[operation(query, access = "labs.admin.operations")]
async fn admin_jobs_list(
    cx: &RequestContext,
    filter: Option<JobFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<Job>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = JOBS.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?;
    let total = JOBS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(Job::of(row, cx)))?.counted_list(total))
}

/// List a job's runs.
#[operation(query, access = "labs.admin.operations")]
async fn admin_jobs_list_runs(
    cx: &RequestContext,
    job_code: JobCode,
    filter: Option<JobRunFilter>,
    sort: Option<JobRunSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<JobRun>, Fault> {
    note_target(cx, job_code);
    let of = RunsOfJob { job: job_code, filter: filter.unwrap_or_default() };
    let rows = RUNS.page(cx, &of, &PageRequest::new(sort, limit, cursor)).await?;
    let total = RUNS.total(&cx.db, &of, include_total).await?;
    Ok(rows.map(|row| Ok(JobRun::from(row)))?.counted_list(total))
}

/// Run a job.
#[operation(mutation, access = "labs.admin.operations:write")]
async fn admin_jobs_run(cx: &RequestContext, job_code: JobCode, body: Option<Remark>) -> Result<JobRun, Fault> {
    note_target(cx, job_code);
    Remark::note(body, cx);
    let run_uuid = cx.new_uuid();
    lock_job(cx, job_code).await?;
    if !store::insert_run(&cx.db, run_uuid, job_code).await? {
        return Err(Fault::conflict(
            "A run of this job is already queued or in progress. The list of its runs shows it. Try again after \
             it has ended.",
        ));
    }
    let run = RUN_BY_ID.fetch_one(&cx.db, [run_uuid.into()]).await?.ok_or_else(err_not_found)?;
    Ok(run.into())
}

/// Pause a job.
#[operation(mutation, access = "labs.admin.operations:write")]
async fn admin_jobs_pause(cx: &RequestContext, job_code: JobCode, body: Reason) -> Result<Job, Fault> {
    note_target(cx, job_code);
    let because = body.note(cx);
    rules::ensure_pausable(lock_job(cx, job_code).await?)?;
    store::set_paused(&cx.db, job_code, &because).await?;
    job_answer(cx, job_code).await
}

/// Resume a job.
#[operation(mutation, access = "labs.admin.operations:write")]
async fn admin_jobs_resume(cx: &RequestContext, job_code: JobCode, body: Option<Remark>) -> Result<Job, Fault> {
    note_target(cx, job_code);
    Remark::note(body, cx);
    rules::ensure_resumable(lock_job(cx, job_code).await?)?;
    store::set_resumed(&cx.db, job_code).await?;
    job_answer(cx, job_code).await
}

async fn lock_job(cx: &RequestContext, code: JobCode) -> Result<JobStatus, Fault> {
    store::lock(&cx.db, code).await?.ok_or_else(err_not_found)
}

async fn job_answer(cx: &RequestContext, code: JobCode) -> Result<Job, Fault> {
    let row = JOB_BY_CODE.fetch_one(&cx.db, [code.name().into()]).await?.ok_or_else(err_not_found)?;
    Ok(Job::of(row, cx))
}

fn note_target(cx: &RequestContext, code: JobCode) {
    let label = Some(code.name().to_owned());
    cx.note_target(Target { kind: Some(AuditTargetKind::Job), label, ..Target::default() });
}

fn err_not_found() -> Fault {
    Fault::not_found("job")
}

impl Job {
    /// Converts a row to the representation for the caller.
    fn of(row: JobRow, cx: &RequestContext) -> Self {
        let plan = row.code.plan();
        let status = JobStatus { code: row.code, is_paused: row.paused_at.is_some(), is_busy: row.run_uuid.is_some() };
        let acts = cx.may("labs.admin.operations:write");
        let (every_ms, cron) = match plan.schedule {
            Schedule::Every(pause) => (i64::try_from(pause.as_millis()).ok(), None),
            Schedule::Calendar(expression) => (None, Some(expression.to_owned())),
        };
        let ends = row.last_started_at.zip(row.last_ended_at).zip(row.last_outcome);
        Self {
            code: row.code,
            purpose: row.code.purpose().to_owned(),
            schedule: JobSchedule {
                kind: if cron.is_some() { JobScheduleKind::Calendar } else { JobScheduleKind::Every },
                every_ms,
                cron,
            },
            deadline_seconds: i64::try_from(plan.deadline.as_secs()).unwrap_or(i64::MAX),
            needed_because: plan.needed_because.map(str::to_owned),
            state: row.state,
            run_uuid: row.run_uuid,
            next_run_at: row.next_run_at.filter(|_| row.paused_at.is_none()),
            last_run: ends.map(|((started_at, ended_at), outcome)| JobLastRun {
                started_at,
                ended_at,
                outcome,
                done: row.last_done,
                error: row.last_error,
            }),
            failures: row.failures,
            failing_since: row.failing_since,
            runs: row.runs,
            done: row.done,
            paused_at: row.paused_at,
            paused_because: row.paused_because,
            allowed_actions: if acts { rules::allowed_actions(status) } else { Vec::new() },
        }
    }
}

impl From<JobRunRow> for JobRun {
    fn from(row: JobRunRow) -> Self {
        Self {
            uuid: row.run_uuid,
            job_code: row.job,
            state: row.state,
            trigger: row.trigger,
            created_at: row.created_at,
            started_at: row.started_at,
            ended_at: row.ended_at,
            done: row.done,
            error_code: row.error_code,
            error: row.error,
            is_overrun: row.is_overrun,
        }
    }
}
