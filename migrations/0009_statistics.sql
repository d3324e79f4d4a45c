-- Statistics of apps.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

-- State of the source in addition to its settings. One row, created by the first replica with a source.
create table statistic_source (
    only_row boolean constraint statistic_source_pkey primary key default true
        constraint statistic_source_only_row_check check (only_row),
    begins_on date not null,
    failures integer not null default 0,
    next_attempt_at timestamptz not null default labs_now()
);
comment on column statistic_source.begins_on is 'First day that the service imports without a request.';
comment on column statistic_source.failures is 'Number of consecutive failed imports.';

create table statistic_import (
    import_uuid uuid constraint statistic_import_pkey primary key,
    trigger text not null constraint statistic_import_trigger_check check (trigger in ('SCHEDULE', 'STAFF')),
    state text not null default 'QUEUED'
        constraint statistic_import_state_check check (state in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    days date[] not null constraint statistic_import_days_check check (cardinality(days) between 1 and 92),
    requested_by_kind text,
    requested_by uuid,
    claims integer not null default 0,
    claimed_until timestamptz,
    created_at timestamptz not null default labs_now(),
    started_at timestamptz,
    ended_at timestamptz,
    constraint statistic_import_ended_check check ((state in ('SUCCEEDED', 'FAILED')) = (ended_at is not null))
);
comment on column statistic_import.days is 'Days in the order of the import, oldest first.';
comment on column statistic_import.claims is
    'Number of replicas that have claimed the import. Writes of a former claim are rejected.';

-- One import at a time.
create unique index statistic_import_open_idx on statistic_import ((true)) where state in ('QUEUED', 'RUNNING');

create table statistic_import_run (
    run_uuid uuid constraint statistic_import_run_pkey primary key,
    import_uuid uuid not null constraint statistic_import_run_import_fkey references statistic_import,
    day date not null,
    state text not null default 'RUNNING'
        constraint statistic_import_run_state_check check (state in ('RUNNING', 'SUCCEEDED', 'FAILED')),
    started_at timestamptz not null default labs_now(),
    ended_at timestamptz,
    restated boolean not null default false,
    pages integer not null default 0,
    app_rows integer not null default 0,
    partner_rows integer not null default 0,
    unknown_apps integer not null default 0,
    unknown_partners integer not null default 0,
    error_code text,
    error text,
    constraint statistic_import_run_day_key unique (import_uuid, day),
    constraint statistic_import_run_ended_check check ((state = 'RUNNING') = (ended_at is null)),
    constraint statistic_import_run_error_check check ((state = 'FAILED') = (error_code is not null))
);
create index statistic_import_run_started_idx on statistic_import_run (started_at, run_uuid);
create index statistic_import_run_day_idx on statistic_import_run (day, run_uuid);
create index statistic_import_run_error_idx on statistic_import_run (error_code);

-- Imported days. A missing day is unknown, not zero.
create table statistic_day (
    day date constraint statistic_day_pkey primary key,
    imported_at timestamptz not null,
    restated_at timestamptz,
    -- Invented figures of the sample data, which the first import deletes.
    is_sample boolean not null default false
);
comment on column statistic_day.restated_at is 'Time at which a newer report last replaced the data.';

create table app_statistic (
    app_uuid uuid not null constraint app_statistic_app_fkey references app on delete cascade,
    day date not null constraint app_statistic_day_fkey references statistic_day,
    customers bigint not null constraint app_statistic_customers_check check (customers >= 0),
    constraint app_statistic_pkey primary key (app_uuid, day)
);
create index app_statistic_day_idx on app_statistic (day);
comment on table app_statistic is 'The owner follows from the app, so a transfer of the app includes its statistics.';

create table partner_statistic (
    partner_uuid uuid not null constraint partner_statistic_partner_fkey references partner on delete cascade,
    day date not null constraint partner_statistic_day_fkey references statistic_day,
    customers bigint not null constraint partner_statistic_customers_check check (customers >= 0),
    constraint partner_statistic_pkey primary key (partner_uuid, day)
);
create index partner_statistic_day_idx on partner_statistic (day);
comment on column partner_statistic.customers is
    'Number of distinct customers of all apps that the partner had at that time. Not the sum over the apps.';

-- Completed days without an import, with the time since when they are missing. A service without a source misses none,
-- regardless of this view.
create view statistic_missing_day as
select due.day::date as day, (due.day::date + 1)::timestamp at time zone 'UTC' as missing_since
from statistic_source as source
cross join lateral generate_series(
    source.begins_on::timestamp, ((labs_now() at time zone 'UTC')::date - 1)::timestamp, interval '1 day') as due (day)
where not exists (select from statistic_day as known where known.day = due.day::date);
call audit_watch('statistic_import', 'import_uuid');
grant select, insert, update on statistic_source, statistic_import, statistic_import_run, statistic_day to labs_service;
grant select, insert, delete on app_statistic, partner_statistic to labs_service;
grant delete on statistic_day to labs_service;
grant select on statistic_missing_day to labs_service;

reset check_function_bodies;
reset lock_timeout;
reset timezone;
