//! What may be asked about jobs, and by whom.

use async_graphql::{Context, Object, SimpleObject};
use uuid::Uuid;

use super::list::{
    JOB_BY_CODE, JOBS, JobFilter, JobRow, JobRunFilter, JobRunOutcome, JobRunRow, JobRunSort, JobRunState,
    JobRunTrigger, RUN_BY_ID, RUNS, RunsOfJob,
};
use super::rules::{self, JobState, Standing};
use super::store;
use crate::admin::reason::{Reason, Remark};
use crate::core::access::access;
use crate::core::audit_target::AuditTargetKind;
use crate::core::context::{RequestContext, RequestContextExt, Target};
use crate::core::fault::Fault;
use crate::core::job::{JobCode, Schedule};
use crate::core::list::PageRequest;
use crate::core::page::CountedList;
use crate::core::time::Time;
use crate::core::words::words;

words! {
    /// How it is said when a job runs.
    pub(crate) enum JobScheduleKind {
        /// Again and again, with a pause between two runs.
        Every = "EVERY",
        /// At the times that match a cron expression.
        Calendar = "CALENDAR",
    }
}

/// Schedule of a job.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct JobSchedule {
    /// How it is said.
    kind: JobScheduleKind,
    /// The pause between two runs in milliseconds.
    every_ms: Option<i64>,
    /// A cron expression of five fields, in UTC.
    cron: Option<String>,
}

/// The last run of a job on any replica.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct JobLastRun {
    /// Time when the run started.
    started_at: Time,
    /// Time when the run ended.
    ended_at: Time,
    /// How it ended.
    outcome: JobRunOutcome,
    /// How many things it did.
    done: Option<i64>,
    /// Why it failed.
    error: Option<String>,
}

/// A background job.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct Job {
    /// Its code, for paths.
    code: JobCode,
    /// What it is for.
    purpose: String,
    /// When it runs.
    schedule: JobSchedule,
    /// How long a run may take, in seconds, before it is overrun.
    deadline_seconds: i64,
    /// Why it cannot be paused; null when it can be.
    needed_because: Option<String>,
    /// What it does now.
    state: JobState,
    /// UUID of the run that is in progress or requested.
    run_uuid: Option<Uuid>,
    /// When it runs next; null while it is paused, and for what runs again and again.
    next_run_at: Option<Time>,
    /// The last run on any replica.
    last_run: Option<JobLastRun>,
    /// How many runs failed in a row.
    failures: i64,
    /// When the first of them did.
    failing_since: Option<Time>,
    /// How many runs there were in all.
    runs: i64,
    /// How many things they did.
    done: i64,
    /// When it was paused.
    paused_at: Option<Time>,
    /// Why it was paused.
    paused_because: Option<String>,
    /// What the caller can do with it now.
    allowed_actions: Vec<String>,
}

/// A run of a job.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct JobRun {
    /// UUID of the run.
    uuid: Uuid,
    /// Its job.
    job_code: JobCode,
    /// Where it stands.
    state: JobRunState,
    /// What made it begin.
    trigger: JobRunTrigger,
    /// Time when the run was requested or started.
    created_at: Time,
    /// When it began.
    started_at: Option<Time>,
    /// Time when the run ended.
    ended_at: Option<Time>,
    /// How many things it did.
    done: Option<i64>,
    /// Why it failed, for programs.
    error_code: Option<String>,
    /// Why it failed, for people.
    error: Option<String>,
    /// Whether it took or takes longer than it should.
    is_overrun: bool,
}

/// Reads of jobs.
#[derive(Default)]
pub(crate) struct JobsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl JobsQuery {
    /// List jobs.
    #[graphql(directive = access::apply("labs.admin.operations".into()))]
    async fn admin_jobs_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<JobFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<Job>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = JOBS.page(cx, &filter, &PageRequest::new(None, limit, cursor)).await?;
        let total = JOBS.total(&cx.db, &filter, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(Job::of(row, cx)))?.counted_list(total))
    }

    /// List a job's runs.
    #[graphql(directive = access::apply("labs.admin.operations".into()))]
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the contract")]
    async fn admin_jobs_list_runs(
        &self,
        ctx: &Context<'_>,
        job_code: JobCode,
        filter: Option<JobRunFilter>,
        sort: Option<JobRunSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<JobRun>>, Fault> {
        let cx = ctx.cx();
        note_target(cx, job_code);
        let of = RunsOfJob { job: job_code, filter: filter.unwrap_or_default() };
        let rows = RUNS.page(cx, &of, &PageRequest::new(sort, limit, cursor)).await?;
        let total = RUNS.total(&cx.db, &of, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(JobRun::from(row)))?.counted_list(total))
    }
}

/// Writes of jobs.
#[derive(Default)]
pub(crate) struct JobsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl JobsMutation {
    /// Run a job.
    #[graphql(directive = access::apply("labs.admin.operations:write".into()))]
    async fn admin_jobs_run(
        &self,
        ctx: &Context<'_>,
        job_code: JobCode,
        body: Option<Remark>,
    ) -> Result<Option<JobRun>, Fault> {
        let cx = ctx.cx();
        note_target(cx, job_code);
        Remark::note(body, cx);
        let run_uuid = cx.new_uuid();
        held(cx, job_code).await?;
        if !store::run_insert(&cx.db, run_uuid, job_code).await? {
            return Err(Fault::conflict(
                "A run of this job is already queued or in progress. The list of its runs shows it. Try again after \
                 it has ended.",
            ));
        }
        let run = RUN_BY_ID.one(&cx.db, [run_uuid.into()]).await?.ok_or_else(not_found)?;
        cx.answer(run.into())
    }

    /// Pause a job.
    #[graphql(directive = access::apply("labs.admin.operations:write".into()))]
    async fn admin_jobs_pause(&self, ctx: &Context<'_>, job_code: JobCode, body: Reason) -> Result<Option<Job>, Fault> {
        let cx = ctx.cx();
        note_target(cx, job_code);
        let because = body.note(cx);
        rules::pausable(held(cx, job_code).await?)?;
        store::set_paused(&cx.db, job_code, &because).await?;
        job_answer(cx, job_code).await
    }

    /// Resume a job.
    #[graphql(directive = access::apply("labs.admin.operations:write".into()))]
    async fn admin_jobs_resume(
        &self,
        ctx: &Context<'_>,
        job_code: JobCode,
        body: Option<Remark>,
    ) -> Result<Option<Job>, Fault> {
        let cx = ctx.cx();
        note_target(cx, job_code);
        Remark::note(body, cx);
        rules::resumable(held(cx, job_code).await?)?;
        store::set_resumed(&cx.db, job_code).await?;
        job_answer(cx, job_code).await
    }
}

async fn held(cx: &RequestContext, code: JobCode) -> Result<Standing, Fault> {
    store::lock(&cx.db, code).await?.ok_or_else(not_found)
}

async fn job_answer(cx: &RequestContext, code: JobCode) -> Result<Option<Job>, Fault> {
    let row = JOB_BY_CODE.one(&cx.db, [code.name().into()]).await?.ok_or_else(not_found)?;
    cx.answer(Job::of(row, cx))
}

fn note_target(cx: &RequestContext, code: JobCode) {
    let label = Some(code.name().to_owned());
    cx.note_target(Target { kind: Some(AuditTargetKind::Job), label, ..Target::default() });
}

fn not_found() -> Fault {
    Fault::not_found("job")
}

impl Job {
    /// A row as it is shown to the caller.
    fn of(row: JobRow, cx: &RequestContext) -> Self {
        let plan = row.code.plan();
        let standing = Standing { code: row.code, is_paused: row.paused_at.is_some(), is_busy: row.run_uuid.is_some() };
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
            allowed_actions: if acts { rules::allowed_actions(standing) } else { Vec::new() },
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
