-- Jobs as staff see them: the last result of each job, whether it is paused, and its current runs.
set lock_timeout = '10s';

-- One row per job, created by the first replica that has the job.
create table job (
    code text constraint job_pkey primary key,
    -- For a job with a calendar: due time of its next run. Null until its first run.
    next_run_at timestamptz,
    paused_at timestamptz,
    paused_because text,
    last_started_at timestamptz,
    last_ended_at timestamptz,
    last_outcome text constraint job_last_outcome_check check (last_outcome in ('SUCCEEDED', 'FAILED')),
    -- Number of items that the last run processed.
    last_done bigint,
    last_error text,
    -- Number of consecutive failed runs, and the time of the first of them.
    failures bigint not null default 0,
    failing_since timestamptz,
    runs bigint not null default 0,
    done bigint not null default 0,
    -- In the database's clock; its distance from now shows whether a job still runs.
    succeeded_on_clock timestamptz not null default clock_timestamp(),
    constraint job_paused_check check ((paused_at is null) = (paused_because is null))
) with (fillfactor = 50);

alter table job_run
    add column trigger text not null default 'SCHEDULE'
        constraint job_run_trigger_check check (trigger in ('SCHEDULE', 'STAFF')),
    add column done bigint,
    add column error_code text,
    -- Both in the database's clock: tests must not move leases.
    add column heartbeat_on_clock timestamptz,
    add column deadline_on_clock timestamptz,
    add column overran boolean not null default false;

-- A current run is the lease of its job: at most one exists.
create unique index job_run_under_way_key on job_run (job) where state in ('QUEUED', 'RUNNING');
grant select, insert, update on job to labs_service;

reset lock_timeout;
