-- Data exports of a partner. A row is a task: the run that claims it holds a lease and renews it while it works, so
-- that another run takes over if the first one dies.
set lock_timeout = '10s';

create table data_export (
    export_uuid uuid constraint data_export_pkey primary key,
    partner_uuid uuid not null constraint data_export_partner_fkey references partner on delete cascade,
    state text not null default 'QUEUED'
        constraint data_export_state_check check (state in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    requested_by_kind text not null constraint data_export_requested_by_kind_check
        check (requested_by_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER')),
    requested_by uuid not null,
    -- The reason that staff gave; the partner reads it.
    reason text,
    created_at timestamptz not null default labs_now(),
    started_at timestamptz,
    ended_at timestamptz,
    -- Number of runs that claimed the export. A run whose number is not the latest has lost it.
    attempts integer not null default 0 constraint data_export_attempts_check check (attempts >= 0),
    -- End of the run's lease, or the time of the next attempt.
    claimed_until timestamptz,
    steps_done integer not null default 0,
    steps_total integer not null default 0,
    -- Unguessable name of the object. Each run has a different one.
    object_secret text,
    size_bytes bigint constraint data_export_size_bytes_check check (size_bytes > 0),
    sha256 bytea constraint data_export_sha256_check check (octet_length(sha256) = 32),
    expires_at timestamptz,
    -- Time at which its object was deleted.
    removed_at timestamptz,
    error text,
    constraint data_export_steps_check check (steps_done between 0 and steps_total),
    constraint data_export_succeeded_check check (state <> 'SUCCEEDED' or (object_secret is not null
        and size_bytes is not null and sha256 is not null and expires_at is not null)),
    constraint data_export_ended_at_check check ((state in ('SUCCEEDED', 'FAILED')) = (ended_at is not null))
);
-- One open export per partner.
create unique index data_export_open_key on data_export (partner_uuid) where state in ('QUEUED', 'RUNNING');
create index data_export_partner_idx on data_export (partner_uuid, created_at desc, export_uuid desc);
create index data_export_due_idx on data_export (created_at, export_uuid) where state in ('QUEUED', 'RUNNING');
create index data_export_expires_at_idx on data_export (expires_at) where removed_at is null and state = 'SUCCEEDED';

-- Returns a row as a line of an export: the part that an audit record may show, without the given columns. The export
-- does not name staff members.
create function data_export_line(fields jsonb, variadic withheld text[] default '{}') returns text
    language sql immutable parallel safe
    as $$
        select public.audit_visible(fields - withheld - case
            when fields ->> 'actor_kind' = 'STAFF_USER' then array['actor_uuid']
            when fields ->> 'author_kind' = 'STAFF_USER' then array['author_uuid']
            when fields ->> 'requested_by_kind' = 'STAFF_USER' then array['requested_by']
            else '{}'::text[]
        end)::text
    $$;

call audit_watch('data_export', 'export_uuid', 'insert');

grant select, insert, update on data_export to labs_service;

reset lock_timeout;
