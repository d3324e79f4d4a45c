-- Foundation: the clock, the append-only logs, the notifications about changed rights, the outbox, the budgets and the
-- database role of the service. Nothing here is specific to one of the nine groups of resources; every group uses it.
--
-- Written for PostgreSQL 14 to 17. If a migration does not get a lock within the timeout, it fails instead of making
-- callers queue behind it. The old binary continues to serve.
set lock_timeout = '10s';

-- The only clock of every statement and every default. It is a function, so that a test can replace it and move time.
-- Nothing else in this database reads the time.
create function labs_now() returns timestamptz
    language sql stable parallel safe
    as 'select pg_catalog.now()';

-- Returns a UUID of version 7, for the few rows whose id no caller generates: PostgreSQL before 18 has no such
-- function. The first 48 bits are milliseconds. Setting bits 52 and 53 changes the version nibble of a random UUID from
-- 4 to 7.
create function labs_uuid() returns uuid
    language sql volatile parallel safe
    as $$
        select encode(set_bit(set_bit(overlay(
            uuid_send(pg_catalog.gen_random_uuid())
            placing substring(int8send(floor(extract(epoch from public.labs_now()) * 1000)::bigint) from 3)
            from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
    $$;

-- Audit log. One record per staff operation, and per refused attempt at one, written in the transaction that produces
-- the response. It has no foreign keys, because the rows that it names may be deleted or may never have existed.
-- `transaction_id` lets the sealer process records in an order that no late commit can change.
create table audit_log (
    record_uuid uuid constraint audit_log_pkey primary key,
    recorded_at timestamptz not null default labs_now(),
    transaction_id xid8 not null default pg_current_xact_id(),
    operation text not null,
    channel text not null
        constraint audit_log_channel_check check (channel in ('REST', 'PLAYGROUND', 'COMMAND_LINE', 'JOB')),
    outcome text not null
        constraint audit_log_outcome_check check (outcome in ('SUCCEEDED', 'REFUSED', 'FAILED')),
    code text,
    actor_kind text not null
        constraint audit_log_actor_kind_check
        check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM', 'ANONYMOUS')),
    actor_uuid uuid,
    actor_label text,
    scope text,
    target_kind text,
    target_uuid uuid,
    target_label text,
    partner_uuid uuid,
    reason text,
    request_id text,
    address inet,
    parameters jsonb,
    constraint audit_log_actor_check check (actor_kind in ('SYSTEM', 'ANONYMOUS') or actor_uuid is not null)
);

-- Every filter of the staff list ends in the same order, so that one index serves a page without a sort.
create index audit_log_recorded_at_idx on audit_log (recorded_at desc, record_uuid desc);
create index audit_log_actor_idx on audit_log (actor_uuid, recorded_at desc, record_uuid desc)
    where actor_uuid is not null;
create index audit_log_operation_idx on audit_log (operation, recorded_at desc, record_uuid desc);
create index audit_log_target_idx on audit_log (target_uuid, recorded_at desc, record_uuid desc)
    where target_uuid is not null;
create index audit_log_partner_idx on audit_log (partner_uuid, recorded_at desc, record_uuid desc)
    where partner_uuid is not null;
create index audit_log_outcome_idx on audit_log (outcome, recorded_at desc, record_uuid desc);
create index audit_log_request_id_idx on audit_log (request_id) where request_id is not null;
create index audit_log_transaction_id_idx on audit_log (transaction_id, record_uuid);

-- The difference that a write made, one row per changed row. The key of the changed row is stored in addition to the
-- difference, because an update records only the columns that changed. The foreign key is deferred to the end of the
-- transaction: the record is written last, when the outcome is known, and a difference without a record must not be
-- committed.
create table audit_change (
    record_uuid uuid not null
        constraint audit_change_record_fkey references audit_log deferrable initially deferred,
    position bigint not null generated always as identity,
    thing text not null,
    action text not null constraint audit_change_action_check check (action in ('INSERT', 'UPDATE', 'DELETE')),
    thing_uuid uuid,
    thing_key jsonb not null default '{}',
    before jsonb,
    after jsonb,
    constraint audit_change_pkey primary key (record_uuid, position)
);
create index audit_change_thing_idx on audit_change (thing_uuid, record_uuid) where thing_uuid is not null;

-- The hash chain. Sealing follows within a second of the commit, in one place, so that writers never wait for each
-- other. It has no foreign key: a seal outlives a record that was removed, which is how the removal is detected.
create table audit_seal (
    position bigint constraint audit_seal_pkey primary key
        constraint audit_seal_position_check check (position > 0),
    record_uuid uuid not null constraint audit_seal_record_key unique,
    previous_hash bytea not null
        constraint audit_seal_previous_hash_check check (octet_length(previous_hash) = 32),
    hash bytea not null constraint audit_seal_hash_check check (octet_length(hash) = 32),
    -- When this seal was set, every record of a transaction below this one had its seal. The next search starts here.
    settled_below xid8 not null,
    sealed_at timestamptz not null default labs_now()
);

-- The data that a seal covers, defined once for sealing and for verifying: SHA-256 over the record and its differences
-- as the text of a JSON array. Nothing in it may depend on a session setting, and nothing may be moved or left out
-- later, or every seal breaks. A column that is added later is appended, and only if it is not null.
create view audit_canonical as
select
    l.record_uuid, l.transaction_id,
    sha256(convert_to(jsonb_build_array(
        l.record_uuid, to_char(l.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), l.transaction_id::text,
        l.operation, l.channel, l.outcome, l.code, l.actor_kind, l.actor_uuid, l.actor_label, l.scope,
        l.target_kind, l.target_uuid, l.target_label, l.partner_uuid, l.reason, l.request_id, l.address::text,
        l.parameters, (
            select coalesce(jsonb_agg(jsonb_build_array(c.position, c.thing, c.action, c.thing_uuid, c.thing_key,
                c.before, c.after) order by c.position), '[]')
            from audit_change as c
            where c.record_uuid = l.record_uuid
        ))::text, 'UTF8')) as digest
from audit_log as l;

-- Returns the part of a row that an audit record may show: no secret, no second-factor data, no search vector. Ids may
-- stay, regardless of their name. A column that contains a secret must have one of these words in its name.
create function audit_visible(fields jsonb) returns jsonb
    language sql immutable strict parallel safe
    as $$
        select coalesce(jsonb_object_agg(key, value), '{}')
        from jsonb_each(fields)
        where key !~ '(hash|sha256|sealed|secret|token|password|last_step|^search)' or key ~ '_uuid$'
    $$;

-- Captures one changed row. It does nothing unless the transaction names, in `labs.audit_record`, the record to which
-- its differences belong; the service sets it for audited operations only. The first argument names the column that
-- identifies the object, the others are the primary key. An update that changes only hidden columns leaves a row with
-- two empty sides: the fact that something changed is not secret.
create function audit_capture() returns trigger language plpgsql as $$
declare
    record_id text := current_setting('labs.audit_record', true);
    old_row jsonb;
    new_row jsonb;
    fields jsonb;
begin
    if record_id is null or record_id = '' then
        return null;
    end if;
    old_row := case when tg_op <> 'INSERT' then to_jsonb(old) end;
    new_row := case when tg_op <> 'DELETE' then to_jsonb(new) end;
    fields := coalesce(new_row, old_row);
    if tg_op = 'UPDATE' then
        select coalesce(jsonb_object_agg(key, value), '{}'), coalesce(jsonb_object_agg(key, old_row -> key), '{}')
        into new_row, old_row
        from jsonb_each(new_row)
        where value is distinct from old_row -> key;
        if new_row = '{}' then
            return null;
        end if;
    end if;
    insert into public.audit_change (record_uuid, thing, action, thing_uuid, thing_key, before, after)
    values (record_id::uuid, tg_table_name, tg_op, (fields ->> nullif(tg_argv[0], ''))::uuid,
        public.audit_visible((select coalesce(jsonb_object_agg(name, fields -> name), '{}')
            from unnest(tg_argv[1:]) as name)),
        public.audit_visible(old_row), public.audit_visible(new_row));
    return null;
end $$;

-- Audits a table. `thing_column` is null if the rows belong to no object with a UUID; `events` restricts the trigger
-- for tables that the service itself writes all the time.
create procedure audit_watch(
    table_name text, thing_column text default null, events text default 'insert or update or delete'
) language plpgsql as $$
declare
    arguments text;
begin
    select string_agg(quote_literal(name), ', ' order by place) into strict arguments
    from (
        select coalesce(thing_column, '') as name, 0::bigint as place
        union all
        select a.attname::text, k.place
        from pg_catalog.pg_index as i
        cross join unnest(i.indkey::smallint[]) with ordinality as k (attnum, place)
        join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum
        where i.indrelid = format('public.%I', table_name)::regclass and i.indisprimary
    ) as columns;
    execute format('create trigger %I after %s on public.%I for each row execute function public.audit_capture(%s)',
        table_name || '_audit', events, table_name, arguments);
end $$;

-- Notifies replicas about ended or changed rights. Replicas cache the rights of a principal and listen on `authority`.
-- The payload is `<kind>:<whose>`: the second argument names the column to send, or is `*` for all of that kind. The
-- trigger is attached only to columns that end or change a right: a notifying commit waits for every other one, so no
-- hot path may notify.
create function authority_changed() returns trigger language plpgsql as $$
begin
    perform pg_catalog.pg_notify('authority', tg_argv[0] || ':' || case
        when tg_argv[1] = '*' then '*'
        else coalesce(to_jsonb(new), to_jsonb(old)) ->> tg_argv[1]
    end);
    return null;
end $$;

-- Idempotency keys are kept for 24 hours, per principal and operation, and are written in the transaction of their
-- effect. An expired row is overwritten (`on conflict … do update … where created_at < …`) or swept.
create table idempotency_key (
    principal text not null,
    operation text not null,
    key text not null constraint idempotency_key_key_check check (length(key) between 1 and 255),
    request_sha256 bytea not null
        constraint idempotency_key_request_check check (octet_length(request_sha256) = 32),
    answer_sealed bytea not null,
    created_at timestamptz not null default labs_now(),
    constraint idempotency_key_pkey primary key (principal, operation, key)
);
create index idempotency_key_created_at_idx on idempotency_key (created_at);

-- Outbox. A mail message is queued in the transaction that causes it and sent afterwards, once. Its content may contain
-- a one-time token, so it is sealed, and wiped as soon as the message is sent.
create table mail_message (
    message_uuid uuid constraint mail_message_pkey primary key,
    kind text not null,
    recipient text not null,
    locale text not null default 'en',
    subject text not null,
    content_sealed bytea,
    state text not null default 'QUEUED'
        constraint mail_message_state_check check (state in ('QUEUED', 'SENT', 'FAILED')),
    attempts integer not null default 0 constraint mail_message_attempts_check check (attempts >= 0),
    next_attempt_at timestamptz not null default labs_now(),
    sent_at timestamptz,
    last_error text,
    created_at timestamptz not null default labs_now(),
    person_uuid uuid,
    partner_uuid uuid,
    constraint mail_message_content_check
        check ((state <> 'QUEUED' or content_sealed is not null) and (state <> 'SENT' or content_sealed is null)),
    constraint mail_message_sent_at_check check ((state = 'SENT') = (sent_at is not null))
);
create index mail_message_due_idx on mail_message (next_attempt_at, message_uuid) where state = 'QUEUED';
create index mail_message_created_at_idx on mail_message (created_at desc, message_uuid desc);
create index mail_message_state_idx on mail_message (state, created_at desc, message_uuid desc);
-- The number of recent mail messages to an address limits how many more it gets.
create index mail_message_recipient_idx on mail_message (lower(recipient), created_at desc);
create index mail_message_person_idx on mail_message (person_uuid) where person_uuid is not null;
create index mail_message_partner_idx on mail_message (partner_uuid) where partner_uuid is not null;

-- Keys that sign access tokens. The private half is sealed with a key that is not in the database, and may be deleted
-- once the key is retired. The public half stays until the last token that it signed has expired.
create table signing_key (
    key_id text constraint signing_key_pkey primary key,
    algorithm text not null constraint signing_key_algorithm_check check (algorithm in ('EdDSA', 'ES256')),
    state text not null constraint signing_key_state_check check (state in ('NEXT', 'CURRENT', 'RETIRED')),
    public_key bytea not null,
    private_key_sealed bytea,
    created_at timestamptz not null default labs_now(),
    activated_at timestamptz,
    retired_at timestamptz,
    expires_at timestamptz,
    constraint signing_key_private_check check (state = 'RETIRED' or private_key_sealed is not null)
);
create unique index signing_key_current_key on signing_key (state) where state = 'CURRENT';
create unique index signing_key_next_key on signing_key (state) where state = 'NEXT';

-- Budgets. The burst budget is counted in memory. The daily budget is counted here, in portions, so that replicas and
-- restarts together never grant more than the limit. An account is `partner:<uuid>`, `client:<uuid>`, `staff:<uuid>` or
-- `network:<prefix>`. The fill factor leaves free space, so that updates do not touch the index.
create table daily_budget (
    account text not null,
    day date not null,
    granted bigint not null default 0 constraint daily_budget_granted_check check (granted >= 0),
    updated_at timestamptz not null default labs_now(),
    constraint daily_budget_pkey primary key (account, day)
) with (fillfactor = 70);
create index daily_budget_day_idx on daily_budget (day, account);

create table rate_limit_refusal (
    hour timestamptz not null,
    account text not null,
    operation text not null,
    budget text not null,
    refusals bigint not null default 0 constraint rate_limit_refusal_refusals_check check (refusals >= 0),
    last_at timestamptz not null default labs_now(),
    constraint rate_limit_refusal_pkey primary key (hour, account, operation, budget)
) with (fillfactor = 70);
create index rate_limit_refusal_account_idx on rate_limit_refusal (account, hour desc);

create table request_usage (
    day date not null,
    account text not null,
    operation text not null,
    requests bigint not null default 0 constraint request_usage_requests_check check (requests >= 0),
    last_at timestamptz not null default labs_now(),
    constraint request_usage_pkey primary key (day, account, operation)
) with (fillfactor = 70);
create index request_usage_account_idx on request_usage (account, day desc);
create index request_usage_operation_idx on request_usage (operation, day desc);

-- Job runs that are worth recording: job, time and outcome.
create table job_run (
    run_uuid uuid constraint job_run_pkey primary key,
    job text not null,
    state text not null default 'QUEUED'
        constraint job_run_state_check check (state in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    created_at timestamptz not null default labs_now(),
    started_at timestamptz,
    ended_at timestamptz,
    error text
);
create index job_run_job_idx on job_run (job, created_at desc, run_uuid desc);
create index job_run_created_at_idx on job_run (created_at desc, run_uuid desc);

create table service_setting (
    key text constraint service_setting_pkey primary key,
    value jsonb not null,
    updated_at timestamptz not null default labs_now()
);

-- Security events: sign-ins, failures, changes of passwords and factors, requests without a valid token. Like the audit
-- log, it names rows that may be deleted, so it has no foreign keys.
create table security_event (
    event_uuid uuid constraint security_event_pkey primary key,
    occurred_at timestamptz not null default labs_now(),
    kind text not null constraint security_event_kind_check check (kind ~ '^[A-Z][A-Z_]*$'),
    outcome text not null
        constraint security_event_outcome_check check (outcome in ('SUCCEEDED', 'REFUSED', 'FAILED')),
    person_uuid uuid,
    client_uuid uuid,
    partner_uuid uuid,
    session_uuid uuid,
    address inet,
    user_agent text,
    detail jsonb not null default '{}'
);
create index security_event_occurred_at_idx on security_event (occurred_at desc, event_uuid desc);
create index security_event_kind_idx on security_event (kind, occurred_at desc, event_uuid desc);
create index security_event_person_idx on security_event (person_uuid, occurred_at desc, event_uuid desc)
    where person_uuid is not null;
create index security_event_client_idx on security_event (client_uuid, occurred_at desc, event_uuid desc)
    where client_uuid is not null;
create index security_event_partner_idx on security_event (partner_uuid, occurred_at desc, event_uuid desc)
    where partner_uuid is not null;

create trigger signing_key_authority after insert or update or delete on signing_key
    for each row execute function authority_changed('keys', '*');

call audit_watch('signing_key');
call audit_watch('service_setting');
call audit_watch('mail_message', 'message_uuid', 'update or delete');
call audit_watch('daily_budget', null, 'update or delete');

-- Database role. The service connects as the user in `DATABASE_URL` and becomes `labs_service`, which cannot sign in,
-- owns nothing and has only the privileges that the migrations grant by name. A role belongs to the whole cluster,
-- where other databases may be migrating at this moment: the second migration waits for the first to commit and then
-- finds the role. For this reason the statement is near the end of the file.
do $$
declare
    -- Since version 16, membership and the right to `set role` are separate options.
    needed text := case when current_setting('server_version_num')::integer >= 160000 then 'SET' else 'MEMBER' end;
begin
    for attempt in 1..50 loop
        begin
            if not exists (select from pg_roles where rolname = 'labs_service') then
                create role labs_service nologin;
            end if;
            if not pg_has_role(current_user, 'labs_service', needed) then
                execute format('grant labs_service to %I', current_user);
            end if;
            exit;
        exception
            -- A concurrent update of the shared catalogue has no error code: PostgreSQL reports an internal error.
            when duplicate_object or unique_violation or undefined_object or internal_error then
                if attempt = 50 then
                    raise;
                end if;
                perform pg_sleep(0.05);
            when insufficient_privilege then
                raise insufficient_privilege using
                    message = format('role %s may not create or grant the role labs_service', current_user),
                    hint = format('Let a superuser run, as far as it is missing: '
                        'create role labs_service nologin; grant labs_service to %I;', current_user);
        end;
    end loop;
    if exists (select from pg_roles where rolname = 'labs_service'
            and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication)) then
        raise exception 'the role labs_service has attributes that it must not have';
    end if;
end $$;

-- By default every role may create temporary tables, and before version 15 also tables in the schema public. The
-- service creates none. On version 14 that schema belongs to the superuser, so the migration only warns an ordinary
-- owner.
do $$
begin
    execute format('revoke temporary on database %I from public', current_database());
    if has_schema_privilege('labs_service', 'public', 'create') then
        revoke create on schema public from public;
    end if;
    if not has_schema_privilege('labs_service', 'public', 'usage') then
        grant usage on schema public to labs_service;
    end if;
    if has_schema_privilege('labs_service', 'public', 'create') then
        raise warning 'labs_service may still create tables here; let a superuser revoke create on schema public';
    end if;
end $$;

grant select, insert on audit_log, audit_change, audit_seal, security_event to labs_service;
grant select on audit_canonical to labs_service;
grant select, insert, update, delete on idempotency_key, mail_message, signing_key, daily_budget, rate_limit_refusal,
    request_usage, job_run, service_setting to labs_service;
revoke execute on procedure audit_watch from public;

-- The readiness probe reports the applied migrations. The migrator owns this table, which exists only if the migrator
-- ran.
do $$
begin
    if to_regclass('public._sqlx_migrations') is not null then
        grant select on public._sqlx_migrations to labs_service;
    end if;
end $$;

reset lock_timeout;
