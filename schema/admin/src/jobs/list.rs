//! Lists of jobs and of their runs for staff, with filters.

use labs_core::describe::InputType;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue, Statements};
use labs_core::time::Time;
use labs_core::words::{Word as _, words};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::plan::JobCode;
use super::rules::JobState;

words! {
    /// State of a run.
    pub enum JobRunState {
        /// Waits for a replica.
        Queued = "QUEUED",
        /// In progress.
        Running = "RUNNING",
        /// Completed its work.
        Succeeded = "SUCCEEDED",
        /// Did not complete its work or was interrupted.
        Failed = "FAILED",
    }
}

words! {
    /// Outcome of a run.
    pub enum JobRunOutcome {
        /// Completed its work.
        Succeeded = "SUCCEEDED",
        /// Did not complete its work or was interrupted.
        Failed = "FAILED",
    }
}

words! {
    /// Trigger of a run.
    pub enum JobRunTrigger {
        /// The schedule started the run.
        Schedule = "SCHEDULE",
        /// A staff member requested the run.
        Staff = "STAFF",
    }
}

/// A job.
#[derive(sqlx::FromRow)]
pub(super) struct JobRow {
    pub(super) code: JobCode,
    pub(super) state: JobState,
    pub(super) next_run_at: Option<Time>,
    pub(super) paused_at: Option<Time>,
    pub(super) paused_because: Option<String>,
    pub(super) last_started_at: Option<Time>,
    pub(super) last_ended_at: Option<Time>,
    pub(super) last_outcome: Option<JobRunOutcome>,
    pub(super) last_done: Option<i64>,
    pub(super) last_error: Option<String>,
    pub(super) failures: i64,
    pub(super) failing_since: Option<Time>,
    pub(super) runs: i64,
    pub(super) done: i64,
    pub(super) run_uuid: Option<Uuid>,
}

static JOB: Select<JobRow> = Select::new(
    "job.code, shown.state, job.next_run_at, job.paused_at, job.paused_because, job.last_started_at, job.last_ended_at,
     job.last_outcome, job.last_done, job.last_error, job.failures, job.failing_since, job.runs, job.done, run.run_uuid",
    "job
     left join job_run as run on run.job = job.code and run.state in ('QUEUED', 'RUNNING')
     cross join lateral (
         select case when run.deadline_on_clock < clock_timestamp() then 'OVERRUN'
                     when run.state is not null then run.state
                     when job.paused_at is not null then 'PAUSED' else 'IDLE' end as state) as shown",
);

/// Lookup of one job by its code.
pub(super) static JOB_BY_CODE: Lookup<JobRow> = Lookup::new(&JOB, &["job.code = {}"]);

/// Filter of the list of jobs. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct JobFilter {
    state: Option<Vec<JobState>>,
}

/// List query of the jobs by code, limited to the jobs of this version of the service.
pub(super) static JOBS: ListQuery<JobFilter, JobRow, FixedOrder> = ListQuery {
    operation: "admin_jobs_list",
    select: &JOB,
    within: &[Condition { sql: "job.code = any({})", value: |_| SqlValue::words(Some(&JobCode::ALL.to_vec())) }],
    conditions: &[Condition { sql: "shown.state = any({})", value: |filter| SqlValue::words(filter.state.as_ref()) }],
    order: |FixedOrder| const { &[Key::text("job.code", |row: &JobRow| json!(row.code))] },
};

/// A run of a job.
#[derive(sqlx::FromRow)]
pub(super) struct JobRunRow {
    pub(super) run_uuid: Uuid,
    pub(super) job: JobCode,
    pub(super) state: JobRunState,
    pub(super) trigger: JobRunTrigger,
    pub(super) created_at: Time,
    pub(super) started_at: Option<Time>,
    pub(super) ended_at: Option<Time>,
    pub(super) done: Option<i64>,
    pub(super) error_code: Option<String>,
    pub(super) error: Option<String>,
    pub(super) is_overrun: bool,
}

static RUN: Select<JobRunRow> = Select::new(
    "run_uuid, job, state, trigger, created_at, started_at, ended_at, done, error_code, error,
     overran or (state = 'RUNNING' and coalesce(deadline_on_clock < clock_timestamp(), false)) as is_overrun",
    "job_run",
);

/// Lookup of one run.
pub(super) static RUN_BY_ID: Lookup<JobRunRow> = Lookup::new(&RUN, &["run_uuid = {}"]);

/// Filter of the list of runs. The contract describes each field.
#[derive(Debug, Default, serde::Deserialize, InputType, Serialize)]
pub(super) struct JobRunFilter {
    state: Option<Vec<JobRunState>>,
    trigger: Option<Vec<JobRunTrigger>>,
    created_at_from: Option<Time>,
    created_at_until: Option<Time>,
}

/// Job whose runs are listed, with the filter.
#[derive(Debug, Serialize)]
pub(super) struct RunsOfJob {
    pub(super) job: JobCode,
    pub(super) filter: JobRunFilter,
}

words! {
    /// Orders of runs.
    pub enum JobRunSort {
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
        /// Oldest first.
        CreatedAt = "CREATED_AT",
    }
}

/// List query of the runs of a job.
pub(super) static RUNS: ListQuery<RunsOfJob, JobRunRow, JobRunSort> = ListQuery {
    operation: "admin_jobs_list_runs",
    select: &RUN,
    within: &[Condition { sql: "job = {}", value: |of| Some(of.job.name().into()) }],
    conditions: &[
        Condition { sql: "state = any({})", value: |of| SqlValue::words(of.filter.state.as_ref()) },
        Condition { sql: "trigger = any({})", value: |of| SqlValue::words(of.filter.trigger.as_ref()) },
        Condition { sql: "created_at >= {}", value: |of| of.filter.created_at_from.map(SqlValue::from) },
        Condition { sql: "created_at < {}", value: |of| of.filter.created_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        JobRunSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
        JobRunSort::CreatedAt => const { &[CREATED, ID] },
    },
};

const ID: Key<JobRunRow> = Key::id("run_uuid", |row| json!(row.run_uuid));
const CREATED: Key<JobRunRow> = Key::moment("created_at", |row| json!(row.created_at));

/// Run-time SQL statements of jobs, which the compiler does not check.
pub static STATEMENTS: [&dyn Statements; 4] = [&JOBS, &JOB_BY_CODE, &RUNS, &RUN_BY_ID];
