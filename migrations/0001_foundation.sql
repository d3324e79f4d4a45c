-- Foundation: clock, audit log and other logs with their partitions, mail messages, jobs, budgets, and the database
-- role of the service.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

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

-- Both are part of PostgreSQL: trigrams, with which an index finds a part of a word, and removal of accents.
create extension if not exists pg_trgm with schema public;

create extension if not exists unaccent with schema public;

-- Form of a text for a search: lower case, without accents. Immutable as long as the rules of unaccent stay as the
-- extension installs them. After an update of the rules, `reindex` computes the indexes again.
create function folded(written text) returns text
    language sql immutable strict parallel safe
    as $$ select lower(public.unaccent('public.unaccent'::regdictionary, written)) $$;

-- Regular expressions of the words of a search, the longest first: a folded text matches the search if it matches all
-- of them (docs/decisions/api.md#search-by-words). A word matches anywhere. A word of 5 to 24 letters also matches the
-- beginning of a word with one typing error: a letter that is wrong, too many or missing, or two letters in the wrong
-- order. A longer word would need a long expression. At most 16 words count.
create function sought_patterns(sought text) returns text[]
    language sql immutable strict parallel safe
    as $$
        with said as (
            select distinct lower(word) as word
            from regexp_split_to_table(public.folded(normalize(sought, nfkc)), '\s+') as word
            where word <> ''
        ), longest as (
            select word from said order by length(word) desc, word limit 16
        )
        select coalesce(array_agg(
            regexp_replace(word, '([^[:alnum:]])', '\\\1', 'g')
            || case when word ~ '^[[:alpha:]]{5,24}$' then (
                select '|\m(?:' || string_agg(concat(
                    left(word, place - 1), '(?:.?', substr(word, place + 1), '|.', substr(word, place),
                    '|' || nullif(substr(word, place + 1, 1), '') || substr(word, place, 1) || substr(word, place + 2),
                    ')'), '|' order by place) || ')'
                from generate_series(1, length(word)) as place) else '' end
            order by length(word) desc, word), '{}')
        from longest
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
) partition by range (record_uuid);

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
    record_uuid uuid not null,
    position bigint not null generated always as identity,
    thing text not null,
    action text not null constraint audit_change_action_check check (action in ('INSERT', 'UPDATE', 'DELETE')),
    thing_uuid uuid,
    thing_key jsonb not null default '{}',
    before jsonb,
    after jsonb,
    constraint audit_change_pkey primary key (record_uuid, position)
) partition by range (record_uuid);
create index audit_change_thing_idx on audit_change (thing_uuid, record_uuid) where thing_uuid is not null;

-- The hash chain. Sealing follows within a second of the commit, in one place, so that writers never wait for each
-- other. It has no foreign key: a seal outlives a record that was removed, which is how the removal is detected.
create table audit_seal (
    position bigint not null
        constraint audit_seal_position_check check (position > 0),
    record_uuid uuid not null,
    previous_hash bytea not null
        constraint audit_seal_previous_hash_check check (octet_length(previous_hash) = 32),
    hash bytea not null constraint audit_seal_hash_check check (octet_length(hash) = 32),
    -- When this seal was set, every record of a transaction below this one had its seal. The next search starts here.
    settled_below xid8 not null,
    sealed_at timestamptz not null default labs_now(),
    constraint audit_seal_pkey primary key (record_uuid)
) partition by range (record_uuid);

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
-- stay, regardless of their name. A column that contains a secret must have one of these words in its name. The audit
-- log contains the text; its HTML adds no information.
create function audit_visible(fields jsonb) returns jsonb
    language sql immutable strict parallel safe
    as $$
        select coalesce(jsonb_object_agg(key, value), '{}')
        from jsonb_each(fields)
        where key !~ '(hash|sha256|sealed|secret|token|password|last_step|^search|^body_html$|^body_renderer$)'
            or key ~ '_uuid$'
    $$;

-- Captures one changed row. It does nothing unless the transaction names, in `labs.audit_record`, the record to which
-- its differences belong; the service sets it for audited operations only. The first argument names the column that
-- identifies the object, the others are the primary key. An update that changes only hidden columns leaves a row with
-- two empty sides: the fact that something changed is not secret. A change of a row in a partition counts as a change
-- of the table.
create function audit_capture() returns trigger language plpgsql as $$
declare
    record_id text := current_setting('labs.audit_record', true);
    thing text := tg_table_name;
    old_row jsonb;
    new_row jsonb;
    fields jsonb;
begin
    if record_id is null or record_id = '' then
        return null;
    end if;
    if pg_partition_root(tg_relid) is not null then
        thing := (select relname from pg_class where oid = pg_partition_root(tg_relid));
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
    values (record_id::uuid, thing, tg_op, (fields ->> nullif(tg_argv[0], ''))::uuid,
        public.audit_visible((select coalesce(jsonb_object_agg(name, fields -> name), '{}')
            from unnest(tg_argv[1:]) as name)),
        public.audit_visible(old_row), public.audit_visible(new_row));
    if not found then
        raise exception 'the difference of % was not kept', thing using constraint = 'audit_change_kept';
    end if;
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
    created_uuid uuid,
    created_code text,
    constraint idempotency_key_pkey primary key (principal, operation, key),
    constraint idempotency_key_created check (num_nonnulls(created_uuid, created_code) <= 1)
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
    claimed_until timestamptz,
    about_partner_uuid uuid,
    -- Network of the client that requested the mail message: an IPv4 address, or the /64 of an IPv6 one. Null if a job
    -- wrote it.
    asked_from inet,
    constraint mail_message_content_check
        check ((state <> 'QUEUED' or content_sealed is not null) and (state <> 'SENT' or content_sealed is null)),
    constraint mail_message_sent_at_check check ((state = 'SENT') = (sent_at is not null))
) partition by range (message_uuid);
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
    -- Number of resets of the daily budget. Portions that replicas took before a reset belong to the former budget. They
    -- are never given back to the new budget, because that would increase it by requests that others have spent.
    resets integer not null default 0
        constraint daily_budget_resets_check check (resets >= 0),
    -- Time of the mail that warned the partner on this day.
    warned_at timestamptz,
    constraint daily_budget_pkey primary key (account, day)
) with (fillfactor = 70);
create index daily_budget_day_idx on daily_budget (day, account);

-- Refused requests of known callers, by cause: spent budgets, missing scopes and rights, limits of the tier. The number
-- of rows does not depend on the number of requests. `budget` and `required_scope` are empty if the cause has none.
create table rate_limit_refusal (
    hour timestamptz not null,
    account text not null,
    operation text not null,
    code text not null,
    budget text not null default '',
    required_scope text not null default '',
    refusals bigint not null default 0 constraint rate_limit_refusal_refusals_check check (refusals >= 0),
    last_at timestamptz not null default labs_now(),
    -- Ids of the last five requests, newest first.
    request_ids text[] not null default '{}',
    constraint rate_limit_refusal_pkey primary key (hour, account, operation, code, budget, required_scope)
) with (fillfactor = 70);
create index rate_limit_refusal_account_idx on rate_limit_refusal (account, hour desc);

create table request_usage (
    day date not null,
    account text not null,
    operation text not null,
    requests bigint not null default 0 constraint request_usage_requests_check check (requests >= 0),
    last_at timestamptz not null default labs_now(),
    constraint request_usage_pkey primary key (day, account, operation)
) partition by range (day);
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
    error text,
    trigger text not null default 'SCHEDULE'
        constraint job_run_trigger_check check (trigger in ('SCHEDULE', 'STAFF')),
    done bigint,
    error_code text,
    -- Both in the database's clock: tests must not move leases.
    heartbeat_on_clock timestamptz,
    deadline_on_clock timestamptz,
    overran boolean not null default false
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
) partition by range (event_uuid);
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

create index mail_message_about_partner_idx on mail_message (about_partner_uuid) where about_partner_uuid is not null;

create function search_words(written text) returns text
    language sql immutable strict parallel safe
    as $$ select regexp_replace(replace(written, '<!', '< '), '(\S{100})[_~./:@-]', '\1 ', 'g') $$;

-- Returns the latest moment, at most the requested one, up to which every record is committed. A record has the time at
-- which its transaction began, so an open transaction may still add a record to the past. The function waits for
-- transactions that end within a fifth of a second. A transaction that has written nothing within a minute only reads,
-- as a backup or a data export does: every request ends long before.
--
-- The service role may not see when other transactions began; the owner, as whom the function runs, may.
create function audit_settled(wanted timestamptz) returns timestamptz
    language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
    as $$
    declare
        -- The service's time may be ahead of the database's.
        ahead constant interval := public.labs_now() - now();
        moment constant timestamptz := least(wanted - ahead, now());
        oldest timestamptz;
    begin
        for attempt in 1..10 loop
            perform pg_stat_clear_snapshot();
            select min(a.xact_start) into oldest
            from pg_stat_activity as a
            where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
                and a.xact_start < moment
                and (a.backend_xid is not null or a.xact_start > clock_timestamp() - interval '1 minute');
            exit when oldest is null or attempt = 10;
            perform pg_sleep(0.02);
        end loop;
        return coalesce(oldest, moment) + ahead;
    end $$;
revoke execute on function audit_settled from public;
grant execute on function audit_settled to labs_service;

-- The database sets the time and the transaction of a record: the sealer searches by transaction, exports by time.
revoke insert on audit_log from labs_service;
grant insert (record_uuid, operation, channel, outcome, code, actor_kind, actor_uuid, actor_label, scope, target_kind,
    target_uuid, target_label, partner_uuid, reason, request_id, address, parameters) on audit_log to labs_service;
create index security_event_session_idx on security_event (session_uuid, occurred_at desc, event_uuid desc)
    where session_uuid is not null;
comment on column idempotency_key.created_uuid is 'Id of the object that the first request created.';
comment on column idempotency_key.created_code is
    'Code of the created object, if objects of this kind are identified by a code.';

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

-- A current run is the lease of its job: at most one exists.
create unique index job_run_under_way_key on job_run (job) where state in ('QUEUED', 'RUNNING');
grant select, insert, update on job to labs_service;
create index job_run_broken_off_idx on job_run (created_at) where error_code = 'BROKEN_OFF';

-- The smallest UUID of version 7 of a moment.
create function uuid_since(moment timestamptz) returns uuid
    language sql immutable strict parallel safe
    as $$
        select (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
    $$;

-- The partitioned logs: key column, partition length, and minimum retention, which applies to every caller. The order
-- of the tables is the order in which partitions are dropped.
create view ledger as
select *
from (values
    ('AUDIT', '{audit_seal,audit_change,audit_log}'::text[], 'record_uuid', 'uuid', 'quarter', interval '1 year'),
    ('SECURITY_EVENTS', '{security_event}', 'event_uuid', 'uuid', 'month', interval '1 year'),
    ('MAILS', '{mail_message}', 'message_uuid', 'uuid', 'quarter', interval '90 days'),
    ('REQUEST_USAGE', '{request_usage}', 'day', 'date', 'month', interval '400 days')
) as known (ledger, tables, key_column, key_kind, span, least);

-- Converts a bound of a partition to a moment, and a moment to a bound.
create function ledger_moment(key_kind text, bound text) returns timestamptz
    language sql stable strict parallel safe
    as $$
        select case
            when key_kind = 'uuid'
                then to_timestamp(('x' || left(replace(bound, '-', ''), 12))::bit(48)::bigint / 1000.0)
            else bound::date::timestamp at time zone 'UTC'
        end
    $$;

create function ledger_bound(key_kind text, moment timestamptz) returns text
    language sql stable strict parallel safe
    as $$
        select case
            when key_kind = 'uuid' then public.uuid_since(moment)::text
            else (moment at time zone 'UTC')::date::text
        end
    $$;

-- Existing partitions with their start and end (both null for `_others`, the start null for the first).
create view ledger_partition as
select l.ledger, l.span, l.least, t.table_name, t.place, c.relname::text as partition_name,
    ledger_moment(l.key_kind, substring(b.bound from 'FROM \(''([^'']+)''\)')) as since,
    ledger_moment(l.key_kind, substring(b.bound from 'TO \(''([^'']+)''\)')) as until,
    pg_total_relation_size(c.oid) as bytes
from ledger as l
cross join unnest(l.tables) with ordinality as t (table_name, place)
join pg_catalog.pg_inherits as i on i.inhparent = ('public.' || t.table_name)::regclass
join pg_catalog.pg_class as c on c.oid = i.inhrelid
cross join lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) as b;

-- Additional constraints of an audit log partition: a difference belongs to a record of the same partition, and no two
-- seals of a partition have the same position.
create function ledger_complete(table_name text, suffix text) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
    as $$
    begin
        if table_name = 'audit_change' then
            execute format('alter table public.%I add constraint %I foreign key (record_uuid) references public.%I
                deferrable initially deferred', 'audit_change' || suffix, 'audit_change' || suffix || '_record_fkey',
                'audit_log' || suffix);
        elsif table_name = 'audit_seal' then
            execute format('alter table public.%I add constraint %I unique (position)', 'audit_seal' || suffix,
                'audit_seal' || suffix || '_position_key');
        elsif table_name = 'request_usage' then
            execute format('alter table public.%I set (fillfactor = 70)', 'request_usage' || suffix);
        end if;
    end $$;

-- The first partition of each log contains everything until the end of the next month or quarter, `_others` everything
-- for which no partition was created in time.
do $$
declare
    l ledger;
    name text;
    suffix text;
begin
    for l in select * from ledger loop
        -- Referenced tables come first: the reverse of the order in which partitions are dropped.
        for place in reverse cardinality(l.tables)..1 loop
            name := l.tables[place];
            foreach suffix in array array['_first', '_others'] loop
                execute format('create table %I (like %I including defaults including constraints including indexes)',
                    name || suffix, name);
                perform ledger_complete(name, suffix);
            end loop;
            execute format('alter table %I attach partition %I default', name, name || '_others');
            execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', name, name || '_first',
                ledger_bound(l.key_kind, date_trunc(l.span, now() + interval '30 days', 'UTC')
                    + case l.span when 'quarter' then interval '3 months' else interval '1 month' end));
        end loop;
    end loop;
end $$;

-- Adds a partition to every table of a log, and moves matching rows from `_others` into it.
create function ledger_add(of_ledger text, since timestamptz, until timestamptz) returns void
    language plpgsql set search_path = pg_catalog, pg_temp
    as $$
    declare
        l public.ledger;
        name text;
        suffix constant text := '_' || to_char(since at time zone 'UTC', 'YYYYMMDD');
        lower_bound text;
        upper_bound text;
    begin
        select * into strict l from public.ledger where ledger = of_ledger;
        lower_bound := public.ledger_bound(l.key_kind, since);
        upper_bound := public.ledger_bound(l.key_kind, until);
        -- Referenced tables come first: the reverse of the order in which partitions are dropped.
        for place in reverse cardinality(l.tables)..1 loop
            name := l.tables[place];
            execute format('create table public.%I (like public.%I including defaults including constraints including indexes)',
                name || suffix, name);
            perform public.ledger_complete(name, suffix);
            execute format('with moved as (
                    delete from public.%I where %I >= %L and %I < %L returning *
                ) insert into public.%I select * from moved', name || '_others', l.key_column, lower_bound,
                l.key_column, upper_bound, name || suffix);
        end loop;
        set constraints all immediate;
        for place in reverse cardinality(l.tables)..1 loop
            name := l.tables[place];
            execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)',
                name, name || suffix, lower_bound, upper_bound);
        end loop;
    end $$;

-- Every filter of the list has an index in its order, since few records may have a given channel, code or kind of
-- actor.
create index audit_log_code_idx on audit_log (code, recorded_at desc, record_uuid desc) where code is not null;
create index audit_log_channel_idx on audit_log (channel, recorded_at desc, record_uuid desc);
create index audit_log_actor_kind_idx on audit_log (actor_kind, recorded_at desc, record_uuid desc);
grant select on audit_canonical, audit_log, audit_change, audit_seal to labs_service;
grant insert (record_uuid, operation, channel, outcome, code, actor_kind, actor_uuid, actor_label, scope, target_kind,
    target_uuid, target_label, partner_uuid, reason, request_id, address, parameters) on audit_log to labs_service;
grant insert on audit_change, audit_seal to labs_service;
call audit_watch('mail_message', 'message_uuid', 'update or delete');
grant select, insert, update, delete on mail_message to labs_service;
grant select, insert, update, delete on request_usage to labs_service;
grant select, insert on security_event to labs_service;

-- The service deletes request counts only after 760 days. An owner may delete any.
create function request_usage_kept() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp
    as $$
    begin
        return case
            when current_user <> 'labs_service' or old.day < (public.labs_now() at time zone 'UTC')::date - 760 then old
        end;
    end $$;

-- The service deletes request counts only after 760 days. An owner may delete any.
create trigger request_usage_kept before delete on request_usage for each row execute function request_usage_kept();

-- Takes all locks for a change of a log's partitions at once or none of them, so that it never waits while it holds a
-- lock and no request fails as the victim of a deadlock. `mode` is the lock mode of the log's own tables, `suffix` the
-- partition to be dropped, if any. Returns whether it succeeded.
create function ledger_lock(of_ledger text, mode text, suffix text default null) returns boolean
    language plpgsql set search_path = pg_catalog, pg_temp
    as $$
    declare
        name text;
    begin
        foreach name in array (select l.tables from public.ledger as l where l.ledger = of_ledger) loop
            execute format('lock table only public.%I in %s mode nowait', name, mode);
            execute format('lock table public.%I in access exclusive mode nowait', name || '_others');
            if suffix is not null then
                execute format('lock table public.%I in access exclusive mode nowait', name || suffix);
            end if;
        end loop;
        -- Mail messages have foreign keys to them.
        if of_ledger = 'MAILS' and suffix is null then
            lock table public.partner, public.person in share row exclusive mode nowait;
        elsif of_ledger = 'MAILS' then
            lock table public.partner, public.person in access exclusive mode nowait;
        end if;
        return true;
    exception when lock_not_available then
        return false;
    end $$;

-- Creates the partitions of a log for the next month, and returns their number; null while another transaction blocks
-- the locks. If it was not run for a long time, one partition covers that time.
create function ledger_prepare(of_ledger text) returns bigint
    language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
    as $$
    declare
        l public.ledger;
        reached timestamptz;
        needed constant timestamptz := public.labs_now() + interval '30 days';
    begin
        select * into strict l from public.ledger as known where known.ledger = of_ledger;
        for attempt in 1..2 loop
            select coalesce(max(p.until), date_trunc(l.span, public.labs_now(), 'UTC')) into strict reached
            from public.ledger_partition as p where p.ledger = of_ledger;
            if reached > needed then
                return 0;
            end if;
            -- Writers continue while a future partition is created. If its time has already started, a concurrent
            -- statement would route its row to `_others` and fail there, so writes are blocked.
            exit when attempt = 2;
            if not public.ledger_lock(of_ledger, case when reached > public.labs_now() then 'share update exclusive'
                else 'share row exclusive' end) then
                return null;
            end if;
        end loop;
        perform public.ledger_add(of_ledger, reached, date_trunc(l.span, needed, 'UTC')
            + case l.span when 'quarter' then interval '3 months' else interval '1 month' end);
        return cardinality(l.tables);
    end $$;

-- Drops the oldest partition that ends before a moment, and returns the number of dropped partitions; null while
-- another transaction blocks the locks. It never drops a partition within the minimum retention, unsent mail messages,
-- or any part of the audit log, which is archived first.
create function ledger_expire(of_ledger text, before timestamptz) returns bigint
    language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
    as $$
    declare
        part public.ledger_partition;
        is_needed boolean := false;
    begin
        for part in select * from public.ledger_partition as p
            where p.ledger = of_ledger and of_ledger <> 'AUDIT' and p.until <= least(before, public.labs_now() - p.least)
            order by p.until
        loop
            if of_ledger = 'MAILS' then
                execute format('select exists (select from public.%I where state = ''QUEUED'')', part.partition_name)
                    into strict is_needed;
                continue when is_needed;
            end if;
            if not public.ledger_lock(of_ledger, 'access exclusive', substr(part.partition_name, length(part.table_name) + 1)) then
                return null;
            end if;
            -- No transaction writes to it any more.
            if of_ledger = 'MAILS' then
                execute format('select exists (select from public.%I where state = ''QUEUED'')', part.partition_name)
                    into strict is_needed;
                if is_needed then
                    return null;
                end if;
            end if;
            execute format('alter table public.%I detach partition public.%I', part.table_name, part.partition_name);
            execute format('drop table public.%I', part.partition_name);
            return 1;
        end loop;
        return 0;
    end $$;

-- Archived parts of the audit log, from its first position without a gap. Each part is an object in the storage, whose
-- lines contain the canonical texts of the records in the order of their positions. Only `audit_confirm` confirms one.
create table audit_archive (
    first_position bigint constraint audit_archive_pkey primary key,
    last_position bigint not null,
    -- The hash of the previous position, and the hash of the last one: together they show whether the lines match the
    -- records.
    previous_hash bytea not null constraint audit_archive_previous_hash_check check (octet_length(previous_hash) = 32),
    hash bytea not null constraint audit_archive_hash_check check (octet_length(hash) = 32),
    bytes bigint not null constraint audit_archive_bytes_check check (bytes > 0),
    archived_at timestamptz not null default labs_now(),
    confirmed_at timestamptz,
    constraint audit_archive_positions_check check (first_position between 1 and last_position)
);
grant select, insert (first_position, last_position, previous_hash, hash, bytes) on audit_archive to labs_service;

-- Confirms an archive part: it follows the previous confirmed one, and each of its positions has one seal, which
-- follows from the previous seal and from the current record. Returns whether it does. The service role may claim that
-- a part was archived; only this function verifies the claim.
create function audit_confirm(of_first bigint) returns boolean
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    declare
        piece public.audit_archive;
        before bytea;
        is_whole boolean;
    begin
        select * into strict piece from public.audit_archive where first_position = of_first for update;
        select a.hash into before from public.audit_archive as a
        where a.last_position = of_first - 1 and a.confirmed_at is not null;
        before := case when of_first = 1 then decode(repeat('00', 32), 'hex') else before end;
        select count(*) = piece.last_position - of_first + 1 and min(looked_at.position) = of_first
                and bool_and(looked_at.position = looked_at.place_before + 1 and looked_at.previous_hash = looked_at.hash_before
                    and looked_at.hash = sha256(looked_at.previous_hash || looked_at.digest))
                and (array_agg(looked_at.hash order by looked_at.position desc))[1] = piece.hash
            into is_whole
        from (
            select s.position, s.previous_hash, s.hash,
                lag(s.position, 1, of_first - 1) over places as place_before, lag(s.hash, 1, before) over places as hash_before,
                coalesce((select c.digest from public.audit_canonical as c where c.record_uuid = s.record_uuid), '') as digest
            from public.audit_seal as s
            where s.position between of_first and piece.last_position
            window places as (order by s.position)
        ) as looked_at;
        if not coalesce(is_whole and before = piece.previous_hash, false) then
            return false;
        end if;
        update public.audit_archive set confirmed_at = coalesce(confirmed_at, public.labs_now()) where first_position = of_first;
        return true;
    end $$;

-- Detaches a part of the audit log whose records are all in confirmed archive parts: its three partitions become
-- separate tables, which stay until an operator drops them. Returns whether it did; null while another transaction
-- blocks the locks.
create function audit_detach(suffix text) returns boolean
    language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
    as $$
    declare
        part public.ledger_partition;
        is_archived boolean;
    begin
        select * into strict part from public.ledger_partition as p where p.partition_name = 'audit_log' || suffix;
        if coalesce(part.until > public.labs_now() - part.least, true) then
            return false;
        end if;
        -- Blocks inserts during the count, which may take minutes; everything else continues.
        begin
            execute format('lock table public.%I, public.%I, public.%I in share mode nowait',
                'audit_log' || suffix, 'audit_change' || suffix, 'audit_seal' || suffix);
        exception when lock_not_available then
            return null;
        end;
        -- A record has at most one seal.
        execute format('select (select count(*) from public.%I) = (
                select count(*) from public.%I as s
                where s.position <= (select max(a.last_position) from public.audit_archive as a where a.confirmed_at is not null)
                    and exists (select from public.%I as l where l.record_uuid = s.record_uuid))',
            'audit_log' || suffix, 'audit_seal' || suffix, 'audit_log' || suffix) into strict is_archived;
        if not is_archived then
            return false;
        end if;
        for attempt in 1..200 loop
            exit when public.ledger_lock('AUDIT', 'access exclusive', suffix);
            if attempt = 200 then
                return null;
            end if;
            perform pg_sleep(0.05);
        end loop;
        for part in select * from public.ledger_partition as p
            where p.ledger = 'AUDIT' and p.partition_name = p.table_name || suffix order by p.place loop
            execute format('alter table public.%I detach partition public.%I', part.table_name, part.partition_name);
        end loop;
        return true;
    end $$;
revoke execute on function ledger_add, ledger_complete, ledger_lock, ledger_prepare, ledger_expire, audit_confirm, audit_detach
    from public;
grant execute on function ledger_prepare, ledger_expire, audit_confirm, audit_detach to labs_service;
grant select on ledger, ledger_partition to labs_service;

reset check_function_bodies;
reset lock_timeout;
reset timezone;
