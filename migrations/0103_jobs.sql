-- Background work as operators see it: what each job did last, whether it is paused, and its runs while they go on.
set lock_timeout = '10s';

-- One row a job, made by the first replica that knows it.
create table job (
    code text constraint job_pkey primary key,
    -- Of a job with a calendar: when its next run is due. Null until its first.
    next_run_at timestamptz,
    paused_at timestamptz,
    paused_because text,
    last_started_at timestamptz,
    last_ended_at timestamptz,
    last_outcome text constraint job_last_outcome_check check (last_outcome in ('SUCCEEDED', 'FAILED')),
    -- How many things the last run did.
    last_done bigint,
    last_error text,
    -- Runs in a row that failed, and when the first of them did.
    failures bigint not null default 0,
    failing_since timestamptz,
    runs bigint not null default 0,
    done bigint not null default 0,
    -- By the database's own clock, whose distance from now tells whether a job still runs.
    succeeded_on_clock timestamptz not null default clock_timestamp(),
    constraint job_paused_check check ((paused_at is null) = (paused_because is null))
) with (fillfactor = 50);

alter table job_run
    add column trigger text not null default 'SCHEDULE'
        constraint job_run_trigger_check check (trigger in ('SCHEDULE', 'STAFF')),
    add column done bigint,
    add column error_code text,
    -- Both by the database's own clock: leases are not for tests to move.
    add column heartbeat_on_clock timestamptz,
    add column deadline_on_clock timestamptz,
    add column overran boolean not null default false;

-- A run under way is the lease of its job: there is one at most.
create unique index job_run_under_way_key on job_run (job) where state in ('QUEUED', 'RUNNING');
grant select, insert, update on job to labs_service;

reset lock_timeout;
