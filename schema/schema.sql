-- The schema of a migrated database, by group, for readers. Only the migrations create it. `make accept` writes this file,
-- and a test compares it with a migrated database.
--
-- Columns, constraints and grants are those of the database. Everything else is the last statement of the migrations
-- that creates it. Not included are rows that migrations insert, partitions, and the role `labs_service`.

------------------------------------------------------------------------------------------------------------------------
-- Foundation: clock, audit log and other logs with their partitions, mail messages, jobs, budgets, and the database
-- role of the service.
------------------------------------------------------------------------------------------------------------------------

-- Both are part of PostgreSQL: trigrams, with which an index finds a part of a word, and removal of accents.
create extension if not exists pg_trgm with schema public;

create extension if not exists unaccent with schema public;

-- Archived parts of the audit log, from its first position without a gap. Each part is an object in the storage, whose
-- lines contain the canonical texts of the records in the order of their positions. Only `audit_confirm` confirms one.
create table audit_archive (
    first_position bigint not null,
    last_position bigint not null,
    -- The hash of the previous position, and the hash of the last one: together they show whether the lines match the
    -- records.
    previous_hash bytea not null,
    hash bytea not null,
    bytes bigint not null,
    archived_at timestamptz not null default labs_now(),
    confirmed_at timestamptz,
    constraint audit_archive_pkey primary key (first_position),
    constraint audit_archive_bytes_check check (bytes > 0),
    constraint audit_archive_hash_check check (octet_length(hash) = 32),
    constraint audit_archive_positions_check check (first_position >= 1 and first_position <= last_position),
    constraint audit_archive_previous_hash_check check (octet_length(previous_hash) = 32)
);

-- The difference that a write made, one row per changed row. The key of the changed row is stored in addition to the
-- difference, because an update records only the columns that changed. The foreign key is deferred to the end of the
-- transaction: the record is written last, when the outcome is known, and a difference without a record must not be
-- committed.
create table audit_change (
    record_uuid uuid not null,
    "position" bigint not null generated always as identity,
    thing text not null,
    action text not null,
    thing_uuid uuid,
    thing_key jsonb not null default '{}'::jsonb,
    before jsonb,
    after jsonb,
    constraint audit_change_pkey primary key (record_uuid, "position"),
    constraint audit_change_action_check check (action in ('INSERT', 'UPDATE', 'DELETE'))
) partition by range (record_uuid);
create index audit_change_thing_idx on audit_change (thing_uuid, record_uuid) where thing_uuid is not null;

-- Audit log. One record per staff operation, and per refused attempt at one, written in the transaction that produces
-- the response. It has no foreign keys, because the rows that it names may be deleted or may never have existed.
-- `transaction_id` lets the sealer process records in an order that no late commit can change.
create table audit_log (
    record_uuid uuid not null,
    recorded_at timestamptz not null default labs_now(),
    transaction_id xid8 not null default pg_current_xact_id(),
    operation text not null,
    channel text not null,
    outcome text not null,
    code text,
    actor_kind text not null,
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
    constraint audit_log_pkey primary key (record_uuid),
    constraint audit_log_actor_check check ((actor_kind in ('SYSTEM', 'ANONYMOUS')) or actor_uuid is not null),
    constraint audit_log_actor_kind_check check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM', 'ANONYMOUS')),
    constraint audit_log_channel_check check (channel in ('REST', 'PLAYGROUND', 'COMMAND_LINE', 'JOB')),
    constraint audit_log_outcome_check check (outcome in ('SUCCEEDED', 'REFUSED', 'FAILED'))
) partition by range (record_uuid);
create index audit_log_actor_idx on audit_log (actor_uuid, recorded_at desc, record_uuid desc)
    where actor_uuid is not null;
create index audit_log_actor_kind_idx on audit_log (actor_kind, recorded_at desc, record_uuid desc);
create index audit_log_channel_idx on audit_log (channel, recorded_at desc, record_uuid desc);
-- Every filter of the list has an index in its order, since few records may have a given channel, code or kind of
-- actor.
create index audit_log_code_idx on audit_log (code, recorded_at desc, record_uuid desc) where code is not null;
create index audit_log_operation_idx on audit_log (operation, recorded_at desc, record_uuid desc);
create index audit_log_outcome_idx on audit_log (outcome, recorded_at desc, record_uuid desc);
create index audit_log_partner_idx on audit_log (partner_uuid, recorded_at desc, record_uuid desc)
    where partner_uuid is not null;
-- Every filter of the staff list ends in the same order, so that one index serves a page without a sort.
create index audit_log_recorded_at_idx on audit_log (recorded_at desc, record_uuid desc);
create index audit_log_request_id_idx on audit_log (request_id) where request_id is not null;
create index audit_log_target_idx on audit_log (target_uuid, recorded_at desc, record_uuid desc)
    where target_uuid is not null;
create index audit_log_transaction_id_idx on audit_log (transaction_id, record_uuid);

-- The hash chain. Sealing follows within a second of the commit, in one place, so that writers never wait for each
-- other. It has no foreign key: a seal outlives a record that was removed, which is how the removal is detected.
create table audit_seal (
    "position" bigint not null,
    record_uuid uuid not null,
    previous_hash bytea not null,
    hash bytea not null,
    -- When this seal was set, every record of a transaction below this one had its seal. The next search starts here.
    settled_below xid8 not null,
    sealed_at timestamptz not null default labs_now(),
    constraint audit_seal_pkey primary key (record_uuid),
    constraint audit_seal_hash_check check (octet_length(hash) = 32),
    constraint audit_seal_position_check check ("position" > 0),
    constraint audit_seal_previous_hash_check check (octet_length(previous_hash) = 32)
) partition by range (record_uuid);

-- Budgets. The burst budget is counted in memory. The daily budget is counted here, in portions, so that replicas and
-- restarts together never grant more than the limit. An account is `partner:<uuid>`, `client:<uuid>`, `staff:<uuid>` or
-- `network:<prefix>`. The fill factor leaves free space, so that updates do not touch the index.
create table daily_budget (
    account text not null,
    day date not null,
    granted bigint not null default 0,
    updated_at timestamptz not null default labs_now(),
    -- Number of resets of the daily budget. Portions that replicas took before a reset belong to the former budget. They
    -- are never given back to the new budget, because that would increase it by requests that others have spent.
    resets integer not null default 0,
    -- Time of the mail that warned the partner on this day.
    warned_at timestamptz,
    constraint daily_budget_pkey primary key (account, day),
    constraint daily_budget_granted_check check (granted >= 0),
    constraint daily_budget_resets_check check (resets >= 0)
) with (fillfactor=70);
create index daily_budget_day_idx on daily_budget (day, account);

-- Idempotency keys are kept for 24 hours, per principal and operation, and are written in the transaction of their
-- effect. An expired row is overwritten (`on conflict … do update … where created_at < …`) or swept.
create table idempotency_key (
    principal text not null,
    operation text not null,
    key text not null,
    request_sha256 bytea not null,
    answer_sealed bytea not null,
    created_at timestamptz not null default labs_now(),
    -- Id of the object that the first request created.
    created_uuid uuid,
    -- Code of the created object, if objects of this kind are identified by a code.
    created_code text,
    constraint idempotency_key_pkey primary key (principal, operation, key),
    constraint idempotency_key_created check (num_nonnulls(created_uuid, created_code) <= 1),
    constraint idempotency_key_key_check check (length(key) >= 1 and length(key) <= 255),
    constraint idempotency_key_request_check check (octet_length(request_sha256) = 32)
);
create index idempotency_key_created_at_idx on idempotency_key (created_at);

-- One row per job, created by the first replica that has the job.
create table job (
    code text not null,
    -- For a job with a calendar: due time of its next run. Null until its first run.
    next_run_at timestamptz,
    paused_at timestamptz,
    paused_because text,
    last_started_at timestamptz,
    last_ended_at timestamptz,
    last_outcome text,
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
    constraint job_pkey primary key (code),
    constraint job_last_outcome_check check (last_outcome in ('SUCCEEDED', 'FAILED')),
    constraint job_paused_check check ((paused_at is null) = (paused_because is null))
) with (fillfactor=50);

-- Job runs that are worth recording: job, time and outcome.
create table job_run (
    run_uuid uuid not null,
    job text not null,
    state text not null default 'QUEUED',
    created_at timestamptz not null default labs_now(),
    started_at timestamptz,
    ended_at timestamptz,
    error text,
    trigger text not null default 'SCHEDULE',
    done bigint,
    error_code text,
    -- Both in the database's clock: tests must not move leases.
    heartbeat_on_clock timestamptz,
    deadline_on_clock timestamptz,
    overran boolean not null default false,
    constraint job_run_pkey primary key (run_uuid),
    constraint job_run_state_check check (state in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    constraint job_run_trigger_check check (trigger in ('SCHEDULE', 'STAFF'))
);
create index job_run_broken_off_idx on job_run (created_at) where error_code = 'BROKEN_OFF';
create index job_run_created_at_idx on job_run (created_at desc, run_uuid desc);
create index job_run_job_idx on job_run (job, created_at desc, run_uuid desc);
-- A current run is the lease of its job: at most one exists.
create unique index job_run_under_way_key on job_run (job) where state in ('QUEUED', 'RUNNING');

-- Outbox. A mail message is queued in the transaction that causes it and sent afterwards, once. Its content may contain
-- a one-time token, so it is sealed, and wiped as soon as the message is sent.
create table mail_message (
    message_uuid uuid not null,
    kind text not null,
    recipient text not null,
    locale text not null default 'en',
    subject text not null,
    content_sealed bytea,
    state text not null default 'QUEUED',
    attempts integer not null default 0,
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
    constraint mail_message_pkey primary key (message_uuid),
    constraint mail_message_about_partner_fkey foreign key (about_partner_uuid) references partner(partner_uuid) on delete set null,
    constraint mail_message_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete set null,
    constraint mail_message_person_fkey foreign key (person_uuid) references person(person_uuid) on delete set null,
    constraint mail_message_attempts_check check (attempts >= 0),
    constraint mail_message_content_check check ((state <> 'QUEUED' or content_sealed is not null) and (state <> 'SENT' or content_sealed is null)),
    constraint mail_message_sent_at_check check ((state = 'SENT') = (sent_at is not null)),
    constraint mail_message_state_check check (state in ('QUEUED', 'SENT', 'FAILED'))
) partition by range (message_uuid);
create index mail_message_about_partner_idx on mail_message (about_partner_uuid) where about_partner_uuid is not null;
create index mail_message_created_at_idx on mail_message (created_at desc, message_uuid desc);
create index mail_message_due_idx on mail_message (next_attempt_at, message_uuid) where state = 'QUEUED';
create index mail_message_partner_idx on mail_message (partner_uuid) where partner_uuid is not null;
create index mail_message_person_idx on mail_message (person_uuid) where person_uuid is not null;
-- The number of recent mail messages to an address limits how many more it gets.
create index mail_message_recipient_idx on mail_message (lower(recipient), created_at desc);
create index mail_message_state_idx on mail_message (state, created_at desc, message_uuid desc);

-- Refused requests of known callers, by cause: spent budgets, missing scopes and rights, limits of the tier. The number
-- of rows does not depend on the number of requests. `budget` and `required_scope` are empty if the cause has none.
create table rate_limit_refusal (
    hour timestamptz not null,
    account text not null,
    operation text not null,
    code text not null,
    budget text not null default '',
    required_scope text not null default '',
    refusals bigint not null default 0,
    last_at timestamptz not null default labs_now(),
    -- Ids of the last five requests, newest first.
    request_ids text[] not null default '{}'::text[],
    constraint rate_limit_refusal_pkey primary key (hour, account, operation, code, budget, required_scope),
    constraint rate_limit_refusal_refusals_check check (refusals >= 0)
) with (fillfactor=70);
create index rate_limit_refusal_account_idx on rate_limit_refusal (account, hour desc);

create table request_usage (
    day date not null,
    account text not null,
    operation text not null,
    requests bigint not null default 0,
    last_at timestamptz not null default labs_now(),
    constraint request_usage_pkey primary key (day, account, operation),
    constraint request_usage_requests_check check (requests >= 0)
) partition by range (day);
create index request_usage_account_idx on request_usage (account, day desc);
create index request_usage_operation_idx on request_usage (operation, day desc);

-- Security events: sign-ins, failures, changes of passwords and factors, requests without a valid token. Like the audit
-- log, it names rows that may be deleted, so it has no foreign keys.
create table security_event (
    event_uuid uuid not null,
    occurred_at timestamptz not null default labs_now(),
    kind text not null,
    outcome text not null,
    person_uuid uuid,
    client_uuid uuid,
    partner_uuid uuid,
    session_uuid uuid,
    address inet,
    user_agent text,
    detail jsonb not null default '{}'::jsonb,
    constraint security_event_pkey primary key (event_uuid),
    constraint security_event_kind_check check (kind ~ '^[A-Z][A-Z_]*$'),
    constraint security_event_outcome_check check (outcome in ('SUCCEEDED', 'REFUSED', 'FAILED'))
) partition by range (event_uuid);
create index security_event_client_idx on security_event (client_uuid, occurred_at desc, event_uuid desc)
    where client_uuid is not null;
create index security_event_kind_idx on security_event (kind, occurred_at desc, event_uuid desc);
create index security_event_occurred_at_idx on security_event (occurred_at desc, event_uuid desc);
create index security_event_partner_idx on security_event (partner_uuid, occurred_at desc, event_uuid desc)
    where partner_uuid is not null;
create index security_event_person_idx on security_event (person_uuid, occurred_at desc, event_uuid desc)
    where person_uuid is not null;
create index security_event_session_idx on security_event (session_uuid, occurred_at desc, event_uuid desc)
    where session_uuid is not null;

create table service_setting (
    key text not null,
    value jsonb not null,
    updated_at timestamptz not null default labs_now(),
    constraint service_setting_pkey primary key (key)
);

-- Keys that sign access tokens. The private half is sealed with a key that is not in the database, and may be deleted
-- once the key is retired. The public half stays until the last token that it signed has expired.
create table signing_key (
    key_id text not null,
    algorithm text not null,
    state text not null,
    public_key bytea not null,
    private_key_sealed bytea,
    created_at timestamptz not null default labs_now(),
    activated_at timestamptz,
    retired_at timestamptz,
    expires_at timestamptz,
    constraint signing_key_pkey primary key (key_id),
    constraint signing_key_algorithm_check check (algorithm in ('EdDSA', 'ES256')),
    constraint signing_key_private_check check (state = 'RETIRED' or private_key_sealed is not null),
    constraint signing_key_state_check check (state in ('NEXT', 'CURRENT', 'RETIRED'))
);
create unique index signing_key_current_key on signing_key (state) where state = 'CURRENT';
create unique index signing_key_next_key on signing_key (state) where state = 'NEXT';

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

-- Form of a text for a search: lower case, without accents. Immutable as long as the rules of unaccent stay as the
-- extension installs them. After an update of the rules, `reindex` computes the indexes again.
create function folded(written text) returns text
    language sql immutable strict parallel safe
    as $$ select lower(public.unaccent('public.unaccent'::regdictionary, written)) $$;

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

create function ledger_bound(key_kind text, moment timestamptz) returns text
    language sql stable strict parallel safe
    as $$
        select case
            when key_kind = 'uuid' then public.uuid_since(moment)::text
            else (moment at time zone 'UTC')::date::text
        end
    $$;

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

-- The service deletes request counts only after 760 days. An owner may delete any.
create function request_usage_kept() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp
    as $$
    begin
        return case
            when current_user <> 'labs_service' or old.day < (public.labs_now() at time zone 'UTC')::date - 760 then old
        end;
    end $$;

create function search_words(written text) returns text
    language sql immutable strict parallel safe
    as $$ select regexp_replace(replace(written, '<!', '< '), '(\S{100})[_~./:@-]', '\1 ', 'g') $$;

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

-- The smallest UUID of version 7 of a moment.
create function uuid_since(moment timestamptz) returns uuid
    language sql immutable strict parallel safe
    as $$
        select (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
    $$;

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

create trigger audit_log_position after insert on audit_log
    for each row when (new.partner_uuid is not null and new.outcome = 'SUCCEEDED')
    execute function event_inserted('STAFF');
create trigger daily_budget_audit after delete or update on daily_budget
    for each row execute function audit_capture('', 'account', 'day');
create trigger daily_budget_authority_insert after insert on daily_budget
    for each row when (new.resets > 0) execute function daily_budget_reset();
create trigger daily_budget_authority_update after update of resets on daily_budget
    for each row when (old.resets is distinct from new.resets) execute function daily_budget_reset();
create trigger mail_message_audit after delete or update on mail_message
    for each row execute function audit_capture('message_uuid', 'message_uuid');
-- The service deletes request counts only after 760 days. An owner may delete any.
create trigger request_usage_kept before delete on request_usage for each row execute function request_usage_kept();
create trigger service_setting_audit after insert or delete or update on service_setting
    for each row execute function audit_capture('', 'key');
create trigger signing_key_audit after insert or delete or update on signing_key
    for each row execute function audit_capture('', 'key_id');
create trigger signing_key_authority after insert or update or delete on signing_key
    for each row execute function authority_changed('keys', '*');

revoke execute on function audit_confirm from public;
grant execute on function audit_confirm to labs_service;
revoke execute on function audit_detach from public;
grant execute on function audit_detach to labs_service;
revoke execute on function audit_settled from public;
grant execute on function audit_settled to labs_service;
revoke execute on function ledger_add from public;
revoke execute on function ledger_complete from public;
revoke execute on function ledger_expire from public;
grant execute on function ledger_expire to labs_service;
revoke execute on function ledger_lock from public;
revoke execute on function ledger_prepare from public;
grant execute on function ledger_prepare to labs_service;
revoke execute on procedure audit_watch from public;
grant select, insert (first_position, last_position, previous_hash, hash, bytes) on audit_archive to labs_service;
grant select, insert on audit_change to labs_service;
grant select, insert (record_uuid, operation, channel, outcome, code, actor_kind, actor_uuid, actor_label, scope, target_kind, target_uuid, target_label, partner_uuid, reason, request_id, address, parameters) on audit_log to labs_service;
grant select, insert on audit_seal to labs_service;
grant select, insert, update, delete on daily_budget to labs_service;
grant select, insert, update, delete on idempotency_key to labs_service;
grant select, insert, update on job to labs_service;
grant select, insert, update, delete on job_run to labs_service;
grant select, insert, update, delete on mail_message to labs_service;
grant select, insert, update, delete on rate_limit_refusal to labs_service;
grant select, insert, update, delete on request_usage to labs_service;
grant select, insert on security_event to labs_service;
grant select, insert, update, delete on service_setting to labs_service;
grant select, insert, update, delete on signing_key to labs_service;
grant select on audit_canonical to labs_service;
grant select on ledger to labs_service;
grant select on ledger_partition to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Identity: users, sessions, second factors, staff members and their roles, machine clients.
------------------------------------------------------------------------------------------------------------------------

-- Access tokens that were revoked one by one. A row is not needed after the token's expiry.
create table access_token_revocation (
    token_id uuid not null,
    expires_at timestamptz not null,
    revoked_at timestamptz not null default labs_now(),
    constraint access_token_revocation_pkey primary key (token_id)
);
create index access_token_revocation_expires_at_idx on access_token_revocation (expires_at);

-- Scopes that a client actually used, to be compared with its allowed scopes.
create table client_scope_use (
    client_uuid uuid not null,
    scope text not null,
    last_used_at timestamptz not null default labs_now(),
    uses bigint not null default 0,
    constraint client_scope_use_pkey primary key (client_uuid, scope),
    constraint client_scope_use_client_fkey foreign key (client_uuid) references machine_client(client_uuid) on delete cascade,
    constraint client_scope_use_uses_check check (uses >= 0)
) with (fillfactor=70);

create table email_change (
    change_uuid uuid not null,
    person_uuid uuid not null,
    -- The session that requested the change; the other sessions end when it takes effect.
    session_uuid uuid,
    old_email text not null,
    old_email_normalised text not null,
    new_email text not null,
    new_email_normalised text not null,
    state text not null default 'PENDING',
    requested_at timestamptz not null default labs_now(),
    confirmed_at timestamptz,
    cancelled_at timestamptz,
    constraint email_change_pkey primary key (change_uuid),
    constraint email_change_person_fkey foreign key (person_uuid) references person(person_uuid) on delete cascade,
    constraint email_change_cancelled_at_check check ((state = 'CANCELLED') = (cancelled_at is not null)),
    constraint email_change_confirmed_at_check check (state <> 'CONFIRMED' or confirmed_at is not null),
    constraint email_change_state_check check (state in ('PENDING', 'CONFIRMED', 'CANCELLED', 'SUPERSEDED'))
);
create index email_change_person_idx on email_change (person_uuid, requested_at desc, change_uuid desc);
create index email_change_requested_at_idx on email_change (requested_at);

create table invitation (
    invitation_uuid uuid not null,
    partner_uuid uuid not null,
    email text not null,
    email_normalised text not null,
    role text not null,
    -- Language of the mail message.
    locale text not null default 'en',
    -- An expired invitation stays PENDING until it is swept, and counts as EXPIRED until then.
    state text not null default 'PENDING',
    invited_by uuid,
    -- The user who accepted the invitation.
    person_uuid uuid,
    created_at timestamptz not null default labs_now(),
    sent_at timestamptz not null default labs_now(),
    expires_at timestamptz not null,
    state_changed_at timestamptz not null default labs_now(),
    constraint invitation_pkey primary key (invitation_uuid),
    constraint invitation_invited_by_fkey foreign key (invited_by) references person(person_uuid) on delete set null,
    constraint invitation_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint invitation_person_fkey foreign key (person_uuid) references person(person_uuid) on delete set null,
    constraint invitation_person_check check (person_uuid is null or state = 'ACCEPTED'),
    constraint invitation_role_check check (role in ('ADMINISTRATOR', 'DEVELOPER', 'EDITOR', 'ACCOUNTANT', 'VIEWER')),
    constraint invitation_state_check check (state in ('PENDING', 'ACCEPTED', 'DECLINED', 'REVOKED', 'EXPIRED'))
);
create index invitation_expires_at_idx on invitation (expires_at) where state = 'PENDING';
create index invitation_invited_by_idx on invitation (invited_by);
create index invitation_partner_idx on invitation (partner_uuid, created_at desc, invitation_uuid desc);
-- A team can have one open invitation per address.
create unique index invitation_pending_key on invitation (partner_uuid, email_normalised) where state = 'PENDING';
create index invitation_person_idx on invitation (person_uuid) where person_uuid is not null;

-- A machine client that an operator provisioned: bound to one partner, or to none (the storefront, the release tool). A
-- bound client can have nothing under labs.admin; the code rejects it too, regardless of this row.
create table machine_client (
    client_uuid uuid not null,
    client_id text not null,
    partner_uuid uuid,
    name text not null,
    contact_email text,
    allowed_scopes text[] not null,
    -- Empty: any network.
    allowed_networks cidr[] not null default '{}'::cidr[],
    state text not null default 'ACTIVE',
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    last_used_at timestamptz,
    -- Identities of other issuers that get tokens without a secret: a list of objects with issuer, audience, subject, and
    -- a list of further claims, each with name and value.
    trusted_identities jsonb not null default '[]'::jsonb,
    -- If a disabled client is enabled again, the service no longer accepts tokens that were issued before.
    tokens_void_before timestamptz,
    constraint machine_client_pkey primary key (client_uuid),
    constraint machine_client_client_id_key unique (client_id),
    constraint machine_client_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint machine_client_bound_scopes_check check (partner_uuid is null or array_to_string(allowed_scopes, ' ') !~ '(^| )labs(\.| |$)'),
    constraint machine_client_name_check check (length(name) >= 1 and length(name) <= 200),
    constraint machine_client_state_check check (state in ('ACTIVE', 'DISABLED')),
    constraint machine_client_trusted_identities_check check (jsonb_typeof(trusted_identities) = 'array')
);
create index machine_client_begins_idx on machine_client ((folded(name) collate "C"), client_uuid);
create index machine_client_contains_idx on machine_client using gin ((folded(name) collate "C") gin_trgm_ops);
create index machine_client_created_at_idx on machine_client (created_at desc, client_uuid desc);
create index machine_client_last_used_at_idx on machine_client
    (coalesce(last_used_at, '1970-01-01 00:00:00+00'::timestamptz) desc, client_uuid desc);
-- Sort orders of the staff list. A client that was never used sorts after all that were.
create index machine_client_name_idx on machine_client (lower(name), client_uuid);
create index machine_client_name_order_idx on machine_client ((name_order(name) collate "C"), client_uuid);
create index machine_client_partner_idx on machine_client (partner_uuid, created_at desc, client_uuid desc);

-- A client may have two secrets for a while, so that it can rotate without downtime. The prefix is the visible part.
create table machine_client_secret (
    secret_uuid uuid not null,
    client_uuid uuid not null,
    prefix text not null,
    secret_sha256 bytea not null,
    created_at timestamptz not null default labs_now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz,
    constraint machine_client_secret_pkey primary key (secret_uuid),
    constraint machine_client_secret_sha256_key unique (secret_sha256),
    constraint machine_client_secret_client_fkey foreign key (client_uuid) references machine_client(client_uuid) on delete cascade,
    constraint machine_client_secret_sha256_check check (octet_length(secret_sha256) = 32)
);
create index machine_client_secret_client_idx on machine_client_secret (client_uuid, created_at desc, secret_uuid desc);
create index machine_client_secret_expires_at_idx on machine_client_secret (expires_at) where revoked_at is null;

-- Contains one row, which the first start creates.
create table naming_key (
    id boolean not null default true,
    key_sealed bytea not null,
    made_at timestamptz not null default labs_now(),
    constraint naming_key_pkey primary key (id),
    constraint naming_key_single_check check (id)
);

create table network_denial (
    denial_uuid uuid not null,
    network cidr not null,
    reason text not null,
    created_by uuid,
    created_at timestamptz not null default labs_now(),
    -- Null: until a staff member lifts it. An expired denial has no effect, whether or not it was lifted.
    expires_at timestamptz,
    constraint network_denial_pkey primary key (denial_uuid),
    constraint network_denial_network_key unique (network),
    constraint network_denial_created_by_fkey foreign key (created_by) references person(person_uuid) on delete set null,
    -- Database guard against denials that are too wide by mistake; the rule in code is the first guard.
    constraint network_denial_network_check check (masklen(network::inet) >=
        case family(network::inet)
            when 4 then 8
            else 32
        end)
);
create index network_denial_created_at_idx on network_denial (created_at desc, denial_uuid desc);
create index network_denial_created_by_idx on network_denial (created_by);

-- One-time tokens: the links in mail messages and the second step of a sign-in. Only the hash is stored. One guarded
-- update consumes a token (`set used_at … where used_at is null and expires_at > …`).
create table one_time_token (
    token_sha256 bytea not null,
    purpose text not null,
    person_uuid uuid,
    subject_uuid uuid,
    payload jsonb not null default '{}'::jsonb,
    attempts integer not null default 0,
    created_at timestamptz not null default labs_now(),
    expires_at timestamptz not null,
    used_at timestamptz,
    constraint one_time_token_pkey primary key (token_sha256),
    constraint one_time_token_person_fkey foreign key (person_uuid) references person(person_uuid) on delete cascade,
    constraint one_time_token_attempts_check check (attempts >= 0),
    constraint one_time_token_purpose_check check (purpose in ('VERIFY_EMAIL', 'RESET_PASSWORD', 'CHANGE_EMAIL', 'CANCEL_EMAIL_CHANGE', 'INVITATION', 'STAFF_INVITATION', 'MFA_CHALLENGE')),
    constraint one_time_token_sha256_check check (octet_length(token_sha256) = 32)
);
create index one_time_token_expires_at_idx on one_time_token (expires_at);
create index one_time_token_person_idx on one_time_token (person_uuid, purpose);
create index one_time_token_subject_idx on one_time_token (subject_uuid, purpose) where subject_uuid is not null;

-- A partner: the company that builds software here. It is never deleted. Erasure makes its personal data anonymous and
-- keeps the row, so that audit records, votes and statistics still count.
create table partner (
    partner_uuid uuid not null,
    slug text not null,
    company_name text not null,
    legal_form text,
    registration_number text,
    vat_id text,
    country text,
    -- {street, addition, postal_code, city, region}, each of them text and optional.
    address jsonb not null default '{}'::jsonb,
    billing_email text,
    website text,
    state text not null default 'ACTIVE',
    state_reason text,
    state_changed_at timestamptz not null default labs_now(),
    -- In state CLOSING, the time at which the account closes. In state CLOSED, the end of the period in which it can be
    -- reopened.
    closes_at timestamptz,
    labels text[] not null default '{}'::text[],
    -- The security policy takes effect at the next sign-in of each member.
    mfa_required boolean not null default false,
    session_hours integer,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- {recipient, street, addition, postal_code, city, region, country}; empty if bills are sent to the company's
    -- address.
    billing_address jsonb not null default '{}'::jsonb,
    -- In state SUSPENDED or CLOSED: the previous state, which reinstating or reopening restores.
    former_state text,
    -- Time at which staff verified the company. Null if it is not verified.
    verified_at timestamptz,
    -- Forms of the company name that names of similar appearance share. Null until they are computed.
    name_skeletons text[],
    -- New name, not yet confirmed by staff. company_name is shown until then.
    pending_company_name text,
    pending_name_since timestamptz,
    constraint partner_pkey primary key (partner_uuid),
    constraint partner_slug_key unique (slug),
    constraint partner_address_check check (jsonb_typeof(address) = 'object'),
    constraint partner_billing_address_check check (jsonb_typeof(billing_address) = 'object'),
    constraint partner_closes_at_check check (state <> 'CLOSING' or closes_at is not null),
    constraint partner_company_name_check check (length(company_name) >= 1 and length(company_name) <= 200),
    constraint partner_country_check check (country ~ '^[A-Z]{2}$'),
    constraint partner_former_state_check check (former_state in ('ACTIVE', 'SUSPENDED', 'CLOSING')),
    constraint partner_pending_company_name_check check (length(pending_company_name) >= 1 and length(pending_company_name) <= 200),
    constraint partner_pending_name_whole check ((pending_company_name is null) = (pending_name_since is null)),
    constraint partner_session_hours_check check (session_hours >= 1 and session_hours <= 720),
    constraint partner_slug_check check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
    constraint partner_state_check check (state in ('ACTIVE', 'SUSPENDED', 'CLOSING', 'CLOSED', 'ERASED'))
);
create index partner_begins_idx on partner ((folded(company_name) collate "C"), partner_uuid);
-- Used by the job that closes accounts.
create index partner_closes_at_idx on partner (closes_at) where state = 'CLOSING';
-- Further sort orders of the staff list.
create index partner_company_name_idx on partner (lower(company_name), partner_uuid);
create index partner_company_name_order_idx on partner ((name_order(company_name) collate "C"), partner_uuid);
create index partner_contains_idx on partner using gin ((folded(company_name) collate "C") gin_trgm_ops);
create index partner_created_at_idx on partner (created_at desc, partner_uuid desc);
create index partner_name_skeletons_idx on partner using gin (name_skeletons);
create index partner_name_skeletons_missing_idx on partner (partner_uuid) where name_skeletons is null;
create index partner_pending_name_idx on partner (pending_name_since, partner_uuid) where pending_name_since is not null;
-- All fields that the staff lists of partners and users search.
create index partner_searched_idx on partner using gin ((folded(company_name || E'\n' || slug || E'\n'
    || coalesce(pending_company_name, '') || E'\n' || coalesce(vat_id, '') || E'\n'
    || coalesce(registration_number, '')) collate "C") gin_trgm_ops);
create index partner_state_changed_at_idx on partner (state_changed_at desc, partner_uuid desc);
create index partner_state_idx on partner (state, created_at desc, partner_uuid desc);

-- A user. `email` is as the user wrote it, `email_normalised` is the form that is compared. An address is free again
-- once its user is removed. `role` is set for team members, staff roles for staff members, never both.
create table person (
    person_uuid uuid not null,
    kind text not null,
    partner_uuid uuid,
    email text not null,
    email_normalised text not null,
    name text not null,
    locale text not null default 'en',
    time_zone text not null default 'UTC',
    role text,
    state text not null,
    password_hash text,
    password_changed_at timestamptz,
    email_verified_at timestamptz,
    last_sign_in_at timestamptz,
    -- Whether the feature-request board shows the name next to the company's.
    show_name boolean not null default false,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- Whether the team had suspended the user before staff locked them: unlocking restores that state.
    was_suspended boolean not null default false,
    -- Whether the user receives the weekly mail about the board. The mail does not depend on the user's votes.
    board_mail boolean not null default false,
    -- Whether the user is warned by mail before the partner's daily budget is spent.
    quota_mail boolean not null default true,
    constraint person_pkey primary key (person_uuid),
    constraint person_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint person_belonging_check check (
        case kind
            when 'PARTNER_USER' then partner_uuid is not null and role is not null
            else partner_uuid is null and role is null
        end),
    constraint person_kind_check check (kind in ('PARTNER_USER', 'STAFF_USER')),
    -- INVITED and DISABLED are states of staff members, UNVERIFIED and SUSPENDED of team members.
    constraint person_kind_state_check check (
        case kind
            when 'PARTNER_USER' then state <> all (array['INVITED', 'DISABLED'])
            else state <> all (array['UNVERIFIED', 'SUSPENDED'])
        end),
    constraint person_name_check check (length(name) >= 1 and length(name) <= 200),
    constraint person_role_check check (role in ('ADMINISTRATOR', 'DEVELOPER', 'EDITOR', 'ACCOUNTANT', 'VIEWER')),
    constraint person_state_check check (state in ('UNVERIFIED', 'INVITED', 'ACTIVE', 'SUSPENDED', 'LOCKED', 'DISABLED', 'REMOVED'))
);
create index person_address_begins_idx on person ((email_normalised collate "C"))
    where kind = 'PARTNER_USER' and state <> 'REMOVED';
create index person_begins_idx on person ((folded(name) collate "C"), person_uuid)
    where kind = 'PARTNER_USER' and state <> 'REMOVED';
create index person_board_mail_idx on person (person_uuid) where board_mail;
create index person_contains_idx on person using gin ((folded(name) collate "C") gin_trgm_ops)
    where kind = 'PARTNER_USER' and state <> 'REMOVED';
create index person_created_at_idx on person (kind, created_at desc, person_uuid desc);
-- Users are found by their address in every state.
create index person_email_normalised_idx on person (email_normalised) where state <> 'REMOVED';
create unique index person_email_normalised_key on person (email_normalised) where state not in ('REMOVED', 'UNVERIFIED');
create index person_listed_created_at_idx on person (created_at desc, person_uuid desc);
create index person_listed_last_sign_in_at_idx on person
    (coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz) desc, person_uuid desc);
create index person_listed_name_idx on person (lower(name), person_uuid);
create index person_name_order_idx on person ((name_order(name) collate "C"), person_uuid);
create index person_partner_idx on person (partner_uuid, created_at desc, person_uuid desc);
create index person_searched_idx on person using gin ((folded(name || E'\n' || email) collate "C") gin_trgm_ops);
create index person_staff_last_sign_in_at_idx on person
    (coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz) desc, person_uuid desc)
    where kind = 'STAFF_USER';
create index person_staff_name_idx on person (lower(name), person_uuid) where kind = 'STAFF_USER';
create index person_staff_name_order_idx on person ((name_order(name) collate "C"), person_uuid) where kind = 'STAFF_USER';
create index person_unverified_idx on person (partner_uuid, person_uuid)
    where kind = 'PARTNER_USER' and state = 'UNVERIFIED';

create table recovery_code (
    person_uuid uuid not null,
    code_sha256 bytea not null,
    used_at timestamptz,
    created_at timestamptz not null default labs_now(),
    constraint recovery_code_pkey primary key (person_uuid, code_sha256),
    constraint recovery_code_person_fkey foreign key (person_uuid) references person(person_uuid) on delete cascade,
    constraint recovery_code_sha256_check check (octet_length(code_sha256) = 32)
);

-- A sign-in, and the family of refresh cookies that it issued. The cookie contains the id and the counter. Rotation
-- locks the row and increments the counter. The fill factor leaves free space, so that rotations do not touch the
-- indexes.
create table session (
    session_uuid uuid not null,
    person_uuid uuid not null,
    created_at timestamptz not null default labs_now(),
    last_used_at timestamptz not null default labs_now(),
    idle_expires_at timestamptz not null,
    expires_at timestamptz not null,
    counter bigint not null default 0,
    counter_changed_at timestamptz not null default labs_now(),
    ended_at timestamptz,
    end_reason text,
    address inet,
    user_agent text,
    second_factor boolean not null default false,
    reauthenticated_at timestamptz,
    mfa_required boolean not null default false,
    constraint session_pkey primary key (session_uuid),
    constraint session_person_fkey foreign key (person_uuid) references person(person_uuid) on delete cascade,
    constraint session_counter_check check (counter >= 0),
    constraint session_end_check check (ended_at is not null or end_reason is null)
) with (fillfactor=80);
create index session_expires_at_idx on session (expires_at);
create index session_person_idx on session (person_uuid, created_at desc, session_uuid desc);

-- Failed sign-ins, counted per account (`account:<normalised e-mail>`, known or not) and per network
-- (`network:<prefix>`). Staff use the id to lift a block.
create table sign_in_failure (
    subject text not null,
    block_uuid uuid not null default labs_uuid(),
    failures integer not null default 0,
    last_failed_at timestamptz not null default labs_now(),
    held_until timestamptz,
    -- The account of the counted failures, extracted once at write time. All failures of an account can be found and
    -- deleted together, from all networks.
    account text generated always as ("substring"(subject, '^account:([^@]+@[^@]+)')) stored,
    person_uuid uuid generated always as ("substring"(subject, '^second_factor:([0-9a-f-]{36})')::uuid) stored,
    network cidr generated always as ("substring"(subject, '^(?:network:|account:[^@]+@[^@]+@|second_factor:[^@]+@)([0-9a-f.:]+(?:/[0-9]+)?)$')::cidr) stored,
    constraint sign_in_failure_pkey primary key (subject),
    constraint sign_in_failure_block_key unique (block_uuid),
    constraint sign_in_failure_failures_check check (failures >= 0)
);
create index sign_in_failure_account_idx on sign_in_failure (account) where account is not null;
create index sign_in_failure_held_until_idx on sign_in_failure (held_until) where held_until is not null;
create index sign_in_failure_last_failed_at_idx on sign_in_failure (last_failed_at desc, block_uuid desc);
create index sign_in_failure_person_idx on sign_in_failure (person_uuid) where person_uuid is not null;

-- Staff roles: sets of scopes under labs.admin, stored as data. Every staff member also has auth.account:write, which
-- is in no role.
create table staff_role (
    role_code text not null,
    name text not null,
    description text not null default '',
    scopes text[] not null,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint staff_role_pkey primary key (role_code),
    constraint staff_role_code_check check (role_code ~ '^[A-Z][A-Z0-9_]{0,39}$'),
    constraint staff_role_scopes_check check (array_to_string(scopes, ' ', '*') ~ '^(labs\.admin(\.[a-z-]+)?(:write)?( |$))*$')
);

create table staff_role_grant (
    person_uuid uuid not null,
    role_code text not null,
    -- Null if the command line granted it.
    granted_by uuid,
    granted_at timestamptz not null default labs_now(),
    constraint staff_role_grant_pkey primary key (person_uuid, role_code),
    constraint staff_role_grant_granted_by_fkey foreign key (granted_by) references person(person_uuid) on delete set null,
    constraint staff_role_grant_person_fkey foreign key (person_uuid) references person(person_uuid) on delete cascade,
    constraint staff_role_grant_role_fkey foreign key (role_code) references staff_role(role_code)
);
create index staff_role_grant_granted_by_idx on staff_role_grant (granted_by);
create index staff_role_grant_role_idx on staff_role_grant (role_code);

-- Token requests of machine clients, granted or refused. A refused one has no token.
create table token_grant (
    grant_uuid uuid not null,
    client_uuid uuid not null,
    token_id uuid,
    granted_at timestamptz not null default labs_now(),
    expires_at timestamptz,
    outcome text not null,
    code text,
    scopes text[] not null default '{}'::text[],
    address inet,
    -- The secret for which a token was issued. The column has no foreign key, because the log outlives the secret. Grants
    -- from before this column have no value, and their tokens expire within the hour.
    secret_uuid uuid,
    -- The identity for which a token was issued without a secret, as the client trusted it at that time.
    identity jsonb,
    constraint token_grant_pkey primary key (grant_uuid),
    constraint token_grant_client_fkey foreign key (client_uuid) references machine_client(client_uuid) on delete cascade,
    constraint token_grant_outcome_check check (outcome in ('SUCCEEDED', 'REFUSED', 'FAILED'))
);
create index token_grant_client_idx on token_grant (client_uuid, granted_at desc, grant_uuid desc);
create index token_grant_token_idx on token_grant (token_id) where token_id is not null;

-- Second factor. It is active once confirmed. The last used step is stored, so that a code works once.
create table totp_factor (
    person_uuid uuid not null,
    secret_sealed bytea not null,
    confirmed_at timestamptz,
    last_step bigint,
    created_at timestamptz not null default labs_now(),
    constraint totp_factor_pkey primary key (person_uuid),
    constraint totp_factor_person_fkey foreign key (person_uuid) references person(person_uuid) on delete cascade
);

-- Identity assertions that were used. Each can be used once. A row is not needed after the assertion's expiry.
create table used_assertion (
    -- SHA-256 of the assertion's issuer, a zero byte, and its id.
    assertion_sha256 bytea not null,
    expires_at timestamptz not null,
    constraint used_assertion_pkey primary key (assertion_sha256),
    constraint used_assertion_sha256_check check (octet_length(assertion_sha256) = 32)
);
create index used_assertion_expires_at_idx on used_assertion (expires_at);

-- A machine client as staff see it: its partner, its valid secrets, and the scopes that its requests actually needed.
create view machine_client_shown as
select
    c.client_uuid, c.client_id, c.partner_uuid, p.company_name, c.name, c.contact_email, c.allowed_scopes,
    c.allowed_networks::text[] as allowed_networks, c.trusted_identities, c.state, c.created_at, c.updated_at, c.last_used_at,
    coalesce((
        select jsonb_agg(to_jsonb(s) - 'secret_sha256' order by s.created_at desc, s.secret_uuid desc)
        from machine_client_secret as s
        where s.client_uuid = c.client_uuid and s.revoked_at is null
            and (s.expires_at is null or s.expires_at > labs_now())
    ), '[]') as secrets,
    coalesce((
        select jsonb_agg(to_jsonb(u) order by u.last_used_at desc, u.scope)
        from client_scope_use as u
        where u.client_uuid = c.client_uuid and u.uses > 0
    ), '[]') as used_scopes
from machine_client as c
left join partner as p on p.partner_uuid = c.partner_uuid;

create view sign_in_block_shown as
select
    f.block_uuid,
    case when f.account is not null then 'ACCOUNT' when f.person_uuid is not null then 'SECOND_FACTOR' else 'NETWORK' end
        as kind,
    coalesce(f.account, h.email) as email, coalesce(a.person_uuid, h.person_uuid) as person_uuid,
    coalesce(a.name, h.name) as person_name, c.partner_uuid, c.company_name, f.network, f.failures, f.last_failed_at,
    f.held_until
from sign_in_failure as f
left join person as a on a.email_normalised = f.account and a.state <> 'REMOVED'
left join person as h on h.person_uuid = f.person_uuid
left join partner as c on c.partner_uuid = coalesce(a.partner_uuid, h.partner_uuid);

create view staff_member_shown as
select
    p.person_uuid, p.name, p.email, p.state, p.created_at, p.updated_at, p.last_sign_in_at,
    (select f.confirmed_at from totp_factor as f where f.person_uuid = p.person_uuid) as second_factor_confirmed_at,
    coalesce((
        select jsonb_agg(jsonb_build_object('code', r.role_code, 'name', r.name, 'scopes', r.scopes) order by r.role_code)
        from staff_role_grant as g
        join staff_role as r on r.role_code = g.role_code
        where g.person_uuid = p.person_uuid
    ), '[]') as roles,
    (
        select count(*) from session as s
        where s.person_uuid = p.person_uuid and s.ended_at is null
            and s.expires_at > labs_now() and s.idle_expires_at > labs_now()
    ) as sessions_count,
    (
        select max(t.expires_at) from one_time_token as t
        where t.person_uuid = p.person_uuid and t.purpose = 'STAFF_INVITATION' and t.used_at is null
            and p.state = 'INVITED'
    ) as invitation_expires_at
from person as p
where p.kind = 'STAFF_USER' and p.state <> 'REMOVED';

create view staff_role_shown as
select
    r.role_code, r.name, r.description, r.scopes, r.created_at, r.updated_at,
    (select count(*) from staff_role_grant as g where g.role_code = r.role_code) as holders_count,
    coalesce((
        select jsonb_agg(to_jsonb(h) order by h.name, h.person_uuid)
        from (
            select p.person_uuid, p.name, p.state
            from staff_role_grant as g
            join person as p on p.person_uuid = g.person_uuid
            where g.role_code = r.role_code
            order by p.name, p.person_uuid
            limit 100
        ) as h
    ), '[]') as holders
from staff_role as r;

-- A removed user no longer has an e-mail address: the address is free again.
create view user_shown as
select
    p.person_uuid, p.kind, p.name, p.email, p.email_verified_at,
    (
        select max(e.new_email) from one_time_token as t
        join email_change as e on e.change_uuid = t.subject_uuid
        where t.person_uuid = p.person_uuid and t.purpose = 'CHANGE_EMAIL' and t.used_at is null
            and t.expires_at > labs_now() and e.state = 'PENDING'
    ) as pending_email,
    p.partner_uuid, c.company_name, p.role, p.state, p.locale, f.confirmed_at as second_factor_confirmed_at,
    (
        select count(*) from session as s
        where s.person_uuid = p.person_uuid and s.ended_at is null
            and s.expires_at > labs_now() and s.idle_expires_at > labs_now()
    ) as sessions_count,
    greatest(
        (select max(h.held_until) from sign_in_failure as h
            where h.account = p.email_normalised and h.held_until > labs_now()),
        (select max(h.held_until) from sign_in_failure as h
            where h.person_uuid = p.person_uuid and h.held_until > labs_now())
    ) as sign_in_held_until,
    p.last_sign_in_at, p.created_at, p.updated_at
from person as p
left join partner as c on c.partner_uuid = p.partner_uuid
left join totp_factor as f on f.person_uuid = p.person_uuid and f.confirmed_at is not null
where p.state <> 'REMOVED';

-- Current name of the owner of an account.
create function budget_account_name(account text) returns text
    language sql stable parallel safe
    as $$
        select case split_part(account, ':', 1)
            when 'partner' then (select p.company_name from public.partner as p
                where p.partner_uuid = split_part(account, ':', 2)::uuid)
            when 'client' then (select c.name from public.machine_client as c
                where c.client_uuid = split_part(account, ':', 2)::uuid)
            when 'staff' then (select h.name from public.person as h
                where h.person_uuid = split_part(account, ':', 2)::uuid)
        end
    $$;

-- A replica that has a portion of the former budget drops it. The account name is the payload of the notification.
create function daily_budget_reset() returns trigger language plpgsql as $$
begin
    perform pg_catalog.pg_notify('authority', new.account);
    return null;
end $$;

create function partner_name_skeletons_kept() returns trigger language plpgsql as $$
begin
    new.name_skeletons := null;
    return new;
end $$;

-- Database guard of the rule "a partner always keeps one active administrator"; the rule in code is the first guard.
-- The check runs at the end of the transaction, and only if an active administrator of that partner stops being one. A
-- partner that waits for its first verification is therefore not affected. Staff may lock even the last administrator,
-- because a compromised account is worse than a team without an administrator. The check locks the row of the remaining
-- administrator: if two administrators demote each other at the same time, one of them fails.
create function person_administrator_kept() returns trigger language plpgsql as $$
begin
    perform from public.partner where partner_uuid = old.partner_uuid and state in ('CLOSED', 'ERASED');
    if found then
        return null;
    end if;
    perform from public.person
    where partner_uuid = old.partner_uuid and role = 'ADMINISTRATOR' and state = 'ACTIVE'
    order by person_uuid
    limit 1
    for share;
    if not found then
        raise check_violation using
            message = 'a partner always keeps one active administrator',
            table = 'person', constraint = 'person_administrator_check';
    end if;
    return null;
end $$;

-- Every new session gets the policy of that moment. For staff members a second factor is always required; no column
-- decides that.
create function session_policy() returns trigger language plpgsql as $$
begin
    select coalesce(p.mfa_required, false) into new.mfa_required
    from public.person as h
    left join public.partner as p on p.partner_uuid = h.partner_uuid
    where h.person_uuid = new.person_uuid;
    return new;
end $$;

-- Database guard of the rule "the last staff member who can grant roles stays"; the rule in code is the first guard.
-- The check runs at the end of the transaction, and only if a staff member may have lost the right to grant. It locks
-- the row of the remaining one: if two staff members revoke the right from each other at the same time, the second
-- commit finds no granter and fails.
create function staff_granter_kept() returns trigger language plpgsql as $$
declare
    before jsonb := to_jsonb(old);
begin
    -- A change of a row that could never grant needs no check.
    if tg_table_name = 'person' then
        perform from public.staff_role_grant as g join public.staff_role as r on r.role_code = g.role_code
        where g.person_uuid = (before ->> 'person_uuid')::uuid and public.staff_scopes_grant(r.scopes);
    elsif tg_table_name = 'staff_role_grant' then
        perform from public.staff_role where role_code = before ->> 'role_code' and public.staff_scopes_grant(scopes);
    else
        perform from public.staff_role_grant where role_code = before ->> 'role_code';
    end if;
    if not found then
        return null;
    end if;
    perform from public.person as p
    join public.staff_role_grant as g on g.person_uuid = p.person_uuid
    join public.staff_role as r on r.role_code = g.role_code
    where p.kind = 'STAFF_USER' and p.state = 'ACTIVE' and public.staff_scopes_grant(r.scopes)
    order by p.person_uuid
    limit 1
    for share;
    if not found then
        raise check_violation using
            message = 'one active staff member who can grant roles always remains',
            table = 'staff_role_grant', constraint = 'staff_granter_check';
    end if;
    return null;
end $$;

-- Whether a set of scopes lets its holder grant roles and admit staff members.
create function staff_scopes_grant(scopes text[]) returns boolean
    language sql immutable parallel safe
    as $$ select scopes && array['labs.admin:write', 'labs.admin.staff:write'] $$;

create function staff_whole_kept() returns trigger language plpgsql as $$
declare
    before jsonb := to_jsonb(old);
begin
    -- A change of a row without the full scope needs no check.
    if tg_table_name = 'person' then
        perform from public.staff_role_grant as g join public.staff_role as r on r.role_code = g.role_code
        where g.person_uuid = (before ->> 'person_uuid')::uuid and 'labs.admin:write' = any(r.scopes);
    elsif tg_table_name = 'staff_role_grant' then
        perform from public.staff_role where role_code = before ->> 'role_code' and 'labs.admin:write' = any(scopes);
    else
        perform from public.staff_role_grant where role_code = before ->> 'role_code';
    end if;
    if not found then
        return null;
    end if;
    perform from public.person as p
    join public.staff_role_grant as g on g.person_uuid = p.person_uuid
    join public.staff_role as r on r.role_code = g.role_code
    where p.kind = 'STAFF_USER' and p.state = 'ACTIVE' and 'labs.admin:write' = any(r.scopes)
    order by p.person_uuid
    limit 1
    for share;
    if not found then
        raise check_violation using
            message = 'one active staff member with all rights always remains',
            table = 'staff_role_grant', constraint = 'staff_whole_check';
    end if;
    return null;
end $$;

-- Whether the secret, trusted identity or client of a token has ended since the token was issued, apart from a revocation of the token
-- itself. The check runs when a principal is read, so a concurrent issue that commits late is judged by the current
-- state.
create function token_grant_void(token uuid, void_before timestamptz) returns boolean
    language sql stable
    as $$
        select exists (
            select from public.token_grant as g
            join public.machine_client as c on c.client_uuid = g.client_uuid
            left join public.machine_client_secret as s on s.secret_uuid = g.secret_uuid
            where g.token_id = token
                and (s.revoked_at is not null or g.granted_at < void_before
                    or (g.identity is not null and not exists (
                        select from jsonb_array_elements(c.trusted_identities) as t (identity)
                        where t.identity = g.identity))))
    $$;

create trigger access_token_revocation_authority after insert on access_token_revocation
    for each row execute function authority_changed('token', 'token_id');
create trigger email_change_audit after insert or delete or update on email_change
    for each row execute function audit_capture('change_uuid', 'change_uuid');
create trigger invitation_audit after insert or delete or update on invitation
    for each row execute function audit_capture('invitation_uuid', 'invitation_uuid');
create trigger machine_client_audit after insert or delete or update on machine_client
    for each row execute function audit_capture('client_uuid', 'client_uuid');
create trigger machine_client_authority after update on machine_client
    for each row when ((old.partner_uuid, old.state, old.allowed_scopes, old.allowed_networks,
            old.trusted_identities)
        is distinct from (new.partner_uuid, new.state, new.allowed_scopes, new.allowed_networks,
            new.trusted_identities))
    execute function authority_changed('client', 'client_uuid');
create trigger machine_client_secret_audit after insert or delete or update on machine_client_secret
    for each row execute function audit_capture('secret_uuid', 'secret_uuid');
-- Deleting a secret also ends the tokens that were issued for it.
create trigger machine_client_secret_authority after update on machine_client_secret
    for each row when (old.revoked_at is distinct from new.revoked_at)
    execute function authority_changed('client', 'client_uuid');
create trigger network_denial_audit after insert or delete or update on network_denial
    for each row execute function audit_capture('denial_uuid', 'denial_uuid');
create trigger network_denial_authority after insert or update or delete on network_denial
    for each row execute function authority_changed('denials', '*');
create trigger listing_vendor_changed after update on partner for each row
    when ((old.slug, old.company_name, old.verified_at) is distinct from (new.slug, new.company_name, new.verified_at))
    execute function listing_vendor_changed();
create trigger partner_activity_begun after insert on partner
    for each row execute function partner_activity_begun();
create trigger partner_audit after insert or delete or update on partner
    for each row execute function audit_capture('partner_uuid', 'partner_uuid');
-- Only changes that end or change a right notify. A sign-in, a rotation or a new name must not notify.
create trigger partner_authority after update on partner
    for each row when (old.state is distinct from new.state)
    execute function authority_changed('partner', 'partner_uuid');
create trigger partner_counted after insert or delete on partner
    for each row execute function platform_counted('PARTNER', 'state');
create trigger partner_name_skeletons_kept before update of company_name on partner for each row
    when (old.company_name is distinct from new.company_name
        and old.name_skeletons is not distinct from new.name_skeletons)
    execute function partner_name_skeletons_kept();
create trigger partner_pictures after update of state on partner for each row
    when (old.state is distinct from new.state) execute function picture_on_show_changed('partner_uuid');
create trigger partner_public after update on partner for each row
    when ((old.slug, old.company_name, old.verified_at, old.state)
        is distinct from (new.slug, new.company_name, new.verified_at, new.state))
    execute function public_changed('storefront');
create trigger partner_recounted after update on partner for each row when (old.state is distinct from new.state)
    execute function platform_counted('PARTNER', 'state');
create trigger partner_verification_ends before update of company_name, country on partner for each row
    when (old.verified_at is not null
        and (old.company_name, old.country) is distinct from (new.company_name, new.country))
    execute function partner_verification_ends();
create trigger vendor_renamed after update on partner for each row
    when ((old.slug, old.company_name) is distinct from (new.slug, new.company_name))
    execute function vendor_renamed();
create constraint trigger person_administrator_delete after delete on person
    deferrable initially deferred for each row
    when (old.role = 'ADMINISTRATOR' and old.state = 'ACTIVE')
    execute function person_administrator_kept();
create constraint trigger person_administrator_update after update on person
    deferrable initially deferred for each row
    when (old.role = 'ADMINISTRATOR' and old.state = 'ACTIVE' and new.state <> 'LOCKED'
        and (new.role, new.state, new.partner_uuid) is distinct from (old.role, old.state, old.partner_uuid))
    execute function person_administrator_kept();
create trigger person_audit after insert or delete or update on person
    for each row execute function audit_capture('person_uuid', 'person_uuid');
create trigger person_authority after update on person
    for each row when ((old.kind, old.partner_uuid, old.role, old.state, old.password_hash)
        is distinct from (new.kind, new.partner_uuid, new.role, new.state, new.password_hash))
    execute function authority_changed('person', 'person_uuid');
create trigger person_confirmed after update on person
    for each row when (new.partner_uuid is not null and old.state = 'UNVERIFIED' and old.email_verified_at is null
        and new.email_verified_at is not null)
    execute function platform_registered();
create trigger person_counted after insert or delete on person
    for each row execute function platform_counted('PERSON', 'kind', 'state');
create constraint trigger person_granter_kept after update on person
    deferrable initially deferred for each row
    when (old.kind = 'STAFF_USER' and old.state = 'ACTIVE' and new.state <> 'ACTIVE')
    execute function staff_granter_kept();
-- A post may show its author.
create trigger person_public after update on person for each row
    when (old.kind = 'STAFF_USER' and old.name is distinct from new.name) execute function public_changed('publication');
create trigger person_recounted after update on person
    for each row when ((old.kind, old.state) is distinct from (new.kind, new.state))
    execute function platform_counted('PERSON', 'kind', 'state');
create trigger person_registered after insert on person
    for each row when (new.partner_uuid is not null and new.email_verified_at is not null)
    execute function platform_registered();
create trigger person_signed_in after update on person
    for each row when (new.partner_uuid is not null and new.last_sign_in_at is distinct from old.last_sign_in_at)
    execute function partner_signed_in();
create constraint trigger person_whole_kept after update on person
    deferrable initially deferred for each row
    when (old.kind = 'STAFF_USER' and old.state = 'ACTIVE' and new.state <> 'ACTIVE')
    execute function staff_whole_kept();
create trigger session_audit after insert or delete or update on session
    for each row execute function audit_capture('session_uuid', 'session_uuid');
create trigger session_authority_delete after delete on session
    for each row when (old.ended_at is null)
    execute function authority_changed('session', 'session_uuid');
create trigger session_authority_update after update on session
    for each row when ((old.ended_at, old.second_factor, old.reauthenticated_at)
        is distinct from (new.ended_at, new.second_factor, new.reauthenticated_at))
    execute function authority_changed('session', 'session_uuid');
create trigger session_policy before insert on session for each row execute function session_policy();
create trigger sign_in_failure_audit after delete or update on sign_in_failure
    for each row execute function audit_capture('block_uuid', 'subject');
create trigger staff_role_audit after insert or delete or update on staff_role
    for each row execute function audit_capture('', 'role_code');
create trigger staff_role_authority after update on staff_role
    for each row when (old.scopes is distinct from new.scopes)
    execute function authority_changed('staff_role', 'role_code');
create constraint trigger staff_role_granter_kept after update on staff_role
    deferrable initially deferred for each row
    when (staff_scopes_grant(old.scopes) and not staff_scopes_grant(new.scopes))
    execute function staff_granter_kept();
create constraint trigger staff_role_whole_kept after update on staff_role
    deferrable initially deferred for each row
    when ('labs.admin:write' = any(old.scopes) and not 'labs.admin:write' = any(new.scopes))
    execute function staff_whole_kept();
create trigger staff_role_grant_audit after insert or delete or update on staff_role_grant
    for each row execute function audit_capture('person_uuid', 'person_uuid', 'role_code');
create trigger staff_role_grant_authority after insert or update or delete on staff_role_grant
    for each row execute function authority_changed('person', 'person_uuid');
create constraint trigger staff_role_grant_granter_kept after update or delete on staff_role_grant
    deferrable initially deferred for each row execute function staff_granter_kept();
create constraint trigger staff_role_grant_whole_kept after update or delete on staff_role_grant
    deferrable initially deferred for each row execute function staff_whole_kept();
create trigger totp_factor_audit after insert or delete or update on totp_factor
    for each row execute function audit_capture('person_uuid', 'person_uuid');
create trigger totp_factor_authority_delete after delete on totp_factor
    for each row execute function authority_changed('person', 'person_uuid');
create trigger totp_factor_authority_update after update on totp_factor
    for each row when (old.confirmed_at is distinct from new.confirmed_at)
    execute function authority_changed('person', 'person_uuid');

grant select, insert, update, delete on access_token_revocation to labs_service;
grant select, insert, update, delete on client_scope_use to labs_service;
grant select, insert, update, delete on email_change to labs_service;
grant select, insert, update, delete on invitation to labs_service;
grant select, insert, update, delete on machine_client to labs_service;
grant select, insert, update, delete on machine_client_secret to labs_service;
grant select, insert, update on naming_key to labs_service;
grant select, insert, update, delete on network_denial to labs_service;
grant select, insert, update, delete on one_time_token to labs_service;
grant select, insert, update, delete on partner to labs_service;
grant select, insert, update, delete on person to labs_service;
grant select, insert, update, delete on recovery_code to labs_service;
grant select, insert, update, delete on session to labs_service;
grant select, insert, update, delete on sign_in_failure to labs_service;
grant select, insert, update, delete on staff_role to labs_service;
grant select, insert, update, delete on staff_role_grant to labs_service;
grant select, insert, update, delete on token_grant to labs_service;
grant select, insert, update, delete on totp_factor to labs_service;
grant select, insert, update, delete on used_assertion to labs_service;
grant select on machine_client_shown to labs_service;
grant select on sign_in_block_shown to labs_service;
grant select on staff_member_shown to labs_service;
grant select on staff_role_shown to labs_service;
grant select on user_shown to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Partners: account, team, profile, support, data exports, history.
------------------------------------------------------------------------------------------------------------------------

create table data_export (
    export_uuid uuid not null,
    partner_uuid uuid not null,
    state text not null default 'QUEUED',
    requested_by_kind text not null,
    requested_by uuid not null,
    -- The reason that staff gave; the partner reads it.
    reason text,
    created_at timestamptz not null default labs_now(),
    started_at timestamptz,
    ended_at timestamptz,
    -- Number of runs that claimed the export. A run whose number is not the latest has lost it.
    attempts integer not null default 0,
    -- End of the run's lease, or the time of the next attempt.
    claimed_until timestamptz,
    steps_done integer not null default 0,
    steps_total integer not null default 0,
    -- Unguessable name of the object. Each run has a different one.
    object_secret text,
    size_bytes bigint,
    sha256 bytea,
    expires_at timestamptz,
    -- Time at which its object was deleted.
    removed_at timestamptz,
    error text,
    constraint data_export_pkey primary key (export_uuid),
    constraint data_export_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint data_export_attempts_check check (attempts >= 0),
    constraint data_export_ended_at_check check ((state in ('SUCCEEDED', 'FAILED')) = (ended_at is not null)),
    constraint data_export_requested_by_kind_check check (requested_by_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER')),
    constraint data_export_sha256_check check (octet_length(sha256) = 32),
    constraint data_export_size_bytes_check check (size_bytes > 0),
    constraint data_export_state_check check (state in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    constraint data_export_steps_check check (steps_done >= 0 and steps_done <= steps_total),
    constraint data_export_succeeded_check check (state <> 'SUCCEEDED' or object_secret is not null and size_bytes is not null and sha256 is not null and expires_at is not null)
);
create index data_export_due_idx on data_export (created_at, export_uuid) where state in ('QUEUED', 'RUNNING');
create index data_export_expires_at_idx on data_export (expires_at) where removed_at is null and state = 'SUCCEEDED';
-- One open export per partner.
create unique index data_export_open_key on data_export (partner_uuid) where state in ('QUEUED', 'RUNNING');
create index data_export_partner_idx on data_export (partner_uuid, created_at desc, export_uuid desc);

-- Contacts for billing, technical questions and security. They are addresses, not users who sign in.
create table partner_contact (
    contact_uuid uuid not null,
    partner_uuid uuid not null,
    kind text not null,
    name text not null,
    email text not null,
    email_normalised text not null,
    phone text,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint partner_contact_pkey primary key (contact_uuid),
    -- An address occurs once per kind.
    constraint partner_contact_email_key unique (partner_uuid, kind, email_normalised),
    constraint partner_contact_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint partner_contact_kind_check check (kind in ('BILLING', 'TECHNICAL', 'SECURITY')),
    constraint partner_contact_name_check check (length(name) >= 1 and length(name) <= 200)
);
create index partner_contact_partner_idx on partner_contact (partner_uuid, created_at desc, contact_uuid desc);

create table partner_daily_use (
    partner_uuid uuid not null,
    day date not null,
    what text not null,
    used bigint not null,
    constraint partner_daily_use_pkey primary key (partner_uuid, day, what),
    constraint partner_daily_use_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint partner_daily_use_used_check check (used > 0),
    constraint partner_daily_use_what_check check (what in ('UPLOADS', 'INVITATIONS', 'INVITATIONS_BY_STAFF'))
) with (fillfactor=70);
create index partner_daily_use_day_idx on partner_daily_use (day, partner_uuid);

create table partner_event (
    event_uuid uuid not null,
    partner_uuid uuid not null,
    occurred_at timestamptz not null default labs_now(),
    kind text not null,
    actor_kind text not null,
    actor_uuid uuid,
    -- The object of the event, if it is not the account itself: a user, an invitation, a contact.
    subject_uuid uuid,
    -- The reason that staff gave; the partner reads it.
    reason text,
    -- Further data for a reader, without personal data: these rows outlive an erasure.
    detail jsonb not null default '{}'::jsonb,
    constraint partner_event_pkey primary key (event_uuid),
    constraint partner_event_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint partner_event_actor_kind_check check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM', 'ANONYMOUS')),
    constraint partner_event_detail_check check (jsonb_typeof(detail) = 'object'),
    constraint partner_event_kind_check check (kind ~ '^[A-Z][A-Z_]*$')
);
create index partner_event_partner_idx on partner_event (partner_uuid, occurred_at desc, event_uuid desc);

-- Logo and banner. The bytes are in the object storage under `object_key`; the row is written only after the upload and
-- never changes except when it is removed. An image that was removed from the draft keeps its row while the published
-- profile shows it.
create table partner_image (
    image_uuid uuid not null,
    partner_uuid uuid not null,
    kind text not null,
    alt_text text not null default '',
    media_type text not null,
    width integer not null,
    height integer not null,
    size_bytes bigint not null,
    sha256 bytea not null,
    object_key text not null,
    variants jsonb not null default '{}'::jsonb,
    removed_at timestamptz,
    created_at timestamptz not null default labs_now(),
    -- As media.renditions.
    renditions jsonb not null default '[]'::jsonb,
    -- As media.renditions_due.
    renditions_due boolean not null default false,
    constraint partner_image_pkey primary key (image_uuid),
    constraint partner_image_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint partner_image_height_check check (height > 0),
    constraint partner_image_kind_check check (kind in ('LOGO', 'BANNER')),
    constraint partner_image_media_type_check check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
    constraint partner_image_renditions_check check (jsonb_typeof(renditions) = 'array'),
    constraint partner_image_sha256_check check (octet_length(sha256) = 32),
    constraint partner_image_size_bytes_check check (size_bytes > 0),
    constraint partner_image_variants_check check (jsonb_typeof(variants) = 'object'),
    constraint partner_image_width_check check (width > 0)
);
create unique index partner_image_draft_key on partner_image (partner_uuid, kind) where removed_at is null;
create index partner_image_object_key_idx on partner_image (object_key);
create index partner_image_partner_idx on partner_image (partner_uuid, kind, image_uuid);
create index partner_image_renditions_due_idx on partner_image (image_uuid) where renditions_due;
create index partner_image_renditions_idx
    on partner_image using gin (jsonb_path_query_array(renditions, '$[*].object_key') jsonb_path_ops);
create index partner_image_variants_idx
    on partner_image using gin (jsonb_path_query_array(variants, '$.*.object_key') jsonb_path_ops);

create table partner_note (
    note_uuid uuid not null,
    partner_uuid uuid not null,
    author_uuid uuid,
    body text not null,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint partner_note_pkey primary key (note_uuid),
    constraint partner_note_author_fkey foreign key (author_uuid) references person(person_uuid) on delete set null,
    constraint partner_note_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint partner_note_body_check check (length(body) >= 1 and length(body) <= 10000)
);
create index partner_note_author_idx on partner_note (author_uuid);
create index partner_note_partner_idx on partner_note (partner_uuid, created_at desc, note_uuid desc);

-- `snapshot` is the profile as last published; readers see it while the state is PUBLISHED. It contains the texts, the
-- links and the ids of the media, so that later edits reach no reader before the next publication. A partner that never
-- wrote a profile has no row.
create table partner_profile (
    partner_uuid uuid not null,
    default_locale text not null default 'en',
    -- Object of locale to {tagline, description}.
    texts jsonb not null default '{}'::jsonb,
    website_url text,
    languages text[] not null default '{}'::text[],
    regions text[] not null default '{}'::text[],
    state text not null default 'UNPUBLISHED',
    state_reason text,
    state_changed_at timestamptz not null default labs_now(),
    snapshot jsonb,
    published_at timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- Time at which the partner's page was first published.
    first_published_at timestamptz,
    constraint partner_profile_pkey primary key (partner_uuid),
    constraint partner_profile_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint partner_profile_default_locale_check check (default_locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
    constraint partner_profile_first_published_check check ((first_published_at is null) = (published_at is null) and first_published_at <= published_at),
    constraint partner_profile_published_check check (state = 'UNPUBLISHED' or snapshot is not null and published_at is not null),
    constraint partner_profile_snapshot_check check (jsonb_typeof(snapshot) = 'object'),
    constraint partner_profile_state_check check (state in ('UNPUBLISHED', 'PUBLISHED', 'TAKEN_DOWN')),
    constraint partner_profile_texts_check check (jsonb_typeof(texts) = 'object')
);

-- Messages between the partner and support.
create table support_message (
    message_uuid uuid not null,
    ticket_uuid uuid not null,
    side text not null,
    author_uuid uuid not null,
    body text not null,
    created_at timestamptz not null default labs_now(),
    constraint support_message_pkey primary key (message_uuid),
    constraint support_message_ticket_fkey foreign key (ticket_uuid) references support_ticket(ticket_uuid) on delete cascade,
    constraint support_message_body_check check (length(body) >= 1 and length(body) <= 10000),
    constraint support_message_side_check check (side in ('PARTNER', 'SUPPORT'))
);
create index support_message_ticket_idx on support_message (ticket_uuid, created_at, message_uuid);

-- Internal notes of support.
create table support_note (
    note_uuid uuid not null,
    ticket_uuid uuid not null,
    author_uuid uuid not null,
    body text not null,
    created_at timestamptz not null default labs_now(),
    constraint support_note_pkey primary key (note_uuid),
    constraint support_note_ticket_fkey foreign key (ticket_uuid) references support_ticket(ticket_uuid) on delete cascade,
    constraint support_note_body_check check (length(body) >= 1 and length(body) <= 10000)
);
create index support_note_ticket_idx on support_note (ticket_uuid, created_at, note_uuid);

create table support_ticket (
    ticket_uuid uuid not null,
    partner_uuid uuid not null,
    subject text not null,
    topic text not null,
    app_uuid uuid,
    state text not null default 'OPEN',
    state_changed_at timestamptz not null default labs_now(),
    priority text not null default 'NORMAL',
    -- Order of the support queue: smaller values first.
    urgency smallint not null generated always as (
        case priority
            when 'URGENT' then 0
            when 'HIGH' then 1
            when 'NORMAL' then 2
            else 3
        end) stored,
    -- A team member or a machine client of the partner; the row that it names may be deleted.
    opened_by_kind text not null,
    opened_by uuid not null,
    assignee_uuid uuid,
    -- Time since when the partner has been waiting for support; null if it is not waiting.
    waiting_since timestamptz default labs_now(),
    messages_count integer not null default 0,
    last_message_at timestamptz not null default labs_now(),
    created_at timestamptz not null default labs_now(),
    -- For support only: actions that the partner does not see also update it.
    updated_at timestamptz not null default labs_now(),
    constraint support_ticket_pkey primary key (ticket_uuid),
    constraint support_ticket_app_fkey foreign key (app_uuid) references app(app_uuid) on delete set null,
    constraint support_ticket_assignee_fkey foreign key (assignee_uuid) references person(person_uuid) on delete set null,
    constraint support_ticket_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint support_ticket_opened_by_kind_check check (opened_by_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    constraint support_ticket_priority_check check (priority in ('LOW', 'NORMAL', 'HIGH', 'URGENT')),
    constraint support_ticket_state_check check (state in ('OPEN', 'WAITING_ON_PARTNER', 'RESOLVED', 'CLOSED')),
    constraint support_ticket_subject_check check (length(subject) >= 1 and length(subject) <= 200),
    constraint support_ticket_topic_check check (topic in ('ACCOUNT', 'TEAM', 'SUBSCRIPTION', 'APP', 'REVIEW', 'API', 'STATISTICS', 'OTHER')),
    constraint support_ticket_waiting_check check ((state = 'OPEN') = (waiting_since is not null))
);
create index support_ticket_app_idx on support_ticket (app_uuid) where app_uuid is not null;
create index support_ticket_assignee_idx on support_ticket (assignee_uuid) where assignee_uuid is not null;
create index support_ticket_begins_idx on support_ticket ((folded(subject) collate "C"), ticket_uuid);
create index support_ticket_contains_idx on support_ticket using gin ((folded(subject) collate "C") gin_trgm_ops);
create index support_ticket_created_at_idx on support_ticket (created_at desc, ticket_uuid desc);
create index support_ticket_last_message_idx on support_ticket (partner_uuid, last_message_at desc, ticket_uuid desc);
create index support_ticket_partner_idx on support_ticket (partner_uuid, created_at desc, ticket_uuid desc);
create index support_ticket_queue_idx on support_ticket (urgency, created_at, ticket_uuid);
-- Indexes for the counts of pending items.
create index support_ticket_waiting_idx on support_ticket (waiting_since) where waiting_since is not null;

-- The row of an expired invitation stays PENDING until it is swept, and readers see EXPIRED.
create view invitation_shown as
select
    i.invitation_uuid, i.partner_uuid, i.email, i.role, i.locale, i.invited_by, p.name as inviter_name, i.person_uuid,
    case when i.state = 'PENDING' and i.expires_at <= labs_now() then 'EXPIRED' else i.state end as state,
    case when i.state = 'PENDING' and i.expires_at <= labs_now() then i.expires_at else i.state_changed_at end
        as state_changed_at,
    i.created_at, i.sent_at, i.expires_at
from invitation as i
left join person as p on p.person_uuid = i.invited_by;

-- Where each image is used.
create view partner_image_shown as
select i.*, i.removed_at is null as in_draft,
    coalesce(f.state = 'PUBLISHED' and i.image_uuid in
        ((f.snapshot ->> 'logo_uuid')::uuid, (f.snapshot ->> 'banner_uuid')::uuid), false) as is_published
from partner_image as i
left join partner_profile as f on f.partner_uuid = i.partner_uuid;

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

-- Removes reasons from the histories: staff write them, and they may name people. The service may not update the
-- histories, so the function runs as their owner, and only for an erased partner. The events stay. The history of an
-- app contains the reason why staff suspended its listing.
create function history_anonymised(of_partner uuid) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    begin
        if not exists (select from public.partner where partner_uuid = of_partner and state = 'ERASED') then
            raise insufficient_privilege using message = 'only what belongs to an erased partner is made anonymous';
        end if;
        update public.partner_event set reason = null where partner_uuid = of_partner and reason is not null;
        update public.subscription_event set reason = null where partner_uuid = of_partner and reason is not null;
        update public.app_event as e set detail = e.detail - 'reason'
        from public.app as a
        where a.partner_uuid = of_partner and e.app_uuid = a.app_uuid and e.detail ? 'reason';
    end $$;

-- The storefront shows nothing of a partner that is not active, even if a publication runs at the same moment: the
-- trigger locks the partner's row, so that a publication and a suspension see each other.
create function listing_standing() returns trigger language plpgsql as $$
begin
    perform from public.partner
    where partner_uuid = new.partner_uuid and state in ('ACTIVE', 'CLOSING')
    for share;
    if not found then
        new.visible := false;
    end if;
    return new;
end $$;

-- The events of its account that a team may read, newest first, up to 101 from each source: its own history, the
-- history of its subscription, and staff operations that changed or read it. Labels and staff notes are visible to
-- staff only.
create function partner_history(of_partner uuid, groups text[], kinds text[], actors text[],
    since timestamptz, until timestamptz, before_at timestamptz, before_uuid uuid)
    returns table (event_group text, event_uuid uuid, occurred_at timestamptz, kind text, actor_kind text,
        actor_uuid uuid, subject_uuid uuid, operation text, reason text, detail jsonb)
    language sql stable
    as $$
        (select 'ACCOUNT', e.event_uuid, e.occurred_at, e.kind, e.actor_kind, e.actor_uuid, e.subject_uuid,
             null::text, e.reason, e.detail
         from public.partner_event as e
         where e.partner_uuid = of_partner and (groups is null or 'ACCOUNT' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and (actors is null or e.actor_kind = any(actors))
             and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit 101)
        union all
        (select 'SUBSCRIPTION', e.event_uuid, e.occurred_at, e.kind, e.actor_kind, e.actor_uuid, null::uuid,
             null::text, e.reason, jsonb_strip_nulls(jsonb_build_object('from_tier_code', f.code,
                 'to_tier_code', t.code, 'feature_code', e.detail -> 'feature_code',
                 'effective_at', e.detail -> 'effective_at', 'effective_until', e.detail -> 'effective_until'))
         from public.subscription_event as e
         left join public.tier as f on f.tier_uuid = e.from_tier_uuid
         left join public.tier as t on t.tier_uuid = e.to_tier_uuid
         where e.partner_uuid = of_partner and (groups is null or 'SUBSCRIPTION' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and (actors is null or e.actor_kind = any(actors))
             and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit 101)
        union all
        (select 'STAFF', l.record_uuid, l.recorded_at, 'STAFF_ACCESS', 'STAFF_USER', null::uuid, l.target_uuid,
             l.operation, l.reason, '{}'::jsonb
         from public.audit_log as l
         where l.partner_uuid = of_partner and (groups is null or 'STAFF' = any(groups)) and l.outcome = 'SUCCEEDED'
             and (kinds is null or 'STAFF_ACCESS' = any(kinds)) and (actors is null or 'STAFF_USER' = any(actors))
             and l.recorded_at >= since and l.recorded_at < until
             and (l.recorded_at, l.record_uuid) < (before_at, before_uuid)
             and l.operation !~ '^(admin_(notes_|partners_put_labels$)|partner_support_desk_post_message$)'
             and (l.operation ~ '^admin_users_' or not exists (
                 select from public.partner_event as e where e.partner_uuid = of_partner
                     and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid))
             and not exists (select from public.subscription_event as e where e.partner_uuid = of_partner
                 and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid)
         order by l.recorded_at desc, l.record_uuid desc limit 101)
    $$;

-- The complete history of a partner, newest first, up to `most` from each source: its own history, its subscription's,
-- its apps', the security events and the audit log. Without `most` everything is counted.
create function partner_timeline(of_partner uuid, groups text[], kinds text[], since timestamptz, until timestamptz,
    before_at timestamptz, before_uuid uuid, most integer)
    returns table (event_group text, event_uuid uuid, occurred_at timestamptz, kind text, outcome text, actor_kind text,
        actor_uuid uuid, actor_label text, subject_kind text, subject_uuid uuid, reason text, detail jsonb)
    language sql stable
    as $$
        (select 'ACCOUNT', e.event_uuid, e.occurred_at, e.kind, 'SUCCEEDED', e.actor_kind, e.actor_uuid, null::text,
             null::text, e.subject_uuid, e.reason, e.detail
         from public.partner_event as e
         where e.partner_uuid = of_partner and (groups is null or 'ACCOUNT' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'SUBSCRIPTION', e.event_uuid, e.occurred_at, e.kind, 'SUCCEEDED', e.actor_kind, e.actor_uuid, null,
             null, null, e.reason, jsonb_strip_nulls(e.detail
                 || jsonb_build_object('from_tier_code', f.code, 'to_tier_code', t.code))
         from public.subscription_event as e
         left join public.tier as f on f.tier_uuid = e.from_tier_uuid
         left join public.tier as t on t.tier_uuid = e.to_tier_uuid
         where e.partner_uuid = of_partner and (groups is null or 'SUBSCRIPTION' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'MARKETPLACE', e.event_uuid, e.occurred_at, e.kind, 'SUCCEEDED', e.actor_kind, e.actor_uuid, null,
             'APP', a.app_uuid, null, e.detail
         from public.app as a
         cross join lateral (
             select * from public.app_event as h
             where h.app_uuid = a.app_uuid and (kinds is null or h.kind = any(kinds))
                 and h.occurred_at >= since and h.occurred_at < until
                 and (h.occurred_at, h.event_uuid) < (before_at, before_uuid)
             order by h.occurred_at desc, h.event_uuid desc limit most) as e
         where a.partner_uuid = of_partner and (groups is null or 'MARKETPLACE' = any(groups))
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'SECURITY', e.event_uuid, e.occurred_at, e.kind, e.outcome, null, null, null,
             case when e.client_uuid is not null then 'MACHINE_CLIENT' when e.person_uuid is not null then 'PERSON' end,
             coalesce(e.client_uuid, e.person_uuid), null, '{}'
         from public.security_event as e
         where e.partner_uuid = of_partner and (groups is null or 'SECURITY' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'AUDIT', l.record_uuid, l.recorded_at, l.operation, l.outcome, l.actor_kind, l.actor_uuid, l.actor_label,
             upper(l.target_kind), l.target_uuid, l.reason,
             jsonb_strip_nulls(jsonb_build_object('code', l.code, 'channel', l.channel))
         from public.audit_log as l
         where l.partner_uuid = of_partner and (groups is null or 'AUDIT' = any(groups))
             and (kinds is null or l.operation = any(kinds)) and l.recorded_at >= since and l.recorded_at < until
             and (l.recorded_at, l.record_uuid) < (before_at, before_uuid)
         order by l.recorded_at desc, l.record_uuid desc limit most)
    $$;

-- Time since when a user is in a partner's team: the acceptance of its last invitation, or the creation of the user.
create function person_joined_at(of_person uuid, of_partner uuid) returns timestamptz
    language sql stable parallel safe
    as $$
        select coalesce(max(i.state_changed_at), '-infinity')
        from public.invitation as i
        where i.person_uuid = of_person and i.partner_uuid = of_partner and i.state = 'ACCEPTED'
    $$;

-- Whether a company has no dependent data except the user who registered it. Staff may have invited a user, locked the
-- company or requested its data export since; staff then decide about the company.
create function registration_is_bare(of_partner uuid, of_person uuid) returns boolean
    language sql stable parallel safe
    as $$
        select exists (select from public.partner as p where p.partner_uuid = of_partner and p.state = 'ACTIVE')
            and not exists (select from public.person as o
                where o.partner_uuid = of_partner and o.person_uuid <> of_person)
            and not exists (select from public.machine_client as c where c.partner_uuid = of_partner)
            and not exists (select from public.invitation as i where i.partner_uuid = of_partner)
            and not exists (select from public.data_export as d where d.partner_uuid = of_partner)
            and not exists (select from public.support_ticket as t where t.partner_uuid = of_partner)
    $$;

-- Removes personal data about the users of an erased partner from the security events. The service may not update these
-- rows, so the function runs as their owner, and only for an erased partner.
create function security_event_anonymised(of_partner uuid) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    begin
        if not exists (select from public.partner where partner_uuid = of_partner and state = 'ERASED') then
            raise insufficient_privilege using message = 'only what belongs to an erased partner is made anonymous';
        end if;
        update public.security_event set address = null, user_agent = null, detail = '{}'
        where partner_uuid = of_partner;
        update public.security_event as e set address = null, user_agent = null, detail = '{}'
        from public.person as p
        where p.partner_uuid = of_partner and e.person_uuid = p.person_uuid
            and e.partner_uuid is distinct from of_partner;
    end $$;

create function support_anonymised(of_partner uuid) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    begin
        if not exists (select from public.partner where partner_uuid = of_partner and state = 'ERASED') then
            raise insufficient_privilege using message = 'only what belongs to an erased partner is made anonymous';
        end if;
        update public.support_ticket set subject = 'Erased' where partner_uuid = of_partner;
        update public.support_message as m set body = 'Erased'
        from public.support_ticket as t
        where t.partner_uuid = of_partner and m.ticket_uuid = t.ticket_uuid;
        delete from public.support_note as n using public.support_ticket as t
        where t.partner_uuid = of_partner and n.ticket_uuid = t.ticket_uuid;
    end $$;

create trigger data_export_audit after insert on data_export
    for each row execute function audit_capture('export_uuid', 'export_uuid');
create trigger partner_contact_audit after insert or delete or update on partner_contact
    for each row execute function audit_capture('contact_uuid', 'contact_uuid');
create trigger partner_event_position after insert on partner_event
    for each row execute function event_inserted('ACCOUNT');
create trigger partner_image_audit after insert or delete or update on partner_image
    for each row execute function audit_capture('image_uuid', 'image_uuid');
create trigger partner_image_pictures after update of renditions or delete on partner_image for each row
    execute function picture_on_show_changed('partner_uuid');
create trigger partner_image_public after update on partner_image
    for each row execute function public_changed('storefront');
create trigger partner_note_audit after insert or delete or update on partner_note
    for each row execute function audit_capture('note_uuid', 'note_uuid');
create trigger partner_profile_audit after insert or delete or update on partner_profile
    for each row execute function audit_capture('partner_uuid', 'partner_uuid');
create trigger partner_profile_pictures after insert or update of state, snapshot or delete on partner_profile
    for each row execute function picture_on_show_changed('partner_uuid');
create trigger partner_profile_public after insert or update or delete on partner_profile
    for each row execute function public_changed('storefront');
create trigger support_message_audit after insert or delete or update on support_message
    for each row execute function audit_capture('ticket_uuid', 'message_uuid');
create trigger support_note_audit after insert or delete or update on support_note
    for each row execute function audit_capture('ticket_uuid', 'note_uuid');
create trigger support_ticket_audit after insert or delete or update on support_ticket
    for each row execute function audit_capture('ticket_uuid', 'ticket_uuid');

revoke execute on function history_anonymised from public;
grant execute on function history_anonymised to labs_service;
revoke execute on function security_event_anonymised from public;
grant execute on function security_event_anonymised to labs_service;
revoke execute on function support_anonymised from public;
grant execute on function support_anonymised to labs_service;
grant select, insert, update on data_export to labs_service;
grant select, insert, update, delete on partner_contact to labs_service;
grant select, insert, update, delete on partner_daily_use to labs_service;
grant select, insert on partner_event to labs_service;
grant select, insert, update, delete on partner_image to labs_service;
grant select, insert, update, delete on partner_note to labs_service;
grant select, insert, update, delete on partner_profile to labs_service;
grant select, insert on support_message to labs_service;
grant select, insert on support_note to labs_service;
grant select, insert, update on support_ticket to labs_service;
grant select on invitation_shown to labs_service;
grant select on partner_image_shown to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Subscriptions: tiers, features, entitlements, changes of a subscription.
------------------------------------------------------------------------------------------------------------------------

-- Overrides for one partner. An expired override has no effect, whether or not it was swept.
create table entitlement_override (
    partner_uuid uuid not null,
    feature_code text not null,
    value jsonb not null,
    reason text not null,
    set_by uuid,
    set_at timestamptz not null default labs_now(),
    expires_at timestamptz,
    constraint entitlement_override_pkey primary key (partner_uuid, feature_code),
    constraint entitlement_override_feature_fkey foreign key (feature_code) references feature(feature_code),
    constraint entitlement_override_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint entitlement_override_set_by_fkey foreign key (set_by) references person(person_uuid) on delete set null
);
create index entitlement_override_feature_idx on entitlement_override (feature_code);
create index entitlement_override_set_by_idx on entitlement_override (set_by);

-- A feature is defined once and has a value in each tier; if a tier sets no value, the default applies. A SCOPE feature
-- names the scope that it grants. A tier can grant nothing under labs.admin.
create table feature (
    feature_code text not null,
    kind text not null,
    name text not null,
    description text not null default '',
    unit text,
    scope text,
    default_value jsonb not null,
    "position" integer not null default 0,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint feature_pkey primary key (feature_code),
    constraint feature_scope_key unique (scope),
    constraint feature_code_check check (feature_code ~ '^[a-z][a-z0-9_]{0,59}$'),
    constraint feature_default_value_check check (feature_value_fits(kind, default_value)),
    constraint feature_kind_check check (kind in ('FLAG', 'LIMIT', 'SCOPE')),
    constraint feature_name_check check (length(name) >= 1 and length(name) <= 80),
    constraint feature_scope_check check ((kind = 'SCOPE') = (scope is not null) and scope ~ '^[a-z][a-z-]*(\.[a-z-]+)*(:write)?$' and scope !~ '^labs(\.|:|$)')
);
create index feature_position_idx on feature (position, feature_code);

-- Null means the value of the tier.
create table rate_limit_override (
    partner_uuid uuid not null,
    burst_per_second integer,
    daily_requests bigint,
    reason text not null,
    set_by uuid,
    set_at timestamptz not null default labs_now(),
    expires_at timestamptz,
    constraint rate_limit_override_pkey primary key (partner_uuid),
    constraint rate_limit_override_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint rate_limit_override_set_by_fkey foreign key (set_by) references person(person_uuid) on delete set null,
    constraint rate_limit_override_burst_per_second_check check (burst_per_second > 0),
    constraint rate_limit_override_daily_requests_check check (daily_requests >= 0),
    constraint rate_limit_override_limit_check check (num_nonnulls(burst_per_second, daily_requests) > 0)
);
create index rate_limit_override_set_by_idx on rate_limit_override (set_by);

-- One subscription per partner. After a cancellation the period runs to its end and the subscription falls back to the
-- free tier. The two pending columns contain a scheduled change.
create table subscription (
    partner_uuid uuid not null,
    tier_uuid uuid not null,
    state text not null default 'ACTIVE',
    started_at timestamptz not null default labs_now(),
    period_start timestamptz not null default labs_now(),
    -- Null for a tier without a period.
    period_end timestamptz,
    pending_tier_uuid uuid,
    pending_at timestamptz,
    updated_at timestamptz not null default labs_now(),
    -- The moment from which periods are counted; null means the start of the current period.
    period_anchor timestamptz,
    constraint subscription_pkey primary key (partner_uuid),
    constraint subscription_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint subscription_pending_tier_fkey foreign key (pending_tier_uuid) references tier(tier_uuid),
    constraint subscription_tier_fkey foreign key (tier_uuid) references tier(tier_uuid),
    constraint subscription_cancelling_check check (state = 'ACTIVE' or period_end is not null and pending_tier_uuid is null),
    constraint subscription_pending_check check (pending_at is null or pending_tier_uuid is not null),
    -- A scheduled change has a tier and a date. A cancellation removes it, and a cancelled subscription ends at its
    -- period end instead. So at most one change is scheduled at a time.
    constraint subscription_pending_pair_check check ((pending_at is null) = (pending_tier_uuid is null)),
    constraint subscription_period_check check (period_end > period_start),
    constraint subscription_state_check check (state in ('ACTIVE', 'CANCELLING'))
);
create index subscription_end_idx on subscription (coalesce(period_end, 'infinity'), partner_uuid);
create index subscription_pending_at_idx on subscription (pending_at) where pending_at is not null;
create index subscription_pending_tier_idx on subscription (pending_tier_uuid) where pending_tier_uuid is not null;
create index subscription_period_end_idx on subscription (period_end) where period_end is not null;
-- Sort orders of the staff list.
create index subscription_started_at_idx on subscription (started_at desc, partner_uuid desc);
create index subscription_tier_idx on subscription (tier_uuid, started_at desc, partner_uuid desc);

-- History of the subscription.
create table subscription_event (
    event_uuid uuid not null,
    partner_uuid uuid not null,
    occurred_at timestamptz not null default labs_now(),
    kind text not null,
    from_tier_uuid uuid,
    to_tier_uuid uuid,
    actor_kind text not null,
    actor_uuid uuid,
    reason text,
    detail jsonb not null default '{}'::jsonb,
    constraint subscription_event_pkey primary key (event_uuid),
    constraint subscription_event_from_tier_fkey foreign key (from_tier_uuid) references tier(tier_uuid),
    constraint subscription_event_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint subscription_event_to_tier_fkey foreign key (to_tier_uuid) references tier(tier_uuid),
    constraint subscription_event_actor_kind_check check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM', 'ANONYMOUS')),
    constraint subscription_event_kind_check check (kind ~ '^[A-Z][A-Z_]*$')
);
create index subscription_event_from_tier_idx on subscription_event (from_tier_uuid);
create index subscription_event_partner_idx on subscription_event (partner_uuid, occurred_at desc, event_uuid desc);
create index subscription_event_to_tier_idx on subscription_event (to_tier_uuid);

create table tier (
    tier_uuid uuid not null,
    code text not null,
    name text not null,
    description text not null default '',
    state text not null default 'DRAFT',
    price_amount_minor bigint not null default 0,
    currency text not null default 'EUR',
    billing_period text not null default 'NONE',
    burst_per_second integer not null,
    daily_requests bigint not null,
    -- Whether a partner may choose the tier without staff; staff decide about the others.
    self_service boolean not null default false,
    -- Position on the pricing page, and whether the page highlights the tier.
    "position" integer not null default 0,
    highlighted boolean not null default false,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint tier_pkey primary key (tier_uuid),
    constraint tier_code_key unique (code),
    constraint tier_billing_period_check check (billing_period in ('MONTH', 'YEAR', 'NONE')),
    constraint tier_burst_per_second_check check (burst_per_second > 0),
    constraint tier_code_check check (code ~ '^[A-Z][A-Z0-9_]{0,39}$'),
    constraint tier_currency_check check (currency ~ '^[A-Z]{3}$'),
    constraint tier_daily_requests_check check (daily_requests > 0),
    constraint tier_name_check check (length(name) >= 1 and length(name) <= 80),
    constraint tier_price_check check (price_amount_minor >= 0),
    constraint tier_state_check check (state in ('DRAFT', 'OFFERED', 'RETIRED'))
);
create index tier_created_at_idx on tier (created_at desc, tier_uuid desc);
create index tier_position_idx on tier (position, tier_uuid);

create table tier_catalogue (
    is_only boolean not null default true,
    turn bigint not null default 0,
    constraint tier_catalogue_pkey primary key (is_only),
    constraint tier_catalogue_is_only_check check (is_only)
);

-- Tier change request of a partner. If staff decide, the request is pending; if the partner may choose the tier without
-- staff, the request is applied at once.
create table tier_change_request (
    request_uuid uuid not null,
    partner_uuid uuid not null,
    from_tier_uuid uuid not null,
    to_tier_uuid uuid not null,
    message text not null default '',
    state text not null default 'PENDING',
    actor_kind text not null,
    actor_uuid uuid not null,
    created_at timestamptz not null default labs_now(),
    decided_at timestamptz,
    -- Reason of the staff decision; the partner reads it.
    decision_reason text,
    constraint tier_change_request_pkey primary key (request_uuid),
    constraint tier_change_request_from_tier_fkey foreign key (from_tier_uuid) references tier(tier_uuid),
    constraint tier_change_request_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint tier_change_request_to_tier_fkey foreign key (to_tier_uuid) references tier(tier_uuid),
    constraint tier_change_request_actor_kind_check check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    constraint tier_change_request_decided_check check ((state = 'PENDING') = (decided_at is null)),
    constraint tier_change_request_message_check check (length(message) <= 2000),
    constraint tier_change_request_state_check check (state in ('PENDING', 'APPLIED', 'REJECTED', 'WITHDRAWN'))
);
-- Staff list: undecided requests first.
create index tier_change_request_decided_at_idx
    on tier_change_request (coalesce(decided_at, 'infinity') desc, request_uuid);
create index tier_change_request_from_tier_idx on tier_change_request (from_tier_uuid);
create index tier_change_request_partner_idx on tier_change_request (partner_uuid, created_at desc, request_uuid desc);
-- One undecided request per partner.
create unique index tier_change_request_pending_key on tier_change_request (partner_uuid) where state = 'PENDING';
create index tier_change_request_to_tier_idx on tier_change_request (to_tier_uuid);

create table tier_feature (
    tier_uuid uuid not null,
    feature_code text not null,
    value jsonb not null,
    constraint tier_feature_pkey primary key (tier_uuid, feature_code),
    constraint tier_feature_feature_fkey foreign key (feature_code) references feature(feature_code),
    constraint tier_feature_tier_fkey foreign key (tier_uuid) references tier(tier_uuid) on delete cascade
);
create index tier_feature_feature_idx on tier_feature (feature_code);

-- Use of every account's daily budget. `daily_requests` is null for accounts with a separate budget instead of a
-- tier's.
create view budget_use as
select
    b.day, b.account, split_part(b.account, ':', 1) as kind, b.granted as used, b.resets, b.warned_at,
    l.daily_requests, l.daily_source, l.tier_code
from daily_budget as b
left join partner_rate_limit as l
    on l.partner_uuid = case when b.account like 'partner:%' then substr(b.account, 9)::uuid end;

-- Current budgets of every partner, the source of each, and the use of today's budget. The day is counted from 1970, as
-- a replica counts it.
create view partner_rate_limit as
select
    s.partner_uuid, s.tier_uuid, t.code as tier_code,
    coalesce(o.burst_per_second, t.burst_per_second) as burst_per_second,
    coalesce(o.daily_requests, t.daily_requests) as daily_requests,
    case when o.burst_per_second is null then 'TIER' else 'OVERRIDE' end as burst_source,
    case when o.daily_requests is null then 'TIER' else 'OVERRIDE' end as daily_source,
    o.expires_at,
    t.burst_per_second as tier_burst_per_second, t.daily_requests as tier_daily_requests,
    (labs_now() at time zone 'UTC')::date - date '1970-01-01' as today,
    coalesce(b.granted, 0) as granted_today, coalesce(b.resets, 0) as resets_today
from subscription as s
join tier as t on t.tier_uuid = s.tier_uuid
left join rate_limit_override as o on o.partner_uuid = s.partner_uuid
    and (o.expires_at is null or o.expires_at > labs_now())
left join daily_budget as b on b.account = 'partner:' || s.partner_uuid::text
    and b.day = (labs_now() at time zone 'UTC')::date;

-- A subscription as its partner and staff see it. The upcoming change is a scheduled change, or the end of a cancelled
-- period.
create view subscription_shown as
select
    s.partner_uuid, p.company_name, p.state as partner_state, s.tier_uuid, t.code as tier_code, t.name as tier_name,
    t.price_amount_minor, t.currency, t.billing_period, s.state, s.started_at, s.period_start, s.period_end,
    case when s.state = 'CANCELLING' then s.period_end else s.pending_at end as to_come_at,
    n.code as to_come_tier_code, n.name as to_come_tier_name, s.updated_at
from subscription as s
join partner as p on p.partner_uuid = s.partner_uuid
join tier as t on t.tier_uuid = s.tier_uuid
left join tier as n
    on n.tier_uuid = case when s.state = 'CANCELLING' then fallback_tier() else s.pending_tier_uuid end;

create view tier_change_request_shown as
select
    r.request_uuid, r.partner_uuid, p.company_name, r.from_tier_uuid, f.code as from_tier_code,
    f.name as from_tier_name, r.to_tier_uuid, t.code as to_tier_code, t.name as to_tier_name, r.message, r.state,
    r.actor_kind, r.actor_uuid, actor_name(r.actor_kind, r.actor_uuid) as actor_name, r.created_at, r.decided_at,
    r.decision_reason
from tier_change_request as r
join partner as p on p.partner_uuid = r.partner_uuid
join tier as f on f.tier_uuid = r.from_tier_uuid
join tier as t on t.tier_uuid = r.to_tier_uuid;

-- Every feature of every tier with its effective value.
create view tier_entitlement as
select
    t.tier_uuid, f.feature_code, f.kind, f.name, f.description, f.unit, f.scope, f.position,
    coalesce(v.value, f.default_value) as value,
    case when v.value is null then 'DEFAULT' else 'TIER' end as source
from tier as t
cross join feature as f
left join tier_feature as v on v.tier_uuid = t.tier_uuid and v.feature_code = f.feature_code;

-- The scopes that each tier grants.
create view tier_scope as
select t.tier_uuid, coalesce(array_agg(e.scope order by e.scope) filter (where e.scope is not null), '{}') as scopes
from tier as t
left join tier_entitlement as e on e.tier_uuid = t.tier_uuid and e.kind = 'SCOPE' and e.value = 'true'
group by t.tier_uuid;

-- A tier as staff see it.
create view tier_shown as
select
    t.tier_uuid, t.code, t.name, t.description, t.state, t.price_amount_minor, t.currency, t.billing_period,
    t.burst_per_second, t.daily_requests, t.self_service, t.position, t.highlighted, t.created_at, t.updated_at,
    (select count(*) from subscription as s where s.tier_uuid = t.tier_uuid) as subscribers_count,
    coalesce((
        select jsonb_agg(jsonb_build_object('code', e.feature_code, 'name', e.name, 'kind', e.kind, 'unit', e.unit,
            'scope', e.scope, 'value', e.value, 'source', e.source) order by e.position, e.feature_code)
        from tier_entitlement as e
        where e.tier_uuid = t.tier_uuid
    ), '[]') as features
from tier as t;

-- Current name of an actor.
create function actor_name(kind text, actor uuid) returns text
    language sql stable parallel safe
    as $$
        select case kind
            when 'MACHINE_CLIENT' then (select c.name from public.machine_client as c where c.client_uuid = actor)
            else (select p.name from public.person as p where p.person_uuid = actor)
        end
    $$;

-- The tier to which a cancelled subscription falls back: the first on the pricing page among the offered free tiers
-- that every partner may choose. The code ensures that one always exists.
create function fallback_tier() returns uuid
    language sql stable parallel safe
    as $$
        select t.tier_uuid from public.tier as t
        where t.state = 'OFFERED' and t.price_amount_minor = 0 and t.self_service
        order by t.position, t.code
        limit 1
    $$;

-- The kind of a feature is in another table than its values, so a trigger checks it.
create function feature_value_checked() returns trigger language plpgsql as $$
begin
    if not exists (
        select from public.feature as f
        where f.feature_code = new.feature_code and not public.feature_value_fits(f.kind, new.value)
    ) then
        return new;
    end if;
    raise check_violation using
        message = format('the value of feature %s does not suit its kind', new.feature_code),
        table = tg_table_name, column = 'value', constraint = tg_table_name || '_value_check';
end $$;

-- Whether a value fits a kind of feature: a FLAG and a SCOPE are granted or not, a LIMIT is a whole number or
-- "unlimited".
create function feature_value_fits(kind text, value jsonb) returns boolean
    language sql immutable parallel safe
    as $$
        select coalesce(case
            when kind in ('FLAG', 'SCOPE') then jsonb_typeof(value) = 'boolean'
            else value::text ~ '^[0-9]{1,15}$' or value = '"unlimited"'
        end, false)
    $$;

-- Resolved entitlements of one partner at a moment: an active override, else the tier's value, else the default.
-- `expires_at` is the time at which the result changes by itself.
create function partner_entitlement(of_partner uuid, moment timestamptz)
    returns table (feature_code text, kind text, name text, unit text, scope text, feature_position integer,
        value jsonb, source text, expires_at timestamptz)
    language sql stable parallel safe
    as $$
        select
            f.feature_code, f.kind, f.name, f.unit, f.scope, f.position,
            coalesce(o.value, v.value, f.default_value),
            case when o.value is not null then 'OVERRIDE' when v.value is not null then 'TIER' else 'DEFAULT' end,
            o.expires_at
        from public.feature as f
        left join public.subscription as s on s.partner_uuid = of_partner
        left join public.tier_feature as v
            on v.tier_uuid = case when moment <= public.labs_now() then s.tier_uuid
                else public.partner_tier(of_partner, moment) end
            and v.feature_code = f.feature_code
        left join public.entitlement_override as o on o.partner_uuid = of_partner
            and o.feature_code = f.feature_code and (o.expires_at is null or o.expires_at > moment)
    $$;

-- The maximum scopes that a partner's users and machine clients may have now.
create function partner_scope(of_partner uuid) returns text[]
    language sql stable parallel safe
    as $$
        select coalesce(array_agg(e.scope order by e.scope), '{}')
        from public.partner_entitlement(of_partner, public.labs_now()) as e
        where e.kind = 'SCOPE' and e.value = 'true'
    $$;

-- The tier of a partner at a moment, based on the changes that are known now.
create function partner_tier(of_partner uuid, moment timestamptz) returns uuid
    language sql stable parallel safe
    as $$
        select case
            when moment <= public.labs_now() then s.tier_uuid
            when s.pending_at <= moment then s.pending_tier_uuid
            when s.state = 'CANCELLING' and s.period_end <= moment then public.fallback_tier()
            else s.tier_uuid
        end
        from public.subscription as s
        where s.partner_uuid = of_partner
    $$;

-- A partner's use of each limit, counted as the guards count it. A limit that is missing here limits nothing that the
-- service counts.
create function partner_usage(of_partner uuid) returns table (feature_code text, used bigint)
    language sql stable parallel safe
    as $$
        select 'apps', count(*) from public.app as a
        where a.partner_uuid = of_partner and a.state <> 'ARCHIVED'
        union all
        select 'team_members',
            (select count(*) from public.person as p where p.partner_uuid = of_partner and p.state <> 'REMOVED')
            + (select count(*) from public.invitation as i
                where i.partner_uuid = of_partner and i.state = 'PENDING' and i.expires_at > public.labs_now())
        union all
        -- A started megabyte counts as a full one.
        select 'media_megabytes', ceil(coalesce(sum(pictures.size_bytes), 0) / 1048576.0)::bigint
        from (
            select m.size_bytes
            from public.app as a
            join public.media_counted as m on m.app_uuid = a.app_uuid
            where a.partner_uuid = of_partner
            union all
            select i.size_bytes from public.partner_image as i where i.partner_uuid = of_partner and i.removed_at is null
        ) as pictures
    $$;

-- Returns the first end of a period after a moment, if periods are counted from an anchor: a period that began on the
-- 31st ends on the 31st, or on the last day of a shorter month, and never drifts. Null if there are no periods.
create function period_end_after(anchor timestamptz, billing_period text, moment timestamptz) returns timestamptz
    language sql immutable parallel safe
    as $$
        select min(counted.ends_at)
        from (select case billing_period when 'MONTH' then 1 when 'YEAR' then 12 end as months,
                anchor at time zone 'UTC' as begun, moment at time zone 'UTC' as now) as given
        cross join lateral (select floor(((extract(year from given.now) - extract(year from given.begun)) * 12
                + extract(month from given.now) - extract(month from given.begun)) / given.months)::integer
            as whole) as passed
        cross join generate_series(0, 1) as step
        cross join lateral (select (given.begun
                + make_interval(months => given.months * greatest(passed.whole + step, 1))) at time zone 'UTC'
            as ends_at) as counted
        where counted.ends_at > moment
    $$;

create trigger entitlement_override_audit after insert or delete or update on entitlement_override
    for each row execute function audit_capture('partner_uuid', 'partner_uuid', 'feature_code');
create trigger entitlement_override_authority after insert or update or delete on entitlement_override
    for each row execute function authority_changed('partner', 'partner_uuid');
create trigger entitlement_override_value before insert or update on entitlement_override
    for each row execute function feature_value_checked();
create trigger feature_audit after insert or delete or update on feature
    for each row execute function audit_capture('', 'feature_code');
create trigger feature_authority after insert or delete on feature
    for each row execute function authority_changed('tier', '*');
create trigger feature_authority_update after update on feature
    for each row when ((old.kind, old.scope, old.default_value)
        is distinct from (new.kind, new.scope, new.default_value))
    execute function authority_changed('tier', '*');
create trigger feature_public after insert or update or delete on feature
    for each row execute function public_changed('tiers');
create trigger rate_limit_override_audit after insert or delete or update on rate_limit_override
    for each row execute function audit_capture('partner_uuid', 'partner_uuid');
create trigger rate_limit_override_authority after insert or update or delete on rate_limit_override
    for each row execute function authority_changed('partner', 'partner_uuid');
create trigger subscription_audit after insert or delete or update on subscription
    for each row execute function audit_capture('partner_uuid', 'partner_uuid');
create trigger subscription_authority after update on subscription
    for each row when ((old.tier_uuid, old.state) is distinct from (new.tier_uuid, new.state))
    execute function authority_changed('partner', 'partner_uuid');
create trigger subscription_counted after insert or delete on subscription
    for each row execute function platform_counted('SUBSCRIPTION', 'tier_uuid');
create trigger subscription_recounted after update on subscription
    for each row when (old.tier_uuid is distinct from new.tier_uuid)
    execute function platform_counted('SUBSCRIPTION', 'tier_uuid');
create trigger subscription_event_position after insert on subscription_event
    for each row execute function event_inserted('SUBSCRIPTION');
create trigger tier_audit after insert or delete or update on tier
    for each row execute function audit_capture('tier_uuid', 'tier_uuid');
-- A change of a tier, a subscription or an override reaches every replica within a second.
create trigger tier_authority after update on tier
    for each row when ((old.burst_per_second, old.daily_requests)
        is distinct from (new.burst_per_second, new.daily_requests))
    execute function authority_changed('tier', 'tier_uuid');
create trigger tier_public after insert or update or delete on tier
    for each row execute function public_changed('tiers');
create trigger tier_catalogue_public after insert or update or delete on tier_catalogue
    for each row execute function public_changed('tiers');
create trigger tier_change_request_audit after insert or delete or update on tier_change_request
    for each row execute function audit_capture('request_uuid', 'request_uuid');
create trigger tier_feature_audit after insert or delete or update on tier_feature
    for each row execute function audit_capture('tier_uuid', 'tier_uuid', 'feature_code');
create trigger tier_feature_authority after insert or update or delete on tier_feature
    for each row execute function authority_changed('tier', 'tier_uuid');
create trigger tier_feature_public after insert or update or delete on tier_feature
    for each row execute function public_changed('tiers');
create trigger tier_feature_value before insert or update on tier_feature
    for each row execute function feature_value_checked();

grant select, insert, update, delete on entitlement_override to labs_service;
grant select, insert, update, delete on feature to labs_service;
grant select, insert, update, delete on rate_limit_override to labs_service;
grant select, insert, update, delete on subscription to labs_service;
grant select, insert on subscription_event to labs_service;
grant select, insert, update, delete on tier to labs_service;
grant select, update on tier_catalogue to labs_service;
grant select, insert, update on tier_change_request to labs_service;
grant select, insert, update, delete on tier_feature to labs_service;
grant select on budget_use to labs_service;
grant select on partner_rate_limit to labs_service;
grant select on subscription_shown to labs_service;
grant select on tier_change_request_shown to labs_service;
grant select on tier_entitlement to labs_service;
grant select on tier_scope to labs_service;
grant select on tier_shown to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Marketplace: apps, versions, categories, submissions and their review.
------------------------------------------------------------------------------------------------------------------------

-- The draft of an app. An app may be deleted only if it was never published. Deletion cascades to dependent rows; a
-- listing or a customer review prevents it.
create table app (
    app_uuid uuid not null,
    partner_uuid uuid not null,
    slug text not null,
    default_locale text not null,
    state text not null default 'DRAFT',
    support_url text,
    support_email text,
    privacy_url text,
    website_url text,
    terms_url text,
    state_reason text,
    state_changed_at timestamptz not null default labs_now(),
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    former_state text,
    -- Whether others may use the slug of this archived app, because the app was never published.
    slug_freed boolean not null default false,
    constraint app_pkey primary key (app_uuid),
    constraint app_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint app_default_locale_check check (default_locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
    constraint app_former_state_check check ((former_state in ('LISTED', 'UNLISTED')) and (state <> 'SUSPENDED' or former_state is not null)),
    constraint app_slug_check check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
    constraint app_state_check check (state in ('DRAFT', 'LISTED', 'UNLISTED', 'SUSPENDED', 'ARCHIVED'))
);
create index app_created_at_idx on app (created_at desc, app_uuid desc);
create index app_partner_idx on app (partner_uuid, created_at desc, app_uuid desc);
create index app_partner_state_idx on app (partner_uuid, state, created_at desc, app_uuid desc);
create index app_slug_contains_idx on app using gin (slug gin_trgm_ops);
create unique index app_slug_key on app (slug) where state <> 'ARCHIVED' or not slug_freed;

-- The primary category is at position 0. The unique constraint is checked at the end of a statement, so that one
-- statement may change all positions.
create table app_category (
    app_uuid uuid not null,
    category_uuid uuid not null,
    "position" integer not null,
    constraint app_category_pkey primary key (app_uuid, category_uuid),
    constraint app_category_position_key unique (app_uuid, "position") deferrable,
    constraint app_category_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint app_category_category_fkey foreign key (category_uuid) references category(category_uuid),
    constraint app_category_position_check check ("position" >= 0 and "position" <= 2)
);
create index app_category_category_idx on app_category (category_uuid, app_uuid);

-- History of an app, for its owner and for staff.
create table app_event (
    event_uuid uuid not null,
    app_uuid uuid not null,
    occurred_at timestamptz not null default labs_now(),
    kind text not null,
    actor_kind text not null,
    actor_uuid uuid,
    detail jsonb not null default '{}'::jsonb,
    constraint app_event_pkey primary key (event_uuid),
    constraint app_event_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint app_event_actor_kind_check check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM', 'ANONYMOUS')),
    constraint app_event_kind_check check (kind ~ '^[A-Z][A-Z_]*$')
);
create index app_event_app_idx on app_event (app_uuid, occurred_at desc, event_uuid desc);

create table app_transfer (
    app_uuid uuid not null,
    transferred_at timestamptz not null default labs_now(),
    from_partner_uuid uuid not null,
    to_partner_uuid uuid not null,
    constraint app_transfer_pkey primary key (app_uuid, transferred_at),
    constraint app_transfer_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint app_transfer_from_fkey foreign key (from_partner_uuid) references partner(partner_uuid),
    constraint app_transfer_to_fkey foreign key (to_partner_uuid) references partner(partner_uuid),
    constraint app_transfer_partners_check check (from_partner_uuid <> to_partner_uuid)
);
create index app_transfer_from_idx on app_transfer (from_partner_uuid);
create index app_transfer_to_idx on app_transfer (to_partner_uuid);

create table app_translation (
    app_uuid uuid not null,
    locale text not null,
    name text not null,
    tagline text not null default '',
    description text not null default '',
    updated_at timestamptz not null default labs_now(),
    constraint app_translation_pkey primary key (app_uuid, locale),
    constraint app_translation_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint app_translation_description_check check (length(description) <= 20000),
    constraint app_translation_locale_check check (locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
    constraint app_translation_name_check check (length(name) >= 1 and length(name) <= 120),
    constraint app_translation_tagline_check check (length(tagline) <= 240)
);
create index app_translation_begins_idx on app_translation ((folded(name) collate "C"), app_uuid);
create index app_translation_contains_idx on app_translation using gin ((folded(name) collate "C") gin_trgm_ops);

-- A version of an app. `created_by` is a user or a machine client. At most one version of an app is PUBLISHED: the
-- previous one is superseded first.
create table app_version (
    version_uuid uuid not null,
    app_uuid uuid not null,
    number text not null,
    major bigint not null,
    minor bigint not null,
    patch bigint not null,
    prerelease text not null default '',
    precedence text collate "C" not null generated always as (version_precedence(major, minor, patch, prerelease)) stored,
    release_notes jsonb not null default '{}'::jsonb,
    manifest jsonb not null default '{"permissions": [], "redirect_uris": []}'::jsonb,
    state text not null default 'DRAFT',
    state_changed_at timestamptz not null default labs_now(),
    publish_at timestamptz,
    published_at timestamptz,
    created_by uuid,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint app_version_pkey primary key (version_uuid),
    constraint app_version_number_key unique (app_uuid, number),
    constraint app_version_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint app_version_major_check check (major >= 0),
    constraint app_version_manifest_check check (jsonb_typeof(manifest) = 'object'),
    constraint app_version_minor_check check (minor >= 0),
    constraint app_version_number_check check (number ~ '^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$' and length(number) <= 100),
    constraint app_version_patch_check check (patch >= 0),
    constraint app_version_publish_at_check check (state <> 'SCHEDULED' or publish_at is not null),
    constraint app_version_published_at_check check ((state <> all (array['PUBLISHED', 'SUPERSEDED'])) or published_at is not null),
    constraint app_version_release_notes_check check (jsonb_typeof(release_notes) = 'object'),
    constraint app_version_state_check check (state in ('DRAFT', 'SUBMITTED', 'IN_REVIEW', 'CHANGES_REQUESTED', 'APPROVED', 'SCHEDULED', 'PUBLISHED', 'SUPERSEDED', 'REJECTED', 'WITHDRAWN'))
);
create index app_version_app_idx on app_version (app_uuid, created_at desc, version_uuid desc);
create index app_version_live_idx on app_version (app_uuid, published_at desc, version_uuid desc)
    where state in ('PUBLISHED', 'SUPERSEDED');
create index app_version_precedence_idx on app_version (app_uuid, precedence desc);
create index app_version_publish_at_idx on app_version (publish_at) where state = 'SCHEDULED';
create unique index app_version_published_key on app_version (app_uuid) where state = 'PUBLISHED';

-- The category tree from which a partner chooses. Names and descriptions are objects of locale to text.
create table category (
    category_uuid uuid not null,
    parent_uuid uuid,
    slug text not null,
    icon text,
    "position" integer not null default 0,
    state text not null default 'ACTIVE',
    names jsonb not null,
    descriptions jsonb not null default '{}'::jsonb,
    -- Synonyms of the names, for the search: a list of words by locale.
    also_called jsonb not null default '{}'::jsonb,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint category_pkey primary key (category_uuid),
    constraint category_slug_key unique (slug),
    constraint category_parent_fkey foreign key (parent_uuid) references category(category_uuid),
    constraint category_also_called_check check (jsonb_typeof(also_called) = 'object'),
    constraint category_descriptions_check check (jsonb_typeof(descriptions) = 'object'),
    constraint category_names_check check (jsonb_typeof(names) = 'object' and names <> '{}'::jsonb),
    constraint category_parent_check check (parent_uuid <> category_uuid),
    constraint category_slug_check check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
    constraint category_state_check check (state in ('ACTIVE', 'DEACTIVATED'))
);
create index category_parent_idx on category (parent_uuid, position, category_uuid);
create index category_position_idx on category (position, category_uuid);

create table category_address (
    slug text not null,
    category_uuid uuid not null,
    -- Time at which the category first had this slug.
    kept_at timestamptz not null default labs_now(),
    constraint category_address_pkey primary key (slug),
    constraint category_address_category_fkey foreign key (category_uuid) references category(category_uuid) on delete cascade
);
create index category_address_category_idx on category_address (category_uuid, kept_at desc);

-- Listing requirements. The checklist of an app and the reviewers' findings use the same numbers. The service checks
-- the automatic ones, reviewers check the others.
create table listing_requirement (
    code text not null,
    title text not null,
    description text not null,
    "position" integer not null,
    automatic boolean not null,
    active boolean not null default true,
    constraint listing_requirement_pkey primary key (code),
    constraint listing_requirement_code_check check (code ~ '^REQ-[0-9]{2,3}$')
);

-- Media items. The bytes are in the object storage under `object_key`; the row is written only after the upload. The
-- variants are smaller copies: an object of name to {object_key, media_type, width, height, size_bytes}. A media item
-- that was removed from the draft keeps its row while a listing shows it.
create table media (
    media_uuid uuid not null,
    app_uuid uuid not null,
    kind text not null,
    "position" integer not null default 0,
    alt_text text not null default '',
    caption text not null default '',
    media_type text not null,
    width integer not null,
    height integer not null,
    size_bytes bigint not null,
    sha256 bytea not null,
    object_key text not null,
    variants jsonb not null default '{}'::jsonb,
    removed_at timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- Copies in other sizes, narrowest first: {object_key, media_type, width, height, size_bytes}.
    renditions jsonb not null default '[]'::jsonb,
    -- Whether a job still has to create the copies.
    renditions_due boolean not null default false,
    alt_texts jsonb not null default '{}'::jsonb,
    captions jsonb not null default '{}'::jsonb,
    constraint media_pkey primary key (media_uuid),
    constraint media_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint media_alt_texts_check check (jsonb_typeof(alt_texts) = 'object'),
    constraint media_captions_check check (jsonb_typeof(captions) = 'object'),
    constraint media_height_check check (height > 0),
    constraint media_kind_check check (kind in ('ICON', 'SCREENSHOT', 'BANNER')),
    constraint media_media_type_check check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
    constraint media_renditions_check check (jsonb_typeof(renditions) = 'array'),
    constraint media_sha256_check check (octet_length(sha256) = 32),
    constraint media_size_bytes_check check (size_bytes > 0),
    constraint media_variants_check check (jsonb_typeof(variants) = 'object'),
    constraint media_width_check check (width > 0)
);
create index media_app_idx on media (app_uuid, kind, position, media_uuid);
create index media_created_at_idx on media (app_uuid, created_at desc, media_uuid desc);
create index media_object_key_idx on media (object_key);
-- A job looks for media that were removed from a draft, to delete them once nothing shows them.
create index media_removed_at_idx on media (removed_at) where removed_at is not null;
create index media_renditions_due_idx on media (media_uuid) where renditions_due;
-- The sweep of objects also checks these names.
create index media_renditions_idx
    on media using gin (jsonb_path_query_array(renditions, '$[*].object_key') jsonb_path_ops);
create index media_variants_idx on media using gin (jsonb_path_query_array(variants, '$.*.object_key') jsonb_path_ops);

-- Messages about a submission. An internal note is never shown to the partner.
create table review_message (
    message_uuid uuid not null,
    submission_uuid uuid not null,
    author_kind text not null,
    author_uuid uuid,
    internal boolean not null default false,
    body text,
    created_at timestamptz not null default labs_now(),
    -- All messages about a version from both sides, in one order: comments with each submission, messages, notes that the
    -- partner never sees, and decisions with their findings.
    version_uuid uuid not null,
    kind text not null default 'MESSAGE',
    decision text,
    constraint review_message_pkey primary key (message_uuid),
    constraint review_message_submission_fkey foreign key (submission_uuid) references submission(submission_uuid) on delete cascade,
    constraint review_message_version_fkey foreign key (version_uuid) references app_version(version_uuid) on delete cascade,
    constraint review_message_author_kind_check check (author_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM')),
    constraint review_message_decided_check check ((kind = 'DECISION') = (decision is not null)),
    constraint review_message_decision_check check (decision in ('APPROVED', 'CHANGES_REQUESTED', 'REJECTED', 'WITHDRAWN')),
    constraint review_message_internal_check check (not internal or (author_kind in ('STAFF_USER', 'SYSTEM'))),
    constraint review_message_kind_check check (kind in ('SUBMISSION', 'MESSAGE', 'NOTE', 'DECISION')),
    constraint review_message_note_check check ((kind = 'NOTE') = internal),
    constraint review_message_said_check check ((kind in ('SUBMISSION', 'DECISION')) or body is not null)
);
create index review_message_submission_idx on review_message (submission_uuid, created_at, message_uuid);
create index review_message_version_idx on review_message (version_uuid, created_at, message_uuid);

-- Position up to which a user has read the thread of a version.
create table review_thread_read (
    version_uuid uuid not null,
    person_uuid uuid not null,
    read_until timestamptz not null,
    constraint review_thread_read_pkey primary key (version_uuid, person_uuid),
    constraint review_thread_read_person_fkey foreign key (person_uuid) references person(person_uuid) on delete cascade,
    constraint review_thread_read_version_fkey foreign key (version_uuid) references app_version(version_uuid) on delete cascade
);
create index review_thread_read_person_idx on review_thread_read (person_uuid);

-- A submission of an app version. The snapshot contains the submitted data (texts, links, categories, media, version),
-- so that the decision is about exactly that data. `submitted_by` is a user or a machine client, `reviewer_uuid` a
-- staff member. A version has at most one open submission. A resubmission creates a new row; an appeal is a submission
-- too.
create table submission (
    submission_uuid uuid not null,
    version_uuid uuid not null,
    app_uuid uuid not null,
    partner_uuid uuid not null,
    state text not null default 'SUBMITTED',
    submitted_by uuid,
    submitted_at timestamptz not null default labs_now(),
    reviewer_uuid uuid,
    claimed_at timestamptz,
    decided_at timestamptz,
    decision_note text,
    appeal boolean not null default false,
    appeal_text text,
    snapshot jsonb not null,
    estimated_at timestamptz,
    updated_at timestamptz not null default labs_now(),
    -- `queued_at` is the position in the queue: a resubmission and a replacement keep the former one's. `waiting_on` is
    -- null if neither side has to act. While the submission waits for the partner, `due_left_seconds` contains the time
    -- left until the due date. `asks_more` states that it requests permissions that the published version does not have.
    queued_at timestamptz not null default labs_now(),
    waiting_on text,
    waiting_since timestamptz,
    due_at timestamptz,
    due_left_seconds bigint,
    reminders integer not null default 0,
    asks_more boolean not null default false,
    constraint submission_pkey primary key (submission_uuid),
    constraint submission_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint submission_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint submission_reviewer_fkey foreign key (reviewer_uuid) references person(person_uuid),
    constraint submission_version_fkey foreign key (version_uuid) references app_version(version_uuid) on delete cascade,
    constraint submission_appeal_check check (appeal = (appeal_text is not null)),
    constraint submission_decided_at_check check ((state <> all (array['APPROVED', 'CHANGES_REQUESTED', 'REJECTED'])) or decided_at is not null),
    constraint submission_reviewer_check check (state <> 'IN_REVIEW' or reviewer_uuid is not null),
    constraint submission_state_check check (state in ('SUBMITTED', 'IN_REVIEW', 'APPROVED', 'CHANGES_REQUESTED', 'REJECTED', 'WITHDRAWN')),
    constraint submission_waiting_on_check check (waiting_on in ('PARTNER', 'REVIEWERS'))
);
create index submission_app_idx on submission (app_uuid, submitted_at desc, submission_uuid desc);
create index submission_decided_at_idx on submission (decided_at desc) where decided_at is not null;
create index submission_due_at_idx on submission (due_at) where waiting_on = 'REVIEWERS';
create unique index submission_open_key on submission (version_uuid) where state in ('SUBMITTED', 'IN_REVIEW');
create index submission_partner_idx on submission (partner_uuid, submitted_at desc, submission_uuid desc);
-- The queue is read in the order of its positions.
create index submission_queued_at_idx on submission (queued_at, submission_uuid);
create index submission_reviewer_idx on submission (reviewer_uuid, submitted_at, submission_uuid);
create index submission_reviewer_queued_at_idx on submission (reviewer_uuid, queued_at, submission_uuid);
create index submission_silent_idx on submission (waiting_since) where waiting_on = 'PARTNER';
create index submission_state_idx on submission (state, submitted_at, submission_uuid);
create index submission_state_queued_at_idx on submission (state, queued_at, submission_uuid);
create index submission_submitted_at_idx on submission (submitted_at, submission_uuid);
create index submission_version_idx on submission (version_uuid, submitted_at desc, submission_uuid desc);

create table submission_finding (
    finding_uuid uuid not null,
    submission_uuid uuid not null,
    requirement_code text not null,
    text text not null,
    "position" integer not null default 0,
    resolved boolean not null default false,
    created_at timestamptz not null default labs_now(),
    -- `place` is the location of the finding, a path into the submission; null if the reviewer names none. A finding that an appeal
    -- disproved is withdrawn.
    place text,
    observed text,
    why_now text,
    withdrawn_at timestamptz,
    constraint submission_finding_pkey primary key (finding_uuid),
    constraint submission_finding_requirement_fkey foreign key (requirement_code) references listing_requirement(code),
    constraint submission_finding_submission_fkey foreign key (submission_uuid) references submission(submission_uuid) on delete cascade,
    constraint submission_finding_observed_check check (length(observed) <= 2000),
    constraint submission_finding_place_check check (place ~ '^/' and length(place) <= 300),
    constraint submission_finding_why_now_check check (length(why_now) <= 2000)
);
create index submission_finding_requirement_idx on submission_finding (requirement_code);
create index submission_finding_submission_idx on submission_finding (submission_uuid, position, finding_uuid);

-- Start and end of each ownership of an app: rows written in that period belong to that partner.
create view app_tenure as
select t.app_uuid, t.from_partner_uuid as partner_uuid, coalesce((
        select max(before.transferred_at) from app_transfer as before
        where before.app_uuid = t.app_uuid and before.transferred_at < t.transferred_at), '-infinity') as since,
    t.transferred_at as until
from app_transfer as t
union all
select a.app_uuid, a.partner_uuid, app_owned_since(a.app_uuid), 'infinity' from app as a;

-- Place of each category: its path from the root to itself, and whether readers see it. A category below a deactivated
-- one is not shown, regardless of this state. The recursion starts at the roots, so that it always terminates.
create view category_place as
with recursive place as (
    select category_uuid, parent_uuid, array[category_uuid] as path, 0 as depth, state = 'ACTIVE' as shown
    from category
    where parent_uuid is null
    union all
    select c.category_uuid, c.parent_uuid, p.path || c.category_uuid, p.depth + 1, p.shown and c.state = 'ACTIVE'
    from category as c
    join place as p on c.parent_uuid = p.category_uuid
)
select category_uuid, parent_uuid, path, depth, shown
from place;

create view media_counted as
select m.media_uuid, m.app_uuid, m.kind, m.size_bytes, m.removed_at
from media as m
where m.removed_at is null or media_is_needed(m.media_uuid, m.app_uuid);

-- A ticket as support sees it.
create view support_desk_shown as
select
    t.ticket_uuid, t.partner_uuid, o.company_name, t.subject, t.topic, t.app_uuid, a.slug as app_slug, t.state,
    t.state_changed_at, t.priority, t.urgency, t.opened_by_kind, t.opened_by, coalesce(p.name, c.name) as opened_by_name,
    t.assignee_uuid, s.name as assignee_name, t.waiting_since, t.messages_count, t.last_message_at, t.created_at,
    t.updated_at
from support_ticket as t
join partner as o on o.partner_uuid = t.partner_uuid
left join app as a on a.app_uuid = t.app_uuid
left join person as p on p.person_uuid = t.opened_by
left join machine_client as c on c.client_uuid = t.opened_by
left join person as s on s.person_uuid = t.assignee_uuid;

-- A ticket as its partner sees it.
create view support_ticket_shown as
select
    t.ticket_uuid, t.partner_uuid, t.subject, t.topic, t.app_uuid, a.slug as app_slug, t.state, t.state_changed_at,
    t.priority, t.opened_by_kind, t.opened_by, coalesce(p.name, c.name) as opened_by_name, t.messages_count,
    t.last_message_at, t.created_at
from support_ticket as t
left join app as a on a.app_uuid = t.app_uuid
left join person as p on p.person_uuid = t.opened_by and p.partner_uuid = t.partner_uuid
left join machine_client as c on c.client_uuid = t.opened_by and c.partner_uuid = t.partner_uuid;

-- Findings of the reviewers in a version, each with its state: `NEW`, `STILL_THERE` if several reviews named it,
-- `MENDED` or `WITHDRAWN`.
create view version_finding as
select o.version_uuid, o.submission_uuid, o.submitted_at, f.finding_uuid, f.requirement_code, f.text, f.place, f.observed,
    f.why_now, f.resolved, f.position, case
        when f.withdrawn_at is not null then 'WITHDRAWN'
        when f.resolved then 'MENDED'
        when exists (
            select
            from submission as other
            join submission_finding as named on named.submission_uuid = other.submission_uuid
            where other.version_uuid = o.version_uuid and other.submission_uuid <> o.submission_uuid
                and named.requirement_code = f.requirement_code and named.place is not distinct from f.place)
            then 'STILL_THERE'
        else 'NEW'
    end as status
from submission_finding as f
join submission as o on o.submission_uuid = f.submission_uuid;

-- Time since when an app belongs to its owner; `-infinity` if it always did. The owner does not see the actors of
-- earlier events.
create function app_owned_since(app_uuid uuid) returns timestamptz language sql stable parallel safe as $$
    select coalesce(max(t.transferred_at), '-infinity') from public.app_transfer as t where t.app_uuid = $1
$$;

create function category_address_keep() returns trigger language plpgsql as $$
begin
    insert into public.category_address (slug, category_uuid)
    values (new.slug, new.category_uuid)
    on conflict (slug) do update set slug = excluded.slug
    where category_address.category_uuid = excluded.category_uuid;
    if not found then
        raise exception 'the slug % belongs or belonged to another category', new.slug
            using errcode = 'unique_violation', constraint = 'category_address_pkey';
    end if;
    return null;
end $$;

-- Whether a listing or a submission needs a media item: a pending submission, a submission of a version that is or may
-- be published or was replaced within the last 30 days, or a submission that was decided or withdrawn within that time.
create function media_is_needed(of_media uuid, of_app uuid) returns boolean
    language sql stable parallel safe
    as $$
        select exists (select from public.listing_media as shown where shown.media_uuid = of_media)
            or exists (
                select from public.submission as s join public.app_version as v using (version_uuid)
                where s.app_uuid = of_app
                    and s.snapshot -> 'media' @> jsonb_build_array(jsonb_build_object('media_uuid', of_media))
                    and (s.waiting_on is not null
                        or s.state = 'APPROVED' and v.state in ('APPROVED', 'SCHEDULED', 'PUBLISHED')
                        or s.state = 'APPROVED' and v.state = 'SUPERSEDED'
                            and v.state_changed_at > public.labs_now() - interval '30 days'
                        or greatest(s.submitted_at, s.decided_at, s.updated_at) > public.labs_now() - interval '30 days'))
    $$;

-- Returns a sort key for semantic versions in the order of their specification, in one indexable column: numbers are
-- padded; a release (`~`) sorts after its pre-releases; numeric identifiers sort before others and compare as numbers;
-- the shorter list sorts first. The key is text that is compared by bytes.
create function version_precedence(major bigint, minor bigint, patch bigint, prerelease text) returns text
    language sql immutable strict parallel safe
    as $$
        select lpad(major::text, 19, '0') || '.' || lpad(minor::text, 19, '0') || '.' || lpad(patch::text, 19, '0')
            || case when prerelease = '' then '~' else '-' || (
                select string_agg(case
                    when part ~ '^[0-9]+$' then '0' || lpad(length(part)::text, 3, '0') || part
                    else '1' || part
                end, ' ' order by place)
                from unnest(string_to_array(prerelease, '.')) with ordinality as identifiers (part, place)
            ) end
    $$;

create trigger app_audit after insert or delete or update on app
    for each row execute function audit_capture('app_uuid', 'app_uuid');
create trigger app_counted after insert or delete on app
    for each row execute function platform_counted('APP', 'state');
create trigger app_events_deleted after delete on app for each row execute function app_events_deleted();
create trigger app_happened after insert on app
    for each row execute function platform_happened('CREATION', 'created_at');
create trigger app_recounted after update on app for each row when (old.state is distinct from new.state)
    execute function platform_counted('APP', 'state');
create trigger app_category_audit after insert or delete or update on app_category
    for each row execute function audit_capture('app_uuid', 'app_uuid', 'category_uuid');
create trigger app_event_position after insert on app_event
    for each row execute function event_inserted('APP');
create trigger app_translation_audit after insert or delete or update on app_translation
    for each row execute function audit_capture('app_uuid', 'app_uuid', 'locale');
create trigger app_version_audit after insert or delete or update on app_version
    for each row execute function audit_capture('version_uuid', 'version_uuid');
create trigger app_version_public after update on app_version for each row
    when (new.published_at is not null) execute function public_changed('storefront');
create trigger app_version_published after insert on app_version
    for each row when (new.state = 'PUBLISHED') execute function platform_happened('PUBLICATION', 'published_at');
create trigger app_version_republished after update on app_version
    for each row when (new.state = 'PUBLISHED' and old.state <> 'PUBLISHED')
    execute function platform_happened('PUBLICATION', 'published_at');
create trigger category_address after insert or update of slug on category
    for each row execute function category_address_keep();
create trigger category_audit after insert or delete or update on category
    for each row execute function audit_capture('category_uuid', 'category_uuid');
create trigger category_public after insert or update or delete on category
    for each row execute function public_changed('storefront');
create trigger category_renamed after update on category for each row
    when ((old.slug, old.names, old.also_called, old.state, old.parent_uuid)
        is distinct from (new.slug, new.names, new.also_called, new.state, new.parent_uuid))
    execute function category_renamed();
create trigger listing_category_changed after update of slug, names, state, parent_uuid on category for each row
    when ((old.slug, old.names, old.state, old.parent_uuid) is distinct from (new.slug, new.names, new.state, new.parent_uuid))
    execute function listing_category_changed();
create trigger category_address_public after insert or update or delete on category_address
    for each row execute function public_changed('storefront');
create trigger listing_requirement_audit after insert or delete or update on listing_requirement
    for each row execute function audit_capture('', 'code');
create trigger media_audit after insert or delete or update on media
    for each row execute function audit_capture('media_uuid', 'media_uuid');
create trigger media_listing_changed after update of renditions on media for each row
    when (old.renditions is distinct from new.renditions) execute function listing_pictures_changed();
create trigger media_pictures after update of renditions on media for each row
    when (old.renditions is distinct from new.renditions) execute function picture_on_show_changed('app_uuid');
create trigger media_public after update on media
    for each row execute function public_changed('storefront');
create trigger review_message_audit after insert or delete or update on review_message
    for each row execute function audit_capture('message_uuid', 'message_uuid');
create trigger submission_audit after insert or delete or update on submission
    for each row execute function audit_capture('submission_uuid', 'submission_uuid');
create trigger submission_finding_audit after insert or delete or update on submission_finding
    for each row execute function audit_capture('finding_uuid', 'finding_uuid');

grant select, insert, update, delete on app to labs_service;
grant select, insert, update, delete on app_category to labs_service;
grant select, insert on app_event to labs_service;
grant select, insert on app_transfer to labs_service;
grant select, insert, update, delete on app_translation to labs_service;
grant select, insert, update, delete on app_version to labs_service;
grant select, insert, update, delete on category to labs_service;
grant select, insert, update on category_address to labs_service;
grant select, insert, update, delete on listing_requirement to labs_service;
grant select, insert, update, delete on media to labs_service;
grant select, insert, update, delete on review_message to labs_service;
grant select, insert, update, delete on review_thread_read to labs_service;
grant select, insert, update, delete on submission to labs_service;
grant select, insert, update, delete on submission_finding to labs_service;
grant select on app_tenure to labs_service;
grant select on category_place to labs_service;
grant select on media_counted to labs_service;
grant select on support_desk_shown to labs_service;
grant select on support_ticket_shown to labs_service;
grant select on version_finding to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Storefront: published listings, their search, customer reviews, collections, public images.
------------------------------------------------------------------------------------------------------------------------

-- One search configuration per language that PostgreSQL can stem, `labs_simple` for the others. Each removes accents
-- first, so that `cafe` finds `Café`.
do $$
declare
    language_name text;
begin
    foreach language_name in array array['simple', 'danish', 'dutch', 'english', 'finnish', 'french', 'german',
        'hungarian', 'italian', 'norwegian', 'portuguese', 'romanian', 'spanish', 'swedish']
    loop
        execute format('create text search configuration public.%I (copy = pg_catalog.%I)',
            'labs_' || language_name, language_name);
        execute format('alter text search configuration public.%I alter mapping for hword, hword_part, word with '
            'public.unaccent, pg_catalog.%I', 'labs_' || language_name,
            language_name || case language_name when 'simple' then '' else '_stem' end);
    end loop;
end $$;

create table collection (
    collection_uuid uuid not null,
    slug text not null,
    -- Titles by locale. English is always present.
    titles jsonb not null,
    descriptions jsonb not null default '{}'::jsonb,
    "position" integer not null,
    -- Time from which the collection is published. Null if it is not.
    shown_from timestamptz,
    -- End of the publication, exclusive. Null if it has no end.
    shown_until timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint collection_pkey primary key (collection_uuid),
    constraint collection_slug_key unique (slug),
    constraint collection_window_check check (shown_until > shown_from)
);

-- Every slug that a collection has or had, as with categories. Slugs of a deleted collection stay reserved and redirect
-- to nothing.
create table collection_address (
    slug text not null,
    collection_uuid uuid,
    -- Time at which the collection first had this slug.
    kept_at timestamptz not null default labs_now(),
    constraint collection_address_pkey primary key (slug),
    constraint collection_address_collection_fkey foreign key (collection_uuid) references collection(collection_uuid) on delete set null
);
create index collection_address_collection_idx on collection_address (collection_uuid, kept_at desc);

-- Words of the titles of each collection. The documents of its listings have its id instead, because a title is public
-- only while the collection is.
create table collection_document (
    collection_uuid uuid not null,
    search tsvector not null,
    constraint collection_document_pkey primary key (collection_uuid),
    constraint collection_document_collection_fkey foreign key (collection_uuid) references collection(collection_uuid) on delete cascade
);

-- The order is the order of the positions, which may have gaps.
create table collection_listing (
    collection_uuid uuid not null,
    app_uuid uuid not null,
    "position" integer not null,
    constraint collection_listing_pkey primary key (collection_uuid, app_uuid),
    constraint collection_listing_collection_fkey foreign key (collection_uuid) references collection(collection_uuid) on delete cascade,
    constraint collection_listing_listing_fkey foreign key (app_uuid) references listing(app_uuid) on delete cascade
);
create index collection_listing_app_idx on collection_listing (app_uuid);

-- A customer's review of an app: one review per customer and app. The customer is known only by the reference that the
-- storefront sends. Flags of the owner and reports of readers are stored independently of the state. The listing counts
-- the ratings of published reviews.
create table customer_review (
    review_uuid uuid not null,
    app_uuid uuid not null,
    -- Rating, locale, version and time belong to the published text.
    rating integer,
    locale text,
    version_number text,
    state text not null default 'PENDING',
    moderated_at timestamptz,
    moderated_by uuid,
    flagged_at timestamptz,
    reports integer not null default 0,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- HMAC of the app and the customer's reference. Null after erasure.
    customer_sha256 bytea,
    shown_text_uuid uuid,
    waiting_text_uuid uuid,
    rejected_text_uuid uuid,
    reply_uuid uuid,
    written_at timestamptz,
    -- Whether the published text has a headline or a body: not only stars.
    has_text boolean,
    -- Primary language of the locale.
    language text generated always as (split_part(locale, '-', 1)) stored,
    waiting_since timestamptz,
    reported_at timestamptz,
    -- Order of moderation: a pending text, then flags of the partner, then reports of customers.
    priority integer not null generated always as (
        case
            when waiting_text_uuid is not null then 1
            when flagged_at is not null then 2
            when reports > 0 then 3
            else 4
        end) stored,
    queued_at timestamptz not null generated always as (coalesce(waiting_since, flagged_at, reported_at, created_at)) stored,
    constraint customer_review_pkey primary key (review_uuid),
    constraint customer_review_customer_key unique (app_uuid, customer_sha256),
    constraint customer_review_app_fkey foreign key (app_uuid) references app(app_uuid),
    constraint customer_review_moderated_by_fkey foreign key (moderated_by) references person(person_uuid) on delete set null,
    constraint customer_review_rejected_fkey foreign key (rejected_text_uuid) references customer_review_text(text_uuid),
    constraint customer_review_reply_fkey foreign key (reply_uuid) references customer_review_reply(reply_uuid),
    constraint customer_review_shown_fkey foreign key (shown_text_uuid) references customer_review_text(text_uuid),
    constraint customer_review_waiting_fkey foreign key (waiting_text_uuid) references customer_review_text(text_uuid),
    constraint customer_review_customer_check check (octet_length(customer_sha256) = 32),
    constraint customer_review_rating_check check (rating >= 1 and rating <= 5),
    constraint customer_review_reported_check check ((reports = 0) = (reported_at is null)),
    constraint customer_review_reports_check check (reports >= 0),
    constraint customer_review_shown_check check (num_nonnulls(shown_text_uuid, rating, locale, written_at, has_text) in (0, 5)),
    constraint customer_review_state_check check (state in ('PENDING', 'PUBLISHED', 'REJECTED')),
    constraint customer_review_texts_check check (
        case state
            when 'PUBLISHED' then shown_text_uuid is not null and rejected_text_uuid is null
            when 'PENDING' then shown_text_uuid is null and waiting_text_uuid is not null and rejected_text_uuid is null
            else shown_text_uuid is null and waiting_text_uuid is null
        end),
    constraint customer_review_waiting_check check ((waiting_text_uuid is null) = (waiting_since is null))
);
create index customer_review_app_flagged_idx on customer_review (app_uuid, written_at desc, review_uuid desc)
    where state = 'PUBLISHED' and flagged_at is not null;
create index customer_review_app_idx on customer_review (app_uuid, priority, queued_at, review_uuid);
create index customer_review_best_idx on customer_review (app_uuid, rating desc, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_flagged_idx on customer_review (priority, queued_at, review_uuid)
    where flagged_at is not null;
create index customer_review_language_idx on customer_review
    (app_uuid, language, (has_text::integer) desc, written_at desc, review_uuid desc) where state = 'PUBLISHED';
create index customer_review_locale_idx on customer_review (app_uuid, locale, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_moderated_by_idx on customer_review (moderated_by) where moderated_by is not null;
create index customer_review_queue_idx on customer_review (priority, queued_at, review_uuid);
create unique index customer_review_rejected_key on customer_review (rejected_text_uuid)
    where rejected_text_uuid is not null;
create index customer_review_relevant_idx on customer_review
    (app_uuid, (has_text::integer) desc, written_at desc, review_uuid desc) where state = 'PUBLISHED';
create unique index customer_review_reply_key on customer_review (reply_uuid) where reply_uuid is not null;
create index customer_review_reported_idx on customer_review (priority, queued_at, review_uuid) where reports > 0;
create unique index customer_review_shown_key on customer_review (shown_text_uuid) where shown_text_uuid is not null;
create index customer_review_unanswered_idx on customer_review (app_uuid, written_at desc, review_uuid desc)
    where state = 'PUBLISHED' and reply_uuid is null;
-- Customer reviews that moderators look for, in the order of their queue, and those that partners and readers look for.
-- Published customer reviews without a mark are nearly all.
create index customer_review_unpublished_idx on customer_review (priority, queued_at, review_uuid)
    where state <> 'PUBLISHED';
create index customer_review_version_idx on customer_review (app_uuid, version_number, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create unique index customer_review_waiting_key on customer_review (waiting_text_uuid) where waiting_text_uuid is not null;
create index customer_review_worst_idx on customer_review (app_uuid, rating, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_written_idx on customer_review (app_uuid, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';

-- Flags of the partner. A review has at most one open flag.
create table customer_review_flag (
    flag_uuid uuid not null,
    review_uuid uuid not null,
    -- Text to be checked: the newer one if the customer has replaced the text since.
    text_uuid uuid not null,
    reason text not null,
    note text,
    outcome text not null default 'OPEN',
    author_kind text not null,
    author_uuid uuid,
    flagged_at timestamptz not null default labs_now(),
    decided_at timestamptz,
    constraint customer_review_flag_pkey primary key (flag_uuid),
    constraint customer_review_flag_review_fkey foreign key (review_uuid) references customer_review(review_uuid) on delete cascade,
    constraint customer_review_flag_author_kind_check check (author_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    constraint customer_review_flag_decided_check check ((outcome = 'OPEN') = (decided_at is null)),
    constraint customer_review_flag_outcome_check check (outcome in ('OPEN', 'UPHELD', 'DISMISSED')),
    constraint customer_review_flag_reason_check check (reason ~ '^[A-Z][A-Z_]*$')
);
create unique index customer_review_flag_open_key on customer_review_flag (review_uuid) where outcome = 'OPEN';
create index customer_review_flag_review_idx on customer_review_flag (review_uuid, flagged_at desc, flag_uuid desc);

-- Public replies of the partner. The current reply has no end time.
create table customer_review_reply (
    reply_uuid uuid not null,
    review_uuid uuid not null,
    -- Text of the review that was published when the reply was written.
    text_uuid uuid not null,
    body text not null,
    author_kind text not null,
    author_uuid uuid,
    created_at timestamptz not null default labs_now(),
    ended_at timestamptz,
    constraint customer_review_reply_pkey primary key (reply_uuid),
    constraint customer_review_reply_review_fkey foreign key (review_uuid) references customer_review(review_uuid) on delete cascade,
    constraint customer_review_reply_author_kind_check check (author_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    constraint customer_review_reply_body_check check (length(body) >= 1 and length(body) <= 2000)
);
create index customer_review_reply_review_idx on customer_review_reply (review_uuid, created_at desc, reply_uuid desc);

-- Reports of customers. Each customer counts once.
create table customer_review_report (
    review_uuid uuid not null,
    reporter_sha256 bytea not null,
    text_uuid uuid not null,
    reason text not null,
    note text,
    outcome text not null default 'OPEN',
    reported_at timestamptz not null default labs_now(),
    decided_at timestamptz,
    constraint customer_review_report_pkey primary key (review_uuid, reporter_sha256),
    constraint customer_review_report_review_fkey foreign key (review_uuid) references customer_review(review_uuid) on delete cascade,
    constraint customer_review_report_decided_check check ((outcome = 'OPEN') = (decided_at is null)),
    constraint customer_review_report_outcome_check check (outcome in ('OPEN', 'UPHELD', 'DISMISSED')),
    constraint customer_review_report_reason_check check (reason ~ '^[A-Z][A-Z_]*$'),
    constraint customer_review_report_reporter_check check (octet_length(reporter_sha256) = 32)
);
create index customer_review_report_review_idx on customer_review_report (review_uuid, reported_at desc);

-- A text as the customer submitted it; it never changes. The review states whether it is shown or pending.
create table customer_review_text (
    text_uuid uuid not null,
    review_uuid uuid not null,
    rating integer not null,
    title text,
    body text,
    locale text not null,
    version_number text,
    rejected_because text,
    decision_note text,
    decided_at timestamptz,
    created_at timestamptz not null default labs_now(),
    constraint customer_review_text_pkey primary key (text_uuid),
    constraint customer_review_text_review_fkey foreign key (review_uuid) references customer_review(review_uuid) on delete cascade,
    constraint customer_review_text_decided_check check (rejected_because is null or decided_at is not null),
    constraint customer_review_text_rating_check check (rating >= 1 and rating <= 5),
    constraint customer_review_text_rejected_because_check check (rejected_because ~ '^[A-Z][A-Z_]*$')
);
-- Search of customer reviews for moderators.
create index customer_review_text_contains_idx on customer_review_text
    using gin ((folded(coalesce(title, '') || E'\n' || coalesce(body, '')) collate "C") gin_trgm_ops);
create index customer_review_text_review_idx on customer_review_text (review_uuid, created_at desc, text_uuid desc);

-- `visible` is false while the app is unlisted, suspended or archived, or its partner is not active.
create table listing (
    app_uuid uuid not null,
    partner_uuid uuid not null,
    slug text not null,
    version_uuid uuid not null,
    version_number text not null,
    default_locale text not null,
    support_url text,
    support_email text,
    privacy_url text,
    website_url text,
    terms_url text,
    published_at timestamptz not null,
    first_published_at timestamptz not null,
    visible boolean not null default true,
    rating_count integer not null default 0,
    rating_sum bigint not null default 0,
    -- Out of five, to two decimals; 0 without ratings.
    rating_average double precision not null generated always as (
        case
            when rating_count = 0 then 0::numeric
            else round(rating_sum::numeric / rating_count::numeric, 2)
        end::double precision) stored,
    updated_at timestamptz not null default labs_now(),
    -- Rating mean weighted by the number of reviews: as if five customers had given 3.5 stars before the first one, so that
    -- a single review of five stars is not first. In millionths, so that the comparison is exact; 0 without a review.
    rating_score bigint not null generated always as (
        case
            when rating_count = 0 then 0::bigint
            else (2 * rating_sum + 35) * 1000000 / (2 * (rating_count + 5))
        end) stored,
    constraint listing_pkey primary key (app_uuid),
    constraint listing_slug_key unique (slug),
    constraint listing_app_fkey foreign key (app_uuid) references app(app_uuid),
    constraint listing_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint listing_version_fkey foreign key (version_uuid) references app_version(version_uuid),
    constraint listing_rating_count_check check (rating_count >= 0),
    constraint listing_rating_sum_check check (rating_sum >= rating_count and rating_sum <= (5 * rating_count::bigint))
);
create index listing_first_published_at_idx on listing (first_published_at desc, app_uuid desc) where visible;
create index listing_partner_idx on listing (partner_uuid, published_at desc, app_uuid desc);
create index listing_published_at_idx on listing (published_at desc, app_uuid desc) where visible;
create index listing_rating_idx on listing (rating_score desc, rating_count desc, app_uuid desc) where visible;
create index listing_version_idx on listing (version_uuid);

create table listing_category (
    app_uuid uuid not null,
    category_uuid uuid not null,
    "position" integer not null,
    constraint listing_category_pkey primary key (app_uuid, category_uuid),
    constraint listing_category_category_fkey foreign key (category_uuid) references category(category_uuid),
    constraint listing_category_listing_fkey foreign key (app_uuid) references listing(app_uuid) on delete cascade
);
create index listing_category_category_idx on listing_category (category_uuid, app_uuid);

-- Changes of listings, for exact caches. A cursor contains transaction and position, and reads only transactions older
-- than every running one (`pg_snapshot_xmin(pg_current_snapshot())`): positions alone become visible out of order, and
-- a reader would miss late ones. The app may be deleted, so the table has no foreign key.
create table listing_change (
    "position" bigint not null generated always as identity,
    transaction_id xid8 not null default pg_current_xact_id(),
    app_uuid uuid not null,
    slug text not null,
    change text not null,
    changed_at timestamptz not null default labs_now(),
    entry_uuid uuid not null default gen_random_uuid(),
    place bigint,
    constraint listing_change_pkey primary key ("position"),
    constraint listing_change_place_key unique (place),
    constraint listing_change_change_check check (change in ('PUBLISHED', 'CHANGED', 'GONE', 'RATED'))
);
create index listing_change_app_idx on listing_change (app_uuid, position desc);
-- Changes that affect a search; a rating does not.
create index listing_change_shown_idx on listing_change (position desc) where change <> 'RATED';
create index listing_change_unsealed_idx on listing_change (transaction_id, position) where place is null;

create table listing_document (
    app_uuid uuid not null,
    -- Plain words and, with a dot and the language before them, stems: of names and slug (A), of categories with their
    -- synonyms (B), of the vendor (C), of taglines and descriptions (D). A whole name or slug stands behind =, a
    -- vendor's behind @, a category's name or synonym behind #, the id of a collection that has the app behind %.
    search tsvector storage external not null,
    constraint listing_document_pkey primary key (app_uuid),
    constraint listing_document_listing_fkey foreign key (app_uuid) references listing(app_uuid) on delete cascade
) with (toast_tuple_target=8160);
create index listing_document_name_idx on listing_document using gin (ts_filter(search, '{a}')) with (fastupdate = off);
create index listing_document_search_idx on listing_document using gin (search) with (fastupdate = off);

-- Every word and stem that is or was in a document. A search drops the word forms that no document has, and finds
-- suggestions for mistyped words here.
create table listing_lexeme (
    lexeme text collate "C" not null,
    constraint listing_lexeme_pkey primary key (lexeme)
);
create index listing_lexeme_near_idx on listing_lexeme (left(lexeme, 1), length(lexeme));
create index listing_lexeme_part_idx on listing_lexeme using gin (lexeme gin_trgm_ops);

-- Position and texts of a media item are copied too, because the owner may change them in the draft.
create table listing_media (
    app_uuid uuid not null,
    media_uuid uuid not null,
    kind text not null,
    "position" integer not null,
    alt_text text not null default '',
    caption text not null default '',
    alt_texts jsonb not null default '{}'::jsonb,
    captions jsonb not null default '{}'::jsonb,
    constraint listing_media_pkey primary key (app_uuid, media_uuid),
    constraint listing_media_listing_fkey foreign key (app_uuid) references listing(app_uuid) on delete cascade,
    constraint listing_media_media_fkey foreign key (media_uuid) references media(media_uuid),
    constraint listing_media_alt_texts_check check (jsonb_typeof(alt_texts) = 'object'),
    constraint listing_media_captions_check check (jsonb_typeof(captions) = 'object'),
    constraint listing_media_kind_check check (kind in ('ICON', 'SCREENSHOT', 'BANNER'))
);
create index listing_media_media_idx on listing_media (media_uuid);

create table listing_translation (
    app_uuid uuid not null,
    locale text not null,
    name text not null,
    tagline text not null,
    description text not null,
    search tsvector not null generated always as (listing_search(locale, name, tagline, description)) stored,
    -- Form of the name for comparison: lower case, without accents.
    sort_name text collate "C" not null generated always as (listing_sort_name(name)) stored,
    constraint listing_translation_pkey primary key (app_uuid, locale),
    constraint listing_translation_listing_fkey foreign key (app_uuid) references listing(app_uuid) on delete cascade
);
create index listing_translation_name_idx on listing_translation using gin (name gin_trgm_ops)
    with (fastupdate = off);
create index listing_translation_search_name_idx on listing_translation using gin (ts_filter(search, '{a}')) with (fastupdate = off);

-- The revision of a topic is the sum of its rows. A transaction that changes public content adds one to a row that no
-- other transaction has locked, so writers do not wait for each other.
-- Counters of the changes of public content by topic. Triggers maintain them.
create table public_revision (
    revision_id bigint not null generated always as identity,
    topic text not null,
    changes bigint not null default 1,
    constraint public_revision_pkey primary key (revision_id),
    constraint public_revision_changes_check check (changes > 0)
) with (fillfactor=50);
create index public_revision_topic_idx on public_revision (topic);

-- Reviews as moderators see them: with their texts, replies, flags and reports.
create view customer_review_moderated as
select
    r.review_uuid, r.app_uuid, a.partner_uuid, r.state, r.priority, r.queued_at, r.flagged_at, r.reports, r.moderated_at,
    r.created_at, r.updated_at, r.shown_text_uuid, r.waiting_text_uuid, r.rejected_text_uuid,
    coalesce((select w.name from app_translation as w
               where w.app_uuid = r.app_uuid and w.locale = a.default_locale), a.slug) as app_name,
    (select p.company_name from partner as p where p.partner_uuid = a.partner_uuid) as partner_name,
    (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.shown_text_uuid) as shown,
    (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.waiting_text_uuid) as waiting,
    (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.rejected_text_uuid) as rejected,
    (select coalesce(jsonb_agg(to_jsonb(t) order by t.created_at desc, t.text_uuid desc), '[]')
       from (select t.*, case
                     when t.text_uuid = r.shown_text_uuid then 'SHOWN'
                     when t.text_uuid = r.waiting_text_uuid then 'WAITING'
                     when t.rejected_because is not null then 'REJECTED'
                     else 'FORMER' end as outcome
               from customer_review_text as t where t.review_uuid = r.review_uuid
              order by t.created_at desc, t.text_uuid desc limit 10) as t) as texts,
    (select coalesce(jsonb_agg(to_jsonb(y) order by y.created_at desc, y.reply_uuid desc), '[]')
       from (select y.* from customer_review_reply as y where y.review_uuid = r.review_uuid
              order by y.created_at desc, y.reply_uuid desc limit 10) as y) as replies,
    (select coalesce(jsonb_agg(to_jsonb(f) order by f.flagged_at desc, f.flag_uuid desc), '[]')
       from (select f.* from customer_review_flag as f where f.review_uuid = r.review_uuid
              order by f.flagged_at desc, f.flag_uuid desc limit 10) as f) as flags,
    (select coalesce(jsonb_agg(to_jsonb(c) - 'reporter_sha256' order by c.reported_at desc), '[]')
       from (select c.* from customer_review_report as c where c.review_uuid = r.review_uuid
              order by c.reported_at desc limit 10) as c) as customer_reports
from customer_review as r join app as a using (app_uuid);

-- Languages with stems: the dictionaries of `search_configuration`, and the mark of each language in the documents.
create view listing_stemmer as
select language, dictionary, ('.' || language) collate "C" as mark
from unnest(
    array['da', 'nl', 'en', 'fi', 'fr', 'de', 'hu', 'it', 'nb', 'no', 'pt', 'ro', 'es', 'sv'],
    array['danish_stem'::regdictionary, 'dutch_stem'::regdictionary, 'english_stem'::regdictionary,
        'finnish_stem'::regdictionary, 'french_stem'::regdictionary, 'german_stem'::regdictionary,
        'hungarian_stem'::regdictionary, 'italian_stem'::regdictionary, 'norwegian_stem'::regdictionary,
        'norwegian_stem'::regdictionary, 'portuguese_stem'::regdictionary, 'romanian_stem'::regdictionary,
        'spanish_stem'::regdictionary, 'swedish_stem'::regdictionary]) as stemmer (language, dictionary);

-- A partner as staff see it: with its subscription, and the number of rows of each kind that belong to it.
create view partner_shown as
select
    p.partner_uuid, p.slug, p.company_name, p.legal_form, p.registration_number, p.vat_id, p.country, p.address,
    p.billing_address, p.billing_email, p.website, p.state, p.state_reason, p.state_changed_at, p.closes_at, p.labels,
    p.created_at, p.updated_at, t.code as tier_code, t.name as tier_name, s.state as subscription_state,
    s.started_at as subscription_started_at, s.period_end as subscription_period_end,
    (select count(*) from person as h where h.partner_uuid = p.partner_uuid and h.state <> 'REMOVED') as members_count,
    (select count(*) from invitation as i where i.partner_uuid = p.partner_uuid and i.state = 'PENDING'
        and i.expires_at > labs_now()) as invitations_count,
    (select count(*) from app as a where a.partner_uuid = p.partner_uuid and a.state <> 'ARCHIVED') as apps_count,
    (select count(*) from listing as l where l.partner_uuid = p.partner_uuid and l.visible) as listings_count,
    (select count(*) from machine_client as c where c.partner_uuid = p.partner_uuid and c.state = 'ACTIVE')
        as machine_clients_count,
    (select count(*) from partner_contact as c where c.partner_uuid = p.partner_uuid) as contacts_count,
    (select count(*) from partner_note as n where n.partner_uuid = p.partner_uuid) as notes_count,
    p.verified_at, p.pending_company_name, p.pending_name_since
from partner as p
left join subscription as s on s.partner_uuid = p.partner_uuid
left join tier as t on t.tier_uuid = s.tier_uuid;

-- Media that are public now, by the app or partner that shows them.
create view picture_on_show as
select l.app_uuid as owner_uuid, m.renditions
from listing as l
join listing_media as lm on lm.app_uuid = l.app_uuid
join media as m on m.media_uuid = lm.media_uuid
where l.visible
union all
select p.partner_uuid, i.renditions
from partner as p
join partner_profile as f on f.partner_uuid = p.partner_uuid and f.state = 'PUBLISHED'
join partner_image as i on i.partner_uuid = p.partner_uuid
    and i.image_uuid in ((f.snapshot ->> 'logo_uuid')::uuid, (f.snapshot ->> 'banner_uuid')::uuid)
where p.state = 'ACTIVE';

-- Names of a category and its synonyms, each with its locale.
create function category_called(names jsonb, also_called jsonb) returns table (locale text, name text)
    language sql immutable strict parallel safe
    as $$
        select key, value from jsonb_each_text(names)
        union all
        select key, word from jsonb_each(also_called) as synonyms cross join jsonb_array_elements_text(value) as word (word)
    $$;

-- Listings below a visible category are also found by the category's name and synonyms.
create function category_renamed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array(
        select distinct lc.app_uuid from public.category_place as place
        join public.listing_category as lc on lc.category_uuid = place.category_uuid
        where new.category_uuid = any (place.path)));
    return null;
end $$;

create function collection_address_keep() returns trigger language plpgsql as $$
begin
    insert into public.collection_address (slug, collection_uuid)
    values (new.slug, new.collection_uuid)
    on conflict (slug) do update set slug = excluded.slug
    where collection_address.collection_uuid = excluded.collection_uuid;
    if not found then
        raise exception 'the slug % belongs or belonged to another collection', new.slug
            using errcode = 'unique_violation', constraint = 'collection_address_pkey';
    end if;
    return null;
end $$;

-- Whether a collection with this window is visible now.
create function collection_on_show(shown_from timestamptz, shown_until timestamptz) returns boolean
    language sql stable parallel safe
    as $$
        select coalesce(shown_from <= public.labs_now(), false) and coalesce(public.labs_now() < shown_until, true)
    $$;

create function collection_titled() returns trigger language plpgsql as $$
begin
    insert into public.collection_document (collection_uuid, search)
    select new.collection_uuid, public.search_all(public.search_vector(title.locale, title.written))
    from jsonb_each_text(new.titles) as title (locale, written)
    on conflict (collection_uuid) do update set search = excluded.search;
    insert into public.listing_lexeme (lexeme)
    select word.lexeme from public.collection_document as d cross join unnest(tsvector_to_array(d.search)) as word (lexeme)
    where d.collection_uuid = new.collection_uuid
    order by word.lexeme collate "C"
    on conflict do nothing;
    return null;
end $$;

-- A name is shown at the listings of the category itself; the visibility of a category also affects the listings below
-- it.
create function listing_category_changed() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change)
    with recursive beneath as (
        select new.category_uuid as category_uuid
        union
        select c.category_uuid from public.category as c join beneath on c.parent_uuid = beneath.category_uuid
        where (old.state, old.parent_uuid) is distinct from (new.state, new.parent_uuid)
    )
    select distinct l.app_uuid, l.slug, 'CHANGED'
    from beneath
    join public.listing_category as lc on lc.category_uuid = beneath.category_uuid
    join public.listing as l on l.app_uuid = lc.app_uuid and l.visible;
    return null;
end $$;

-- Document of a listing. It covers a hundred thousand characters of the descriptions, shared among the locales: more
-- than one locale has, and less than the maximum size of a row. For each word only the position with the highest weight
-- is kept: repeating a word does not improve the rank.
create function listing_document_of(app uuid) returns tsvector
    language plpgsql stable strict parallel safe
    as $$
    begin
        return (select string_agg(format('%L:1%s', word.lexeme,
            (select min(weight) from unnest(word.weights) as weight)), ' ')
        from unnest((select public.search_all(part.words) from (
            select setweight(public.search_vector(t.locale, t.name) || public.search_whole('=', t.name), 'A')
                || setweight(public.search_vector(t.locale, t.tagline || E'\n' || left(t.description,
                       (100000 / count(*) over ())::integer)), 'D') as words
            from public.listing_translation as t where t.app_uuid = app
            union all
            select setweight(public.search_vector('', l.slug) || public.search_whole('=', l.slug)
                    || public.search_whole('@', p.company_name) || public.search_whole('@', p.slug), 'A')
                || setweight(public.search_vector('', p.company_name), 'C')
            from public.listing as l join public.partner as p using (partner_uuid) where l.app_uuid = app
            union all
            select setweight(case c.category_uuid when own.category_uuid
                then public.search_vector(called.locale, string_agg(called.name, E'\n')) else '' end
                || public.search_all(public.search_whole('#', called.name)) || public.search_whole('#', c.slug), 'B')
            from public.listing_category as own
            join public.category_place as place on place.category_uuid = own.category_uuid and place.shown
            join public.category as c on c.category_uuid = any (place.path)
            cross join public.category_called(c.names, c.also_called) as called where own.app_uuid = app
            group by own.category_uuid, c.category_uuid, c.slug, called.locale
            union all
            select setweight(format('''%%%s'':1', held.collection_uuid)::tsvector, 'D')
            from public.collection_listing as held where held.app_uuid = app
        ) as part)) as word)::tsvector;
    end $$;

-- Writes the documents of some listings. The function first locks the source rows against concurrent changes: the
-- statement that builds the documents then sees all earlier commits.
create function listing_document_write(apps uuid[]) returns void language plpgsql as $$
begin
    perform from public.partner as p where p.partner_uuid in (
        select l.partner_uuid from unnest(apps) as changed (app_uuid) join public.listing as l using (app_uuid))
        order by p.partner_uuid for share;
    perform from public.listing_document as d where d.app_uuid in (select unnest(apps)) order by d.app_uuid for update;
    insert into public.listing_document (app_uuid, search)
    select l.app_uuid, public.listing_document_of(l.app_uuid)
    from unnest(apps) as changed (app_uuid) join public.listing as l using (app_uuid) order by l.app_uuid
    on conflict (app_uuid) do update set search = excluded.search where listing_document.search <> excluded.search;
    insert into public.listing_lexeme (lexeme)
    select distinct word.lexeme collate "C" as lexeme
    from unnest(apps) as changed (app_uuid) join public.listing_document as d using (app_uuid)
    cross join unnest(tsvector_to_array(d.search)) as word (lexeme)
    where not exists (select from public.listing_lexeme as known where known.lexeme = word.lexeme collate "C")
    order by lexeme
    on conflict do nothing;
end $$;

-- Rank of a document; an equal app name first, then an equal partner name, then by the values of the words. A whole word
-- counts more than a beginning. The values are added up, so that a new word form that appears between two pages changes
-- nothing.
create function listing_fit(search tsvector, ranked tsquery[], beginning tsquery, named tsquery, offered tsquery)
    returns integer
    language sql immutable parallel safe
    as $$
        select (case when search @@ named then 200000000 when search @@ offered then 100000000 else 0 end
            + 2 * (listing_points(search, ranked[1]) + listing_points(search, ranked[2])
                + listing_points(search, ranked[3]) + listing_points(search, ranked[4])
                + listing_points(search, ranked[5]) + listing_points(search, ranked[6])
                + listing_points(search, ranked[7]) + listing_points(search, ranked[8]))
            + listing_points(search, beginning))::integer
    $$;

-- Reacts to changed parts of a listing, per statement, because a publication writes many rows.
create function listing_parts_changed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array(select distinct changed.app_uuid from changed));
    return null;
end $$;

-- Followers of the storefront store addresses, so new addresses count as a change.
create function listing_pictures_changed() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change)
    select l.app_uuid, l.slug, 'CHANGED'
    from public.listing_media as lm
    join public.listing as l on l.app_uuid = lm.app_uuid and l.visible
    where lm.media_uuid = new.media_uuid;
    return null;
end $$;

-- Value of a word in a document by the first place that has it: name, category, vendor, text. Eight words in one place
-- are worth less than one in the place before. The weights of `ts_rank` are so far apart that the number of matching
-- forms of the word does not matter. `ts_rank` divides a weight by 1.645 and by the number of forms in the query.
create function listing_points(search tsvector, word tsquery) returns double precision
    language sql immutable parallel safe
    as $$
        select power(64::double precision, 3 + floor(ln(greatest(1e-30, 0.85::double precision * (numnode(word) + 1)
            * ts_rank('{0.000000001, 0.000001, 0.001, 1}', search, word))) / ln(1000::double precision)))
    $$;

-- Converts the reader's input into a query in the reader's language: stemmed, or exact. Statements name it once, as
-- `cross join listing_query(…) as query`, so that it is not computed again for every ranked row.
create function listing_query(locale text, typed text) returns tsquery
    language sql immutable strict parallel safe
    as $$
        select websearch_to_tsquery(public.search_configuration(locale), typed)
            || websearch_to_tsquery('public.labs_simple', typed)
    $$;

-- Listing data that its owner did not publish: ratings, names of categories and of the company.
create function listing_rated() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change) values (new.app_uuid, new.slug, 'RATED');
    return null;
end $$;

create function listing_renamed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array[new.app_uuid]);
    return null;
end $$;

-- Returns the search vector of a translation. Words are stored twice: stemmed in their language, and unchanged, so that
-- readers of any language find an exact word, and a word by its beginning. A name weighs more than a tagline, a tagline
-- more than a description.
create function listing_search(locale text, name text, tagline text, description text) returns tsvector
    language sql immutable strict parallel safe
    as $$
        select
            setweight(to_tsvector(public.search_configuration(locale), public.search_words(name)), 'A')
            || setweight(to_tsvector(public.search_configuration(locale), public.search_words(tagline)), 'B')
            || setweight(to_tsvector(public.search_configuration(locale), public.search_words(description)), 'C')
            || setweight(to_tsvector('public.labs_simple', public.search_words(name)), 'A')
            || setweight(to_tsvector('public.labs_simple', public.search_words(tagline)), 'B')
            || setweight(to_tsvector('public.labs_simple', public.search_words(description)), 'C')
    $$;

-- Immutable as long as the rules of unaccent stay as the extension installs them. After an update of the rules, `update
-- listing_translation set name = name` computes the column again.
create function listing_sort_name(name text) returns text
    language sql immutable strict parallel safe
    as $$ select lower(public.unaccent('public.unaccent', name)) $$;

-- `words`: the words of the search term. `is_optional`: whether a listing may lack the word: a stop word of a language
-- (the, und), a generic word (app, software) or a single letter, if there are other words. `parts`: the existing forms of
-- each word. The last word is also the beginning of a word from two letters on, unless it is an abbreviation that a
-- category has as a synonym (POS, TPV). `terms`: every required part, or the whole name of an app, a vendor, a category
-- or its synonym, or words of the title of a visible collection. `ranked`: what counts for the rank of each required word.
-- `beginning`: the last word as a beginning. `named` and `offered`: the search term equals a name or slug of an app, or
-- of a partner. Without a word, the terms are null.
create function listing_terms(
    typed text, out words text[], out is_optional boolean[], out parts tsquery[], out terms tsquery,
    out ranked tsquery[], out beginning tsquery, out named tsquery, out offered tsquery)
    language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan
    as $$
    declare
        folded text := coalesce(public.search_folded(typed), '');
        number integer;
        forms text[] := '{}';
        pairs text[] := '{}';
        required integer[];
        essence text;
        is_abbreviation boolean;
        filed tsquery;
        collected tsquery;
        half text;
        part record;
    begin
        words := string_to_array(folded, ' ');
        number := cardinality(words);
        is_optional := '{}';
        parts := '{}';
        ranked := '{}';
        if number = 0 then
            return;
        end if;
        for part in
            with spelled as materialized (
                select distinct said.place, said.written, form
                from (select place, case when place <= number then words[place]
                          else words[place - number] || words[place - number + 1] end as written
                      from generate_series(1, number + least(number - 1, 8)) as place) as said
                cross join unnest(array[said.written, public.search_contracted(said.written),
                    public.search_compound_front(said.written),
                    public.search_contracted(public.search_compound_front(said.written))]) as form
                where form is not null
            )
            select said.place, bool_or(said.is_stop) as is_stop,
                string_agg(quote_literal(said.lexeme), ' | ') filter (where exists (
                    select from public.listing_lexeme as known where known.lexeme = said.lexeme collate "C" offset 0))
                    as forms
            from (
                select place, sign || form as lexeme, false as is_stop from spelled cross join unnest(array['', '#']) as sign
                union all
                select place, '.' || language || '.' || stem[1], stem = '{}' and form = written
                from public.listing_stemmer as stemmer
                cross join spelled
                cross join lateral ts_lexize(stemmer.dictionary, form) as stem
                where exists (select from public.listing_lexeme as spoken where spoken.lexeme = stemmer.mark offset 0)
            ) as said
            group by said.place order by said.place
        loop
            if part.place <= number then
                forms[part.place] := part.forms;
                is_optional[part.place] := part.is_stop or words[part.place] ~ '^[[:alpha:]]$'
                    or public.search_is_generic(words[part.place]);
            else
                pairs[part.place - number] := part.forms;
            end if;
        end loop;
        if true = all (is_optional) then
            is_optional := array_fill(false, array[number]);
        end if;
        required := array(select place from generate_series(1, number) as place where not is_optional[place] order by place);
        essence := (select string_agg(words[place], ' ' order by place) from unnest(required) as place);
        select (string_agg(quote_literal(lexeme), ' | ') filter (where left(lexeme, 1) = '='))::tsquery,
            (string_agg(quote_literal(lexeme), ' | ') filter (where left(lexeme, 1) = '@'))::tsquery,
            (string_agg(quote_literal(lexeme), ' | ') filter (where left(lexeme, 1) = '#'))::tsquery,
            coalesce(bool_or(lexeme = '#' || essence), false) and length(essence) <= 4
        into named, offered, filed, is_abbreviation
        from public.listing_lexeme
        where lexeme = any (array(select sign || written from unnest(array['=', '@', '#']) as sign
            cross join unnest(array[folded, public.search_contracted(folded), essence, public.search_contracted(essence)])
                as written) collate "C");
        if is_abbreviation and length(essence) <= 3 then
            forms[required[1]] := concat_ws(' | ', quote_literal(essence), quote_literal('#' || essence));
        end if;
        if not is_optional[number] and not is_abbreviation and length(words[number]) > 1 then
            half := format('''%s'':*', words[number]);
            if public.search_contracted(words[number]) <> words[number] then
                half := half || format(' | ''%s'':*', public.search_contracted(words[number]));
            end if;
            beginning := half::tsquery;
        end if;
        parts := array(select concat_ws(' | ', case place when number then half end,
                coalesce(forms[place], quote_literal(words[place])))::tsquery
            from generate_series(1, number) as place order by place);
        terms := (select string_agg('(' || parts[place]::text || ')', ' & ') from unnest(required) as place)::tsquery;
        select string_agg(format('''%%%s''', c.collection_uuid), ' | ')::tsquery into collected
        from public.collection as c join public.collection_document as d using (collection_uuid)
        where public.collection_on_show(c.shown_from, c.shown_until) and d.search @@ terms
            and (cardinality(required) > 1 or length(essence) >= 6);
        for place in 1 .. coalesce(array_upper(pairs, 1), 0) loop
            if pairs[place] is not null then
                terms := terms || (select concat_ws(' & ', '(' || pairs[place] || ')',
                    string_agg('(' || parts[other]::text || ')', ' & '))
                    from unnest(required) as other where other not in (place, place + 1))::tsquery;
            end if;
        end loop;
        terms := coalesce(terms || named, terms);
        terms := coalesce(terms || offered, terms);
        terms := coalesce(terms || filed, terms);
        terms := coalesce(terms || collected, terms);
        ranked := array(select nullif(concat_ws(' | ', forms[place], pairs[place - 1], pairs[place], filed::text,
                collected::text), '')::tsquery
            from unnest(required) as place order by place limit 8);
    end $$;

create function listing_vendor_changed() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change)
    select l.app_uuid, l.slug, 'CHANGED' from public.listing as l where l.partner_uuid = new.partner_uuid and l.visible;
    return null;
end $$;

-- The locale in which a reader finds a text: the best match, else English if the text exists in it.
create function locale_of(texts jsonb, wanted text) returns text language sql immutable parallel safe as $$
    select coalesce(
        (select stored from jsonb_object_keys(texts) as stored
          where locale_rank(stored, wanted) is not null order by locale_rank(stored, wanted), stored limit 1),
        (select 'en' where texts ? 'en'))
$$;

-- Rank of a stored tag; 1 is best, null means no match. A tag that is not listed matches by its language and script, or
-- by its language alone, if these are listed, and last if it has the language of the first tag.
create function locale_rank(stored text, preference text) returns integer language sql immutable parallel safe as $$
    select coalesce(
        array_position(string_to_array(preference, ' '), stored),
        100 + array_position(string_to_array(preference, ' '), split_part(stored, '-', 1) || '-' || split_part(stored, '-', 2)),
        200 + array_position(string_to_array(preference, ' '), split_part(stored, '-', 1)),
        case when split_part(stored, '-', 1) = split_part(split_part(preference, ' ', 1), '-', 1)
             then case when stored like '%-%' then 401 else 400 end end)
$$;

-- The text itself; null if none fits. Strict, so that it costs nothing if the reader named no language.
create function locale_text(texts jsonb, preference text) returns text language sql immutable strict parallel safe as $$
    select coalesce(
        texts ->> split_part(preference, ' ', 1),
        (select value from jsonb_each_text(texts) as kept (stored, value)
          where locale_rank(stored, preference) is not null
          order by locale_rank(stored, preference), stored limit 1))
$$;

create function name_order(name text) returns text
    language sql immutable strict parallel safe
    as $$ select lower(public.unaccent('public.unaccent'::regdictionary, name)) $$;

-- A change of name or country ends the verification, regardless of who made it.
create function partner_verification_ends() returns trigger language plpgsql as $$
begin
    new.verified_at := null;
    return new;
end $$;

-- Notifies replicas about the owner whose media changed; the argument names the column. No frequent event does this,
-- because a notifying commit waits for every other one.
create function picture_on_show_changed() returns trigger language plpgsql as $$
begin
    perform pg_catalog.pg_notify('pictures',
        (case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end) ->> tg_argv[0]);
    return null;
end $$;

-- Counts a change of the topic that the trigger names, once per transaction.
create function public_changed() returns trigger language plpgsql as $$
declare
    topic_changed constant text := tg_argv[0];
    marker constant text := 'labs.changed_' || topic_changed;
    own_id constant text := pg_current_xact_id()::text;
begin
    if current_setting(marker, true) is not distinct from own_id then
        return null;
    end if;
    perform set_config(marker, own_id, true);
    -- A transaction with one snapshot fails if it updates a row that changed since; it adds a row instead.
    if current_setting('transaction_isolation') = 'read committed' then
        update public.public_revision set changes = changes + 1
         where revision_id = (select revision_id from public.public_revision
                               where topic = topic_changed order by revision_id limit 1 for no key update skip locked);
        if found then
            return null;
        end if;
    end if;
    insert into public.public_revision (topic) values (topic_changed);
    return null;
end $$;

-- Front of a compound that ends with a generic word (kassensystem, reservierungssoftware), without a linking s. Null for
-- any other word.
create function search_compound_front(word text) returns text
    language sql immutable strict parallel safe
    as $$
        select (regexp_match(word, '^(.{3,}?)s?'
            '(?:app|apps|beheer|losung|management|programm|programma|software|systeem|system|systeme|systemen|tool|verwaltung)$'))[1]
        where length(word) >= 9
    $$;

create function search_configuration(locale text) returns regconfig
    language sql immutable strict parallel safe
    as $$
        select case split_part(locale, '-', 1)
            when 'da' then 'public.labs_danish'::regconfig
            when 'nl' then 'public.labs_dutch'::regconfig
            when 'en' then 'public.labs_english'::regconfig
            when 'fi' then 'public.labs_finnish'::regconfig
            when 'fr' then 'public.labs_french'::regconfig
            when 'de' then 'public.labs_german'::regconfig
            when 'hu' then 'public.labs_hungarian'::regconfig
            when 'it' then 'public.labs_italian'::regconfig
            when 'nb' then 'public.labs_norwegian'::regconfig
            when 'no' then 'public.labs_norwegian'::regconfig
            when 'pt' then 'public.labs_portuguese'::regconfig
            when 'ro' then 'public.labs_romanian'::regconfig
            when 'es' then 'public.labs_spanish'::regconfig
            when 'sv' then 'public.labs_swedish'::regconfig
            else 'public.labs_simple'::regconfig
        end
    $$;

-- A folded word in which ae, oe and ue are replaced by the vowels that they transcribe on other keyboards.
create function search_contracted(word text) returns text
    language sql immutable strict parallel safe
    as $$ select regexp_replace(word, '(?<![aeq])([aou])e', '\1', 'g') $$;

-- Form of a text for comparison: words of lower-case letters and digits without accents, separated by one blank. Marks
-- above and below Thai and Lao letters are left out, as accents are.
create function search_folded(written text) returns text
    language plpgsql stable strict parallel safe
    as $$
    declare
        unspaced constant text := '\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff';
        folded text := lower(public.unaccent(normalize(written, nfkc)));
    begin
        if folded ~ ('[' || unspaced || ']') then
            folded := regexp_replace(folded, '[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece]', '', 'g');
            folded := (select string_agg(case when run[1] ~ ('^[' || unspaced || ']') then public.search_pairs(run[1]) else run[1] end,
                           ' ' order by place)
                         from regexp_matches(folded, '[' || unspaced || ']+|[^' || unspaced || ']+', 'g')
                              with ordinality as part (run, place));
        end if;
        return btrim(regexp_replace(coalesce(folded, ''),
            '[^[:alnum:]\u102b-\u103e\u17b6-\u17d3]+', ' ', 'g'));
    end $$;

-- Whether a folded word applies to every app (app, software, restaurant). A search does not require such a word.
create function search_is_generic(word text) returns boolean
    language sql immutable strict parallel safe
    as $$
        select word = any ('{
            app, apps, application, applications, management, manager, platform, program, programme, programmes,
            programs, restaurant, restaurants, software, solution, solutions, system, systems, tool, tools,
            anwendung, anwendungen, gastronomie, losung, losungen, programm, systeme, verwalten, verwaltung,
            appli, applis, gerer, gestion, logiciel, logiciels, outil, outils, restauration, systemes,
            aplicacion, aplicaciones, gestionar, herramienta, hosteleria, programa, programas, restaurante,
            restaurantes, sistema, sistemas,
            applicazione, applicazioni, gestionale, gestionali, gestione, gestire, programma, programmi, ristorante,
            ristoranti, ristorazione, sistemi, strumento,
            applicatie, applicaties, beheer, beheren, horeca, systeem, systemen,
            aplicativo, gestao}'::text[])
    $$;

-- The pairs of neighbouring letters of a run; a single letter stays as it is.
create function search_pairs(run text) returns text
    language sql immutable strict parallel safe
    as $$
        select string_agg(substr(run, place, 2), ' ' order by place)
        from generate_series(1, greatest(length(run) - 1, 1)) as place
    $$;

-- Words of a text, hyphenated ones also as one word; for languages with stems, the stems too, and a mark that a text in
-- this language exists.
create function search_vector(locale text, written text) returns tsvector
    language plpgsql stable strict parallel safe
    as $$
    declare
        folded text := public.search_folded(written);
        configuration regconfig := public.search_configuration(locale);
        stems tsvector := '';
    begin
        if configuration <> 'public.labs_simple'::regconfig then
            select concat_ws(' ', quote_literal('.' || split_part(locale, '-', 1)),
                string_agg(format('''.%s.%s'':%s', split_part(locale, '-', 1), word.lexeme,
                    array_to_string(word.positions, ',')), ' '))::tsvector
            into stems
            from unnest(to_tsvector(configuration, folded)) as word where length(word.lexeme) < 100;
        end if;
        return to_tsvector('public.labs_simple', concat_ws(' ', folded,
            (select string_agg(public.search_folded(replace(word[1], '-', '')), ' ')
             from regexp_matches(written, '[[:alnum:]]+(?:-[[:alnum:]]+)+', 'g') as word),
            (select string_agg(public.search_contracted(word), ' ')
             from string_to_table(folded, ' ') as word
             where word like any ('{%ae%,%oe%,%ue%}') and word <> public.search_contracted(word)))) || stems;
    end $$;

-- Term for a name or slug that a search may equal as a whole.
create function search_whole(sign text, written text) returns tsvector
    language sql stable strict parallel safe
    as $$ select format('''%s%s'':1', sign, left(public.search_folded(written), 200))::tsvector $$;

-- A partner's name may be a person's name: a lexeme that no other document contains is deleted with it.
create function vendor_renamed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array(
        select l.app_uuid from public.listing as l where l.partner_uuid = new.partner_uuid));
    delete from public.listing_lexeme as word
    where word.lexeme = any (tsvector_to_array(public.search_vector('', old.company_name)
            || public.search_whole('@', old.company_name) || public.search_whole('@', old.slug)) collate "C")
        and not exists (select from public.listing_document as d where d.search @@ quote_literal(word.lexeme)::tsquery);
    return null;
end $$;

create aggregate search_all (tsvector) (sfunc = pg_catalog.tsvector_concat, stype = tsvector, initcond = '');

create trigger collection_address after insert or update of slug on collection
    for each row execute function collection_address_keep();
create trigger collection_audit after insert or delete or update on collection
    for each row execute function audit_capture('collection_uuid', 'collection_uuid');
create trigger collection_public after insert or update or delete on collection
    for each row execute function public_changed('storefront');
create trigger collection_titled after insert or update of titles on collection
    for each row execute function collection_titled();
create trigger collection_address_public after insert or update or delete on collection_address
    for each row execute function public_changed('storefront');
create trigger collection_listing_audit after insert or delete or update on collection_listing
    for each row execute function audit_capture('collection_uuid', 'collection_uuid', 'app_uuid');
create trigger collection_listing_public after insert or update or delete on collection_listing
    for each row execute function public_changed('storefront');
create trigger listing_collected after insert on collection_listing
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_no_longer_collected after delete on collection_listing
    referencing old table as changed for each statement execute function listing_parts_changed();
create trigger customer_review_audit after insert or delete or update on customer_review
    for each row execute function audit_capture('review_uuid', 'review_uuid');
create trigger customer_review_deleted after delete on customer_review for each row
    when (old.state = 'PUBLISHED') execute function customer_review_counted();
create trigger customer_review_inserted after insert on customer_review for each row
    when (new.state = 'PUBLISHED') execute function customer_review_counted();
-- Only published reviews are public.
create trigger customer_review_public after insert on customer_review for each row
    when (new.state = 'PUBLISHED') execute function public_changed('storefront');
create trigger customer_review_public_delete after delete on customer_review for each row
    when (old.state = 'PUBLISHED') execute function public_changed('storefront');
create trigger customer_review_public_update after update on customer_review for each row
    when (old.state = 'PUBLISHED' or new.state = 'PUBLISHED') execute function public_changed('storefront');
create trigger customer_review_updated after update on customer_review for each row
    when ((old.state, old.app_uuid, old.version_number, old.rating, old.written_at)
        is distinct from (new.state, new.app_uuid, new.version_number, new.rating, new.written_at))
    execute function customer_review_counted();
create trigger customer_review_reply_public after insert or update or delete on customer_review_reply
    for each row execute function public_changed('storefront');
create trigger customer_review_text_public after insert or update or delete on customer_review_text
    for each row execute function public_changed('storefront');
create trigger listing_audit after insert or delete or update on listing
    for each row execute function audit_capture('app_uuid', 'app_uuid');
create trigger listing_counted after insert or delete on listing
    for each row execute function platform_counted('LISTING', 'visible');
create trigger listing_pictures after update of visible on listing for each row
    when (old.visible is distinct from new.visible) execute function picture_on_show_changed('app_uuid');
create trigger listing_public after insert or update or delete on listing
    for each row execute function public_changed('storefront');
create trigger listing_rated after update of rating_count, rating_sum on listing for each row
    when (new.visible and (old.rating_count, old.rating_sum) is distinct from (new.rating_count, new.rating_sum))
    execute function listing_rated();
create trigger listing_recounted after update on listing for each row when (old.visible is distinct from new.visible)
    execute function platform_counted('LISTING', 'visible');
create trigger listing_renamed after update on listing for each row
    when ((old.slug, old.partner_uuid) is distinct from (new.slug, new.partner_uuid))
    execute function listing_renamed();
create trigger listing_standing before insert or update of visible on listing
    for each row when (new.visible) execute function listing_standing();
create trigger listing_category_public after insert or update or delete on listing_category
    for each row execute function public_changed('storefront');
create trigger listing_filed after insert on listing_category
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_filed_elsewhere after update on listing_category
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_removed after delete on listing_category
    referencing old table as changed for each statement execute function listing_parts_changed();
create trigger listing_media_pictures after insert or update or delete on listing_media for each row
    execute function picture_on_show_changed('app_uuid');
create trigger listing_media_public after insert or update or delete on listing_media
    for each row execute function public_changed('storefront');
create trigger listing_text_added after insert on listing_translation
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_text_changed after update on listing_translation
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_text_removed after delete on listing_translation
    referencing old table as changed for each statement execute function listing_parts_changed();
create trigger listing_translation_public after insert or update or delete on listing_translation
    for each row execute function public_changed('storefront');

grant select, insert, update, delete on collection to labs_service;
grant select, insert, update on collection_address to labs_service;
grant select, insert, update on collection_document to labs_service;
grant select, insert, update, delete on collection_listing to labs_service;
grant select, insert, update, delete on customer_review to labs_service;
grant select, insert, update, delete on customer_review_flag to labs_service;
grant select, insert, update, delete on customer_review_reply to labs_service;
grant select, insert, update, delete on customer_review_report to labs_service;
grant select, insert, update, delete on customer_review_text to labs_service;
grant select, insert, update, delete on listing to labs_service;
grant select, insert, update, delete on listing_category to labs_service;
grant select, insert, update (place), delete on listing_change to labs_service;
grant select, insert, update on listing_document to labs_service;
grant select, insert, delete on listing_lexeme to labs_service;
grant select, insert, update, delete on listing_media to labs_service;
grant select, insert, update, delete on listing_translation to labs_service;
grant select, insert, update, delete on public_revision to labs_service;
grant select on customer_review_moderated to labs_service;
grant select on listing_stemmer to labs_service;
grant select on partner_shown to labs_service;
grant select on picture_on_show to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Publication: changelog, documentation and downloads; deprecations and releases of the contract.
------------------------------------------------------------------------------------------------------------------------

create table contract_release (
    -- SHA-256 of the document, in hexadecimal.
    digest text not null,
    -- Release of the service whose changelog entry was released.
    version text not null,
    document text not null,
    -- Changelog entry of the release.
    item_uuid uuid,
    released_at timestamptz not null default labs_now(),
    constraint contract_release_pkey primary key (digest),
    constraint contract_release_item_fkey foreign key (item_uuid) references publication_item(item_uuid) on delete set null
);
create index contract_release_item_idx on contract_release (item_uuid);
create index contract_release_released_idx on contract_release (released_at desc);

create table deprecation (
    deprecation_uuid uuid not null,
    -- The deprecated operation, or the operation of the deprecated parameter.
    operation_id text,
    parameter text,
    -- Schema of the contract that contains the deprecated field.
    schema_name text,
    field text,
    -- Deprecated value of the parameter or field. Null if the whole parameter or field is deprecated.
    value text,
    reason text not null,
    -- What callers should use instead: one or two sentences of Markdown.
    replacement text not null,
    replacement_operation_id text,
    sunset_at timestamptz not null,
    -- Changelog entry that announces the deprecation.
    entry_uuid uuid,
    created_by uuid,
    created_at timestamptz not null default labs_now(),
    constraint deprecation_pkey primary key (deprecation_uuid),
    constraint deprecation_target_key unique nulls not distinct (operation_id, parameter, schema_name, field, value),
    constraint deprecation_created_by_fkey foreign key (created_by) references person(person_uuid) on delete set null,
    constraint deprecation_entry_fkey foreign key (entry_uuid) references publication_item(item_uuid) on delete set null,
    constraint deprecation_target_check check ((operation_id is null) = (schema_name is not null) and (schema_name is null) = (field is null) and (parameter is null or operation_id is not null) and (value is null or parameter is not null or field is not null))
);
create index deprecation_created_by_idx on deprecation (created_by);
create index deprecation_entry_idx on deprecation (entry_uuid);

-- Reminders that were sent to partners that still use a deprecated element, by the time left until its end.
create table deprecation_reminder (
    deprecation_uuid uuid not null,
    partner_uuid uuid not null,
    days_before integer not null,
    sent_at timestamptz not null default labs_now(),
    constraint deprecation_reminder_pkey primary key (deprecation_uuid, partner_uuid, days_before),
    constraint deprecation_reminder_deprecation_fkey foreign key (deprecation_uuid) references deprecation(deprecation_uuid) on delete cascade,
    constraint deprecation_reminder_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade
);
create index deprecation_reminder_partner_idx on deprecation_reminder (partner_uuid);

-- Requests that used a deprecated element, by day and caller, since its deprecation.
create table deprecation_use (
    deprecation_uuid uuid not null,
    day date not null,
    -- As request_usage.account. Requests without a token share the account anonymous.
    account text not null,
    -- Machine client that called. Null for a user.
    client_uuid uuid,
    requests bigint not null,
    last_at timestamptz not null default labs_now(),
    constraint deprecation_use_key unique nulls not distinct (deprecation_uuid, day, account, client_uuid),
    constraint deprecation_use_deprecation_fkey foreign key (deprecation_uuid) references deprecation(deprecation_uuid) on delete cascade,
    constraint deprecation_use_requests_check check (requests > 0)
) with (fillfactor=70);
create index deprecation_use_account_idx on deprecation_use (account, day desc);
create index deprecation_use_day_idx on deprecation_use (day);

create table publication_item (
    item_uuid uuid not null,
    kind text not null,
    state text not null default 'DRAFT',
    audience text not null default 'PUBLIC',
    slug text not null,
    title text not null,
    summary text not null default '',
    -- Markdown as the author wrote it.
    body text not null default '',
    tags text[] not null default '{}'::text[],
    -- Of a changelog entry: the release of the service that it describes.
    version text,
    change text,
    -- Of a changelog entry: ids of the affected operations.
    operations text[] not null default '{}'::text[],
    -- Of a changelog entry: affected fields, each as operation id, colon and pointer, for example
    -- marketplace_apps_get:/name.
    fields text[] not null default '{}'::text[],
    effective_at timestamptz,
    action_required boolean not null default false,
    -- Of a changelog entry: what a reader has to change, in Markdown.
    migration text,
    sunset_at timestamptz,
    -- Of a blog post: the user who created it.
    author_uuid uuid,
    -- Whether readers see the author's name. Only the author may change it.
    show_author boolean not null default false,
    resource_version text,
    -- Of a developer resource: the SHA-256 of its file, which is the name of the stored object.
    object_key text,
    file_name text,
    media_type text,
    size_bytes bigint,
    -- Of a developer resource without a file: the kind of document that the service generates.
    generated text,
    -- Of an entry that a machine client created: its version and title as sent, which identify a repeated request.
    release_key text,
    -- STAFF_USER, MACHINE_CLIENT or SYSTEM.
    created_by_kind text not null,
    created_by_uuid uuid,
    -- Time of the release, in state SCHEDULED.
    scheduled_for timestamptz,
    -- Time of the first release. From then on the slugs stay reserved for the item.
    first_released_at timestamptz,
    released_at timestamptz,
    withdrawn_at timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- Number of words of the body.
    words integer not null generated always as (regexp_count(body, '\S+')) stored,
    constraint publication_item_pkey primary key (item_uuid),
    constraint publication_item_release_key unique (release_key),
    constraint publication_item_slug_key unique (kind, slug),
    constraint publication_item_author_fkey foreign key (author_uuid) references person(person_uuid) on delete set null,
    constraint publication_item_artefact_check check (num_nulls(object_key, file_name, media_type, size_bytes) in (0, 4)),
    constraint publication_item_audience_check check (audience in ('PUBLIC', 'PARTNER')),
    constraint publication_item_change_check check (change in ('ADDED', 'CHANGED', 'DEPRECATED', 'FIXED', 'SECURITY')),
    constraint publication_item_generated_check check (generated is null or (generated in ('OPENAPI_YAML', 'OPENAPI_JSON', 'POSTMAN_COLLECTION', 'INSOMNIA_EXPORT', 'TYPESCRIPT_TYPES', 'ARAZZO_WORKFLOWS', 'LLMS_TEXT')) and object_key is null and resource_version is null),
    constraint publication_item_kind_check check (kind in ('CHANGELOG_ENTRY', 'BLOG_POST', 'DEVELOPER_RESOURCE')),
    constraint publication_item_of_kind_check check (
        case kind
            when 'CHANGELOG_ENTRY' then version is not null and change is not null and author_uuid is null and resource_version is null and object_key is null and generated is null and audience = 'PUBLIC'
            when 'BLOG_POST' then version is null and change is null and operations = '{}'::text[] and fields = '{}'::text[] and effective_at is null and not action_required and migration is null and sunset_at is null and resource_version is null and object_key is null and generated is null and audience = 'PUBLIC'
            else version is null and change is null and operations = '{}'::text[] and fields = '{}'::text[] and effective_at is null and not action_required and migration is null and sunset_at is null and author_uuid is null
        end),
    constraint publication_item_released_check check (
        case state
            when 'RELEASED' then released_at is not null and first_released_at is not null and withdrawn_at is null
            when 'WITHDRAWN' then first_released_at is not null and withdrawn_at is not null
            when 'DRAFT' then first_released_at is null and withdrawn_at is null
            else true
        end),
    constraint publication_item_scheduled_check check ((state = 'SCHEDULED') = (scheduled_for is not null)),
    constraint publication_item_state_check check (state in ('DRAFT', 'SCHEDULED', 'RELEASED', 'WITHDRAWN'))
);
create index publication_item_created_idx on publication_item (created_at desc, item_uuid desc);
create index publication_item_due_idx on publication_item (scheduled_for) where state = 'SCHEDULED';
create index publication_item_object_idx on publication_item (object_key) where object_key is not null;
create index publication_item_state_idx on publication_item (kind, state, released_at desc);

-- Every current slug of an item, and every slug that it had while or after it was released: these redirect to it. A
-- slug that was never released is free again after the item is renamed.
create table publication_slug (
    kind text not null,
    slug text not null,
    item_uuid uuid not null,
    -- Time at which the item first had this slug.
    kept_at timestamptz not null default labs_now(),
    constraint publication_slug_pkey primary key (kind, slug),
    constraint publication_slug_item_fkey foreign key (item_uuid) references publication_item(item_uuid) on delete cascade
);
create index publication_slug_item_idx on publication_slug (item_uuid, kept_at desc);

-- Transitions of an item: actor, states, time and reason. Rows are added and never changed.
create table publication_transition (
    transition_uuid uuid not null default labs_uuid(),
    item_uuid uuid not null,
    -- STAFF_USER, MACHINE_CLIENT, or SYSTEM for a scheduled release.
    actor_kind text not null,
    actor_uuid uuid,
    from_state text not null,
    to_state text not null,
    occurred_at timestamptz not null default labs_now(),
    -- For a transition to SCHEDULED: the time of the release.
    scheduled_for timestamptz,
    reason text,
    -- For an edit of a released item: its content before the edit.
    earlier jsonb,
    constraint publication_transition_pkey primary key (transition_uuid),
    constraint publication_transition_item_fkey foreign key (item_uuid) references publication_item(item_uuid) on delete cascade
);
create index publication_transition_item_idx
    on publication_transition (item_uuid, occurred_at desc, transition_uuid desc);

create function publication_slug_keep() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and old.first_released_at is null then
        delete from public.publication_slug
        where kind = old.kind and slug = old.slug and item_uuid = old.item_uuid and slug <> new.slug;
    end if;
    insert into public.publication_slug (kind, slug, item_uuid)
    values (new.kind, new.slug, new.item_uuid)
    on conflict (kind, slug) do update set slug = excluded.slug
    where publication_slug.item_uuid = excluded.item_uuid;
    if not found then
        raise exception 'the slug % belongs or belonged to another item', new.slug
            using errcode = 'unique_violation', constraint = 'publication_slug_pkey';
    end if;
    return null;
end $$;

create trigger contract_release_public after insert or update or delete on contract_release
    for each row execute function public_changed('publication');
create trigger deprecation_audit after insert or delete or update on deprecation
    for each row execute function audit_capture('deprecation_uuid', 'deprecation_uuid');
create trigger publication_item_audit after insert or delete or update on publication_item
    for each row execute function audit_capture('item_uuid', 'item_uuid');
create trigger publication_item_public after insert or update or delete on publication_item
    for each row execute function public_changed('publication');
create trigger publication_slug after insert or update of slug on publication_item
    for each row execute function publication_slug_keep();
create trigger publication_slug_public after insert or update or delete on publication_slug
    for each row execute function public_changed('publication');
create trigger publication_transition_audit after insert or delete or update on publication_transition
    for each row execute function audit_capture('item_uuid', 'transition_uuid');

grant select, insert, update on contract_release to labs_service;
grant select, insert, update, delete on deprecation to labs_service;
grant select, insert, delete on deprecation_reminder to labs_service;
grant select, insert, update, delete on deprecation_use to labs_service;
grant select, insert, update, delete on publication_item to labs_service;
grant select, insert, update, delete on publication_slug to labs_service;
grant select, insert on publication_transition to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Board: feature requests, votes, comments, reports, news by mail.
------------------------------------------------------------------------------------------------------------------------

-- Facts about a feature request and a user's vote, read under the lock of the feature request, and whether the function
-- changed the vote. The service chooses the response by them (schema/engagement/src/votes/rules.rs). A feature request
-- that does not exist is not on the board and has no status.
create type board_vote_facts as (
    is_on_board boolean,
    is_merged boolean,
    status text,
    had_voted boolean,
    is_changed boolean
);

-- Daily use of a user's other limits; these actions are public.
create table board_daily_use (
    person_uuid uuid not null,
    day date not null default (labs_now() at time zone 'UTC')::date,
    what text not null,
    used integer not null,
    constraint board_daily_use_pkey primary key (person_uuid, day, what),
    constraint board_daily_use_person_fkey foreign key (person_uuid) references person(person_uuid),
    constraint board_daily_use_what_check check (what in ('PROPOSALS', 'COMMENTS', 'REPORTS'))
);
create index board_daily_use_day_idx on board_daily_use (day);

-- Earlier text of a feature request or a comment before an edit.
create table board_earlier_text (
    text_uuid uuid not null,
    request_uuid uuid,
    comment_uuid uuid,
    title text,
    body text not null,
    replaced_at timestamptz not null default labs_now(),
    constraint board_earlier_text_pkey primary key (text_uuid),
    constraint board_earlier_text_comment_fkey foreign key (comment_uuid) references feature_comment(comment_uuid) on delete cascade,
    constraint board_earlier_text_request_fkey foreign key (request_uuid) references feature_request(request_uuid) on delete cascade,
    constraint board_earlier_text_of_check check (num_nonnulls(request_uuid, comment_uuid) = 1)
);
create index board_earlier_text_comment_idx on board_earlier_text (comment_uuid, replaced_at desc);
create index board_earlier_text_request_idx on board_earlier_text (request_uuid, replaced_at desc);

-- The read state of a user is one row, regardless of the number of read items: with one row per item, their number
-- would show how many items the user had to read, and so who had voted.
create table board_read (
    -- HMAC-SHA-256 of the user with a key of the board; different from the pseudonyms of votes and follows.
    reader bytea not null,
    -- Encrypted: the time until which all notifications are read, and the later ones that are read. Padded, so that the
    -- length reveals nothing.
    sealed bytea not null,
    read_on date not null default (labs_now() at time zone 'UTC')::date,
    constraint board_read_pkey primary key (reader),
    constraint board_read_reader_check check (octet_length(reader) = 32),
    constraint board_read_sealed_check check (octet_length(sealed) > 1600)
);
create index board_read_read_on_idx on board_read (read_on);

-- Reports of partners to staff: a feature request or a comment, once per user.
create table board_report (
    report_uuid uuid not null,
    request_uuid uuid,
    comment_uuid uuid,
    reporter_uuid uuid not null,
    partner_uuid uuid not null,
    reason text not null,
    -- Note by the reporter for staff.
    note text,
    outcome text not null default 'OPEN',
    -- Internal note by staff.
    resolution_note text,
    resolved_by uuid,
    resolved_at timestamptz,
    reported_at timestamptz not null default labs_now(),
    constraint board_report_pkey primary key (report_uuid),
    constraint board_report_once_key unique nulls not distinct (reporter_uuid, request_uuid, comment_uuid),
    constraint board_report_comment_fkey foreign key (comment_uuid) references feature_comment(comment_uuid),
    constraint board_report_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint board_report_reporter_fkey foreign key (reporter_uuid) references person(person_uuid),
    constraint board_report_request_fkey foreign key (request_uuid) references feature_request(request_uuid),
    constraint board_report_resolved_by_fkey foreign key (resolved_by) references person(person_uuid),
    constraint board_report_outcome_check check (outcome in ('OPEN', 'UPHELD', 'DISMISSED')),
    constraint board_report_reason_check check (reason in ('SPAM', 'ABUSIVE', 'OFF_TOPIC', 'PERSONAL_DATA', 'DUPLICATE', 'OTHER')),
    constraint board_report_resolution_check check ((outcome = 'OPEN') = (resolved_at is null)),
    constraint board_report_target_check check (num_nonnulls(request_uuid, comment_uuid) = 1)
);
create index board_report_comment_idx on board_report (comment_uuid, reported_at) where comment_uuid is not null;
create index board_report_outcome_idx on board_report (outcome, reported_at, report_uuid);
create index board_report_partner_idx on board_report (partner_uuid);
create index board_report_reported_at_idx on board_report (reported_at, report_uuid);
create index board_report_request_idx on board_report (request_uuid, reported_at) where request_uuid is not null;
create index board_report_resolved_by_idx on board_report (resolved_by) where resolved_by is not null;

-- Titles by word. UUIDs ascend with time, so the newest titles of a word are read without a sort.
-- Feature requests by the words of their titles. A trigger maintains them.
create table board_title_word (
    word text collate "C" not null,
    request_uuid uuid not null,
    constraint board_title_word_pkey primary key (word, request_uuid),
    constraint board_title_word_request_fkey foreign key (request_uuid) references feature_request(request_uuid)
);
create index board_title_word_request_idx on board_title_word (request_uuid);

create table board_topic (
    topic_uuid uuid not null,
    -- Names by locale. English is always present.
    names jsonb not null,
    "position" integer not null default 0,
    -- Whether new feature requests may have this topic. Existing ones keep it.
    active boolean not null default true,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint board_topic_pkey primary key (topic_uuid),
    constraint board_topic_names_check check ((names ->> 'en') <> '')
);
-- The requests that a user follows or voted for are looked up by pseudonym; their events by the index of each request.
create index board_topic_position_idx on board_topic (position, topic_uuid);

-- Number of votes cast today under a pseudonym of user and day; deleted after the day.
create table board_vote_budget (
    day date not null default (labs_now() at time zone 'UTC')::date,
    voter bytea not null,
    votes integer not null default 1,
    constraint board_vote_budget_pkey primary key (day, voter),
    constraint board_vote_budget_voter_check check (octet_length(voter) = 32)
);

-- Words of all titles, each once, with their stems in every language with stems, marked with the language.
-- Words of titles, for the search for similar feature requests. A trigger maintains them.
create table board_word (
    word text collate "C" not null,
    stems text[] not null,
    constraint board_word_pkey primary key (word)
);
create index board_word_reversed_idx on board_word (reverse(word) collate "C");
-- Numbers share most of their trigrams with many others, so only words without digits are compared by trigrams.
create index board_word_spelling_idx on board_word using gin (word gin_trgm_ops) with (fastupdate = off)
    where word !~ '[0-9]';
create index board_word_stems_idx on board_word using gin (stems) with (fastupdate = off);

-- Number of published customer reviews by app, version and stars, and by app, day and stars.
-- Numbers of published customer reviews. A trigger maintains them.
create table customer_rating (
    app_uuid uuid not null,
    -- Version that the customer reviews name. Null for customer reviews without a version.
    version_number text,
    rating integer not null,
    number integer not null,
    last_written_at timestamptz,
    constraint customer_rating_key unique nulls not distinct (app_uuid, version_number, rating),
    constraint customer_rating_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint customer_rating_last_check check ((number = 0) = (last_written_at is null)),
    constraint customer_rating_number_check check (number >= 0)
);

-- Numbers of published customer reviews by the day on which they were written, in UTC. A trigger maintains them.
create table customer_rating_day (
    app_uuid uuid not null,
    day date not null,
    rating integer not null,
    number integer not null,
    constraint customer_rating_day_pkey primary key (app_uuid, day, rating),
    constraint customer_rating_day_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint customer_rating_day_number_check check (number >= 0)
);

create table feature_comment (
    comment_uuid uuid not null,
    -- Feature request to which the comment was added, also after a merge.
    request_uuid uuid not null,
    partner_uuid uuid,
    author_uuid uuid,
    -- Whether this is an official answer by a staff member.
    is_answer boolean not null default false,
    body text not null,
    edited_at timestamptz,
    suspended_at timestamptz,
    suspension_reason text,
    open_reports integer not null default 0,
    reported_at timestamptz,
    created_at timestamptz not null default labs_now(),
    -- The body as HTML.
    body_html text,
    -- Version of the renderer that created the HTML; 0 without HTML. The job TEXT_RENDERING replaces older HTML.
    body_renderer smallint not null default 0,
    constraint feature_comment_pkey primary key (comment_uuid),
    constraint feature_comment_author_fkey foreign key (author_uuid) references person(person_uuid),
    constraint feature_comment_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint feature_comment_request_fkey foreign key (request_uuid) references feature_request(request_uuid),
    constraint feature_comment_answer_check check (is_answer = (partner_uuid is null)),
    constraint feature_comment_author_check check (is_answer or author_uuid is not null),
    constraint feature_comment_body_check check (length(body) >= 1 and length(body) <= 5000),
    constraint feature_comment_open_reports_check check (open_reports >= 0),
    constraint feature_comment_suspension_check check ((suspended_at is null) = (suspension_reason is null))
);
create index feature_comment_answer_idx on feature_comment (created_at desc, comment_uuid desc) where is_answer;
create index feature_comment_author_idx on feature_comment (author_uuid);
create index feature_comment_contains_idx
    on feature_comment using gin ((folded(body) collate "C") gin_trgm_ops);
create index feature_comment_created_at_idx on feature_comment (created_at desc, comment_uuid desc);
create index feature_comment_open_idx on feature_comment (created_at desc, comment_uuid desc) where open_reports > 0;
create index feature_comment_partner_idx on feature_comment (partner_uuid, created_at desc, comment_uuid desc);
-- Comments of one partner in the order of the list for staff.
create index feature_comment_partner_reported_idx
    on feature_comment (partner_uuid, open_reports desc, (coalesce(reported_at, 'infinity')), comment_uuid);
create index feature_comment_renderer_idx on feature_comment (body_renderer, comment_uuid);
create index feature_comment_reported_idx
    on feature_comment (open_reports desc, (coalesce(reported_at, 'infinity')), comment_uuid);
create index feature_comment_request_idx on feature_comment (request_uuid, created_at, comment_uuid);
create index feature_comment_suspended_idx on feature_comment (created_at desc, comment_uuid desc)
    where suspended_at is not null;

-- Public history of a feature request.
create table feature_event (
    event_uuid uuid not null,
    -- The feature request. Of a merge or its reversal: the merged one.
    request_uuid uuid not null,
    -- Of a merge or its reversal: the feature request into which the other was merged.
    other_uuid uuid,
    kind text not null,
    from_status text,
    to_status text,
    -- Public note by staff.
    note text,
    entry_uuid uuid,
    comment_uuid uuid,
    actor_uuid uuid,
    occurred_at timestamptz not null default labs_now(),
    constraint feature_event_pkey primary key (event_uuid),
    constraint feature_event_actor_fkey foreign key (actor_uuid) references person(person_uuid),
    constraint feature_event_comment_fkey foreign key (comment_uuid) references feature_comment(comment_uuid),
    constraint feature_event_entry_fkey foreign key (entry_uuid) references publication_item(item_uuid) on delete set null,
    constraint feature_event_other_fkey foreign key (other_uuid) references feature_request(request_uuid),
    constraint feature_event_request_fkey foreign key (request_uuid) references feature_request(request_uuid),
    constraint feature_event_comment_check check ((kind = 'ANSWER') = (comment_uuid is not null)),
    constraint feature_event_kind_check check (kind in ('STATUS', 'MERGE', 'UNMERGE', 'ANSWER')),
    constraint feature_event_other_check check ((kind in ('MERGE', 'UNMERGE')) = (other_uuid is not null)),
    constraint feature_event_status_check check ((kind = 'STATUS') = (to_status is not null))
);
create index feature_event_actor_idx on feature_event (actor_uuid) where actor_uuid is not null;
create index feature_event_comment_idx on feature_event (comment_uuid) where comment_uuid is not null;
create index feature_event_entry_idx on feature_event (entry_uuid) where entry_uuid is not null;
create index feature_event_occurred_at_idx on feature_event (occurred_at desc, event_uuid desc);
create index feature_event_other_idx on feature_event (other_uuid, occurred_at desc, event_uuid desc)
    where other_uuid is not null;
create index feature_event_request_idx on feature_event (request_uuid, occurred_at desc, event_uuid desc);

create table feature_follow (
    request_uuid uuid not null,
    -- Pseudonym of the user; different from the one in feature_vote.
    follower bytea not null,
    followed_on date not null default (labs_now() at time zone 'UTC')::date,
    constraint feature_follow_pkey primary key (request_uuid, follower),
    constraint feature_follow_request_fkey foreign key (request_uuid) references feature_request(request_uuid),
    constraint feature_follow_follower_check check (octet_length(follower) = 32)
);
create index feature_follow_follower_idx on feature_follow (follower, request_uuid) include (followed_on);

create table feature_request (
    request_uuid uuid not null,
    partner_uuid uuid not null,
    author_uuid uuid not null,
    title text not null,
    body text not null,
    -- Time at which the author last changed the title or the body.
    edited_at timestamptz,
    topic_uuid uuid,
    status text not null default 'OPEN',
    -- Time of the last change of the status by staff, else of the proposal.
    status_at timestamptz not null default labs_now(),
    -- Changelog entry that describes the shipped feature request.
    entry_uuid uuid,
    -- Feature request into which staff merged this one. It may be merged itself.
    merged_into_uuid uuid,
    -- Feature request that receives the votes, follows and comments: this one, or the last one in the chain of merges.
    root_uuid uuid not null,
    -- Time since which root_uuid has its value.
    rooted_at timestamptz not null default labs_now(),
    pinned_at timestamptz,
    pin smallint not null generated always as (
        case
            when pinned_at is null then 0
            else 1
        end) stored,
    locked_at timestamptz,
    suspended_at timestamptz,
    suspension_reason text,
    shown boolean not null generated always as (suspended_at is null and merged_into_uuid is null) stored,
    -- Day of the author's own vote. It has no row in feature_vote, which would reveal the author's pseudonym.
    author_voted_on date default (labs_now() at time zone 'UTC')::date,
    -- Number of users who voted for this feature request or for one merged into it. Each vote updates it, so that no
    -- read counts.
    votes integer not null default 1,
    -- Sum of the weights of the votes: 2 ^ (days since 2026-01-01 / 14) of the day of each vote.
    trend double precision not null default 0,
    -- Logarithm of the trend as an integer, for sorting.
    heat integer not null generated always as (
        case
            when trend > 0::double precision then round(ln(trend) * 100000::double precision)::integer
            else '-2147483648'::integer
        end) stored,
    -- Number of visible comments and answers.
    comments integer not null default 0,
    open_reports integer not null default 0,
    -- Time of the first open report.
    reported_at timestamptz,
    -- Time at which staff first answered or changed the status.
    answered_at timestamptz,
    -- Number of votes at the time at which the feature request was declined.
    declined_votes integer,
    -- Time of the last proposal, edit, comment, answer or change of the status. Votes and follows do not count.
    active_at timestamptz not null default labs_now(),
    created_at timestamptz not null default labs_now(),
    -- The body as HTML.
    body_html text,
    -- Version of the renderer that created the HTML; 0 without HTML. The job TEXT_RENDERING replaces older HTML.
    body_renderer smallint not null default 0,
    constraint feature_request_pkey primary key (request_uuid),
    constraint feature_request_author_fkey foreign key (author_uuid) references person(person_uuid),
    constraint feature_request_entry_fkey foreign key (entry_uuid) references publication_item(item_uuid) on delete set null,
    constraint feature_request_merged_into_fkey foreign key (merged_into_uuid) references feature_request(request_uuid),
    constraint feature_request_partner_fkey foreign key (partner_uuid) references partner(partner_uuid),
    constraint feature_request_root_fkey foreign key (root_uuid) references feature_request(request_uuid),
    constraint feature_request_topic_fkey foreign key (topic_uuid) references board_topic(topic_uuid),
    constraint feature_request_body_check check (length(body) <= 10000),
    constraint feature_request_comments_check check (comments >= 0),
    constraint feature_request_merged_into_check check (merged_into_uuid <> request_uuid),
    constraint feature_request_open_reports_check check (open_reports >= 0),
    constraint feature_request_root_check check ((merged_into_uuid is null) = (root_uuid = request_uuid)),
    constraint feature_request_status_check check (status in ('OPEN', 'UNDER_REVIEW', 'PLANNED', 'IN_PROGRESS', 'SHIPPED', 'DECLINED')),
    constraint feature_request_suspension_check check ((suspended_at is null) = (suspension_reason is null)),
    constraint feature_request_title_check check (length(title) >= 1 and length(title) <= 150),
    constraint feature_request_votes_check check (votes >= 0)
) with (fillfactor=80);
create index feature_request_activity_idx on feature_request (pin desc, active_at desc, request_uuid desc) where shown;
create index feature_request_all_activity_idx on feature_request (active_at desc, request_uuid desc);
create index feature_request_all_votes_idx on feature_request (votes desc, request_uuid desc);
create index feature_request_author_idx on feature_request (author_uuid, created_at desc, request_uuid desc);
create index feature_request_created_at_idx on feature_request (created_at desc, request_uuid desc);
create index feature_request_entry_idx on feature_request (entry_uuid) where entry_uuid is not null;
-- Declined requests that still gain votes.
create index feature_request_growing_idx on feature_request (status_at)
    where shown and status = 'DECLINED' and votes >= declined_votes + 10 and votes * 4 >= declined_votes * 5;
create index feature_request_heat_idx on feature_request (pin desc, heat desc, request_uuid desc) where shown;
create index feature_request_merged_into_idx on feature_request (merged_into_uuid) where merged_into_uuid is not null;
create index feature_request_newest_idx on feature_request (pin desc, created_at desc, request_uuid desc) where shown;
-- How fast staff answer, and which requests wait for an answer.
create index feature_request_pace_idx on feature_request (created_at) include (answered_at) where shown;
create index feature_request_partner_idx on feature_request (partner_uuid, created_at desc, request_uuid desc);
create index feature_request_renderer_idx on feature_request (body_renderer, request_uuid);
create index feature_request_reported_idx
    on feature_request (open_reports desc, (coalesce(reported_at, 'infinity')), request_uuid);
create index feature_request_root_idx on feature_request (root_uuid);
create index feature_request_status_idx on feature_request (status, status_at desc, request_uuid desc) where shown;
-- The columns of the roadmap, and the requests of a status with the most votes.
create index feature_request_status_votes_idx on feature_request (status, votes desc, request_uuid desc) where shown;
create index feature_request_suspended_idx on feature_request (suspended_at) where suspended_at is not null;
create index feature_request_topic_idx on feature_request (topic_uuid);
create index feature_request_votes_idx on feature_request (pin desc, votes desc, request_uuid desc) where shown;
create index feature_request_waiting_idx on feature_request (created_at) where shown and answered_at is null;

-- Search data of feature requests. A trigger maintains it.
create table feature_request_words (
    request_uuid uuid not null,
    -- Form of the title for comparison: lower-case letters and digits, without accents.
    title text not null,
    -- Words and stems of the title (weight A) and of the body (weight D).
    search tsvector not null,
    constraint feature_request_words_pkey primary key (request_uuid),
    constraint feature_request_words_request_fkey foreign key (request_uuid) references feature_request(request_uuid) on delete cascade
);
-- Titles that begin with a text, or equal it.
create index feature_request_words_beginning_idx on feature_request_words (title text_pattern_ops);
create index feature_request_words_search_idx on feature_request_words using gin (search) with (fastupdate = off);
create index feature_request_words_title_contains_idx on feature_request_words using gin (title gin_trgm_ops)
    with (fastupdate = off);

-- One row per request and user; the author's own vote is separate. The user is a pseudonym; only the day of the vote is
-- stored.
create table feature_vote (
    -- Feature request for which the vote was cast, also after a merge.
    request_uuid uuid not null,
    -- HMAC-SHA-256 of the user with a key of the board.
    voter bytea not null,
    voted_on date not null default (labs_now() at time zone 'UTC')::date,
    constraint feature_vote_pkey primary key (request_uuid, voter),
    constraint feature_vote_request_fkey foreign key (request_uuid) references feature_request(request_uuid),
    constraint feature_vote_voter_check check (octet_length(voter) = 32)
);
create index feature_vote_voter_idx on feature_vote (voter, request_uuid) include (voted_on);

-- Pending board items for staff, each by a separate index.
create view board_waiting (kind, number, oldest_at) as
    select 'BOARD_REPORTED', count(*), min(reported_at) from board_report where outcome = 'OPEN'
    union all
    select 'FEATURE_REQUEST_GROWING', count(*), min(status_at) from feature_request
    where shown and status = 'DECLINED' and votes >= declined_votes + 10 and votes * 4 >= declined_votes * 5;

-- Author of a text: always the company, unless it was erased; the user if their attribution setting allows it.
create function board_author(partner uuid, author uuid) returns jsonb
    language sql stable parallel safe
    as $$
        select jsonb_build_object(
            'partner_uuid', case when p.state <> 'ERASED' then p.partner_uuid end,
            'company_name', case when p.state <> 'ERASED' then p.company_name end,
            'person_name', case when p.state <> 'ERASED' and h.show_name and h.state <> 'REMOVED' then h.name end)
        from public.partner as p left join public.person as h on h.person_uuid = author
        where p.partner_uuid = partner
    $$;

-- Casts a vote, unless the user has already voted for the feature request or for one merged into it. The feature
-- request must be on the board, not merged, and have one of the statuses in `votable`. The function locks it first;
-- every later statement then sees all earlier commits, so that a user counts once, regardless of the number of
-- concurrent requests.
create function board_cast(request uuid, person uuid, pseudonym bytea, votable text[]) returns board_vote_facts
    language plpgsql
    as $$
    declare
        held public.feature_request;
        facts public.board_vote_facts;
        today date := (public.labs_now() at time zone 'UTC')::date;
    begin
        select * into held from public.feature_request as r where r.request_uuid = request for update;
        facts.is_on_board := found and held.suspended_at is null;
        facts.is_merged := held.merged_into_uuid is not null;
        facts.status := held.status;
        facts.had_voted := exists (select from public.feature_request as d where d.root_uuid = request
                and d.author_uuid = person and d.author_voted_on is not null)
            or exists (select from public.feature_vote as v join public.feature_request as d using (request_uuid)
                where d.root_uuid = request and v.voter = pseudonym);
        facts.is_changed := facts.is_on_board and not facts.is_merged and not facts.had_voted
            and held.status = any (votable);
        if facts.is_changed then
            if held.author_uuid <> person then
                insert into public.feature_vote (request_uuid, voter, voted_on) values (request, pseudonym, today);
            end if;
            update public.feature_request as r
            set votes = r.votes + 1, trend = r.trend + public.board_weight(today),
                author_voted_on = case when r.author_uuid = person then today else r.author_voted_on end
            where r.request_uuid = request;
        end if;
        return facts;
    end $$;

-- HTML never outlives its text: a statement that changes only the text, as the erasure of a company
-- does, removes the HTML.
create function board_html_outdated() returns trigger language plpgsql as $$
begin
    new.body_html := null;
    new.body_renderer := 0;
    return new;
end $$;

-- Feature requests with a similar title: for each request on the board, the best match among its own title and the
-- titles of merged requests. Shared title terms count most: words and stems of any language, then letters; the body
-- counts less. Only candidates are compared: at most 200 that share the rarest words, and 50 whose title begins with
-- the text. To choose them, the function reads about 8,000 entries at most, divided among the related words by their
-- closeness; of a word with more entries than its share, the newest.
create function board_near(typed text, most integer)
    returns table (root_uuid uuid, matched_title text, fit double precision)
    language plpgsql stable parallel safe rows 5
    set pg_trgm.word_similarity_threshold = 0.5 set plan_cache_mode = force_generic_plan
    set enable_seqscan = off set max_parallel_workers_per_gather = 0
    as $$
    #variable_conflict use_column
    declare
        asked text := public.search_folded(left(typed, 300));
        terms tsquery := (public.board_terms(typed)).near;
    begin
        return query
        with said as materialized (
            select word.sought, min(word.place) as place, exists (
                select from public.listing_stemmer as stemmer
                where stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl')
                    and ts_lexize(stemmer.dictionary, word.sought) = '{}') as is_common
            from string_to_table(asked, ' ') with ordinality as word (sought, place)
            where length(word.sought) between 1 and 60
            group by word.sought order by 2 limit 20
        ), related as materialized (
            select said.place, near.word, near.closeness
            from said cross join lateral public.board_related(said.sought) as near
            where not said.is_common or not exists (select from said where not is_common)
            order by near.closeness desc, near.word
        ), titled as materialized (
            select related.place, related.closeness, entry.request_uuid
            from related cross join lateral (
                select t.request_uuid from public.board_title_word as t where t.word = related.word
                order by t.word desc, t.request_uuid desc
                limit (select 1 + 8000 * related.closeness / sum(every.closeness) from related as every)) as entry
        ), weighed as (
            select place, 1 / ln(10 + count(*)) as weight from titled group by place
        ), likely as (
            (select best.request_uuid from (
                select request_uuid, place, max(closeness) as closeness from titled group by request_uuid, place) as best
             join weighed using (place)
             group by best.request_uuid
             order by sum(best.closeness * weighed.weight) desc, best.request_uuid desc limit 200)
            union
            (select w.request_uuid from public.feature_request_words as w
             where asked <> '' and w.title ~>=~ asked and w.title ~<~ (asked || chr(1114111)) limit 50)
        ), fitting as (
            select r.root_uuid, r.request_uuid, r.title,
                similarity(asked, w.title) + word_similarity(asked, w.title)
                + coalesce(ts_rank('{0.05, 0, 0, 1}', w.search, terms), 0) * 4 as fit
            from likely join public.feature_request_words as w using (request_uuid)
            join public.feature_request as r using (request_uuid)
            join public.feature_request as root on root.request_uuid = r.root_uuid
            where r.suspended_at is null and root.shown
        )
        select best.root_uuid, case when best.request_uuid <> best.root_uuid then best.title end, best.fit
        from (select distinct on (fitting.root_uuid) * from fitting order by fitting.root_uuid, fitting.fit desc) as best
        order by best.fit desc, best.root_uuid limit most;
    end $$;

-- Events of the last year on the requests that a user proposed, voted for or follows, and the reason for each
-- notification. Nothing is stored: the function computes it at each read. A suspended request or answer produces no
-- notification. Joins only add rows by key: the suspended requests and comments of the whole board are never read.
create function board_news(person uuid, voter bytea, follower bytea)
    returns table (event_uuid uuid, because text[])
    language plpgsql stable parallel safe rows 10
    set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
    set enable_mergejoin = off set max_parallel_workers_per_gather = 0
    as $$
    #variable_conflict use_column
    begin
        return query
        with known as (
            select r.request_uuid, 'PROPOSED' as reason, '-infinity'::date as since
            from public.feature_request as r where r.author_uuid = person
            union all
            select r.request_uuid, 'VOTED', r.author_voted_on
            from public.feature_request as r where r.author_uuid = person and r.author_voted_on is not null
            union all
            select v.request_uuid, 'VOTED', v.voted_on from public.feature_vote as v where v.voter = board_news.voter
            union all
            select f.request_uuid, 'FOLLOWED', f.followed_on
            from public.feature_follow as f where f.follower = board_news.follower
        ), told as (
            select e.event_uuid, known.reason
            from known join public.feature_request as s using (request_uuid)
            join public.feature_request as root on root.request_uuid = s.root_uuid
            cross join lateral (
                select o.event_uuid, o.occurred_at from public.feature_event as o where o.request_uuid = s.request_uuid
                union all
                select o.event_uuid, o.occurred_at from public.feature_event as o where o.other_uuid = s.request_uuid
                union all
                select o.event_uuid, o.occurred_at from public.feature_event as o
                where s.root_uuid <> s.request_uuid and o.request_uuid = s.root_uuid and o.occurred_at >= s.rooted_at
                union all
                select o.event_uuid, o.occurred_at from public.feature_event as o
                where s.root_uuid <> s.request_uuid and o.other_uuid = s.root_uuid and o.occurred_at >= s.rooted_at
            ) as e
            where s.suspended_at is null and root.suspended_at is null
                and e.occurred_at >= public.labs_now() - interval '1 year'
                and (e.occurred_at at time zone 'UTC')::date >= known.since
        )
        select told.event_uuid, array_agg(distinct told.reason order by told.reason)
        from told join public.feature_event as e using (event_uuid)
        join public.feature_request as d on d.request_uuid = e.request_uuid
        join public.feature_request as d_root on d_root.request_uuid = d.root_uuid
        left join public.feature_request as o on o.request_uuid = e.other_uuid
        left join public.feature_request as o_root on o_root.request_uuid = o.root_uuid
        left join public.feature_comment as c on c.comment_uuid = e.comment_uuid
        where num_nonnulls(d.suspended_at, d_root.suspended_at, o.suspended_at, o_root.suspended_at, c.suspended_at) = 0
        group by told.event_uuid;
    end $$;

-- Id of a notification for one user: it differs for every user, and gives access to nothing (RFC 9562, version 8).
create function board_news_uuid(naming bytea, event uuid) returns uuid
    language sql immutable strict parallel safe
    as $$
        select encode(set_byte(set_byte(hashed.bytes, 6, get_byte(hashed.bytes, 6) & 15 | 128), 8,
            get_byte(hashed.bytes, 8) & 63 | 128), 'hex')::uuid
        from (select substring(sha256(naming || uuid_send(event)) for 16) as bytes) as hashed
    $$;

-- Recounts, after a merge or its reversal, the voters of a request and of those merged into it: each pseudonym once.
-- `authors` and `pseudonyms` are the authors of these requests with their pseudonyms.
create function board_recount(root uuid, authors uuid[], pseudonyms bytea[]) returns void
    language sql
    as $$
        update public.feature_request as r
        set votes = counted.votes, trend = counted.trend
        from (
            select count(*)::integer as votes, coalesce(sum(public.board_weight(day)), 0) as trend
            from (
                select voter, max(day) as day from (
                    select v.voter, v.voted_on as day
                    from public.feature_request as d join public.feature_vote as v using (request_uuid)
                    where d.root_uuid = root
                    union all
                    select known.pseudonym, d.author_voted_on
                    from public.feature_request as d
                    join unnest(authors, pseudonyms) as known (author_uuid, pseudonym) using (author_uuid)
                    where d.root_uuid = root and d.author_voted_on is not null) as every_vote
                group by voter) as once) as counted
        where r.request_uuid = root
    $$;

-- Words of titles that are related to a folded word, and how closely: the word itself, words with its stem, words that
-- begin or end with it or with which it begins or ends, and words with a similar spelling.
create function board_related(sought text) returns table (word text, closeness double precision)
    language sql stable parallel safe rows 10
    as $$
        select related.word, max(related.closeness) from (
            select v.word, 1 as closeness
            from public.board_word as v where v.word in (sought, public.search_contracted(sought))
            union all
            (select v.word, 0.9 from public.board_word as v where v.stems && public.board_stems(sought) limit 40)
            union all
            (select v.word, 0.7 from public.board_word as v
             where length(sought) >= 4 and v.word > sought collate "C" and v.word < (sought || chr(1114111)) collate "C"
             limit 20)
            union all
            (select v.word, 0.6 from public.board_word as v
             where length(sought) >= 4 and reverse(v.word) collate "C" > reverse(sought) collate "C"
                 and reverse(v.word) collate "C" < (reverse(sought) || chr(1114111)) collate "C"
             limit 20)
            union all
            select v.word, 0.5 from public.board_word as v
            where v.word = any (array(select part from generate_series(3, length(sought) - 1) as size
                cross join lateral unnest(array[left(sought, size), right(sought, size)]) as part))
            union all
            (select v.word, 0.8 * word_similarity(sought, v.word) from public.board_word as v
             where length(sought) >= 4 and sought !~ '[0-9]' and v.word !~ '[0-9]' and sought <% v.word
             order by word_similarity(sought, v.word) desc limit 20)) as related
        group by related.word
        order by 2 desc, related.word limit 24
    $$;

-- The words of a folded text, also in their contracted form.
create function board_spellings(folded text) returns setof text
    language sql immutable strict parallel safe
    as $$
        select distinct word collate "C"
        from string_to_table(folded || ' ' || public.search_contracted(folded), ' ') as word
        where length(word) between 1 and 60
    $$;

-- The stems of a folded word, each marked with its language.
create function board_stems(word text) returns text[]
    language sql stable strict parallel safe
    as $$
        select array(select distinct format('.%s.%s', stemmer.language, stem[1])
            from public.listing_stemmer as stemmer cross join lateral ts_lexize(stemmer.dictionary, word) as stem
            where cardinality(stem) > 0 and stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl'))
    $$;

-- Converts the user's input into the terms of `feature_request_words.search`. `near`: any word except stop words
-- occurs, or a word that begins with it; if all are stop words (the, und), these. `every`: each word occurs, the last
-- one also as the beginning of a word. Null if the input contains nothing to search for.
create function board_terms(typed text, out near tsquery, out every tsquery)
    language plpgsql stable parallel safe
    as $$
    declare
        said record;
        likely text[] := '{}';
        others text[] := '{}';
        each_word text[] := '{}';
    begin
        for said in
            select word.written, word.place = count(*) over () as is_last,
                exists (select from public.listing_stemmer as stemmer
                    where stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl')
                        and ts_lexize(stemmer.dictionary, word.written) = '{}') as is_common,
                (select string_agg(form, ' | ') from (
                    select quote_literal(word.written) as form
                    union select quote_literal(public.search_contracted(word.written))
                    union select format('''.%s.%s''', stemmer.language, stem[1])
                    from public.listing_stemmer as stemmer
                    cross join lateral ts_lexize(stemmer.dictionary, word.written) as stem
                    where cardinality(stem) > 0 and stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl')
                    union select format('''%s'':*', word.written) where length(word.written) >= 5) as forms) as forms
            from string_to_table(public.search_folded(left(typed, 300)), ' ') with ordinality as word (written, place)
            where word.written <> '' order by word.place limit 40
        loop
            if said.is_common then
                others := others || said.forms;
            else
                likely := likely || said.forms;
            end if;
            if said.is_last and length(said.written) between 2 and 4 then
                each_word := each_word || format('%s | ''%s'':*', said.forms, said.written);
            elsif not said.is_common then
                each_word := each_word || said.forms;
            end if;
        end loop;
        near := nullif(array_to_string(case when likely = '{}' then others else likely end, ' | '), '')::tsquery;
        if each_word = '{}' then
            each_word := others;
        end if;
        every := nullif('(' || array_to_string(each_word, ') & (') || ')', '()')::tsquery;
    end $$;

-- Weight of a vote in the trend: twice the weight of a vote two weeks earlier.
create function board_weight(day date) returns double precision
    language sql immutable strict parallel safe
    as $$ select power(2::double precision, (day - date '2026-01-01') / 14::double precision) $$;

-- Withdraws a user's vote, also from the feature requests that were merged into this one.
create function board_withdraw(request uuid, person uuid, pseudonym bytea) returns board_vote_facts
    language plpgsql
    as $$
    declare
        held public.feature_request;
        facts public.board_vote_facts;
        lost double precision;
    begin
        select * into held from public.feature_request as r where r.request_uuid = request for update;
        facts.is_on_board := found and held.suspended_at is null;
        facts.is_merged := held.merged_into_uuid is not null;
        facts.status := held.status;
        -- A user counts with the latest of their days.
        select public.board_weight(max(day)) into lost from (
            select v.voted_on as day from public.feature_vote as v join public.feature_request as d using (request_uuid)
            where d.root_uuid = request and v.voter = pseudonym
            union all
            select d.author_voted_on from public.feature_request as d
            where d.root_uuid = request and d.author_uuid = person) as cast_on;
        facts.had_voted := lost is not null;
        facts.is_changed := facts.is_on_board and not facts.is_merged and facts.had_voted;
        if facts.is_changed then
            delete from public.feature_vote as v using public.feature_request as d
            where d.root_uuid = request and v.request_uuid = d.request_uuid and v.voter = pseudonym;
            update public.feature_request as d set author_voted_on = null
            where d.root_uuid = request and d.author_uuid = person and d.author_voted_on is not null;
            update public.feature_request as r set votes = r.votes - 1, trend = greatest(r.trend - lost, 0)
            where r.request_uuid = request;
        end if;
        return facts;
    end $$;

-- Search terms of feature requests: the words of title and body as written, and their stems in every language with
-- stems, marked with the language. Users do not have to state the language of a request.
create function board_words(written text) returns tsvector
    language plpgsql stable strict parallel safe
    as $$
    declare
        folded text := public.search_folded(written);
    begin
        return to_tsvector('public.labs_simple', concat_ws(' ', folded, public.search_contracted(folded)))
            || coalesce((select string_agg(format('''.%s.%s'':1', stemmer.language, stem[1]), ' ')
                from (select distinct word from string_to_table(folded || ' ' || public.search_contracted(folded), ' ') as word
                      where length(word) between 2 and 60 limit 2000) as said
                cross join public.listing_stemmer as stemmer
                cross join lateral ts_lexize(stemmer.dictionary, said.word) as stem
                where cardinality(stem) > 0 and stemmer.language in ('de', 'en', 'fr', 'es', 'it', 'nl')), '')::tsvector;
    end $$;

-- Adds a published customer review to the counts.
create function customer_rating_add(review customer_review) returns void
    language sql
    as $$
        insert into public.customer_rating as known (app_uuid, version_number, rating, number, last_written_at)
        values (review.app_uuid, review.version_number, review.rating, 1, review.written_at)
        on conflict (app_uuid, version_number, rating) do update
        set number = known.number + 1, last_written_at = greatest(known.last_written_at, excluded.last_written_at);
        insert into public.customer_rating_day as known (app_uuid, day, rating, number)
        values (review.app_uuid, (review.written_at at time zone 'UTC')::date, review.rating, 1)
        on conflict (app_uuid, day, rating) do update set number = known.number + 1;
    $$;

-- Removes a customer review that was published from the counts. If it was the last one of its version and rating, the
-- function looks up the one before. A wrong count stops at zero, because it must not prevent a decision of a moderator.
create function customer_rating_remove(review customer_review) returns void
    language sql
    as $$
        update public.customer_rating as known
        set number = greatest(known.number - 1, 0), last_written_at = case
            when known.number <= 1 then null
            when known.last_written_at > review.written_at then known.last_written_at
            else coalesce((select r.written_at from public.customer_review as r
                  where r.app_uuid = review.app_uuid and r.rating = review.rating and r.state = 'PUBLISHED'
                      and r.version_number is not distinct from review.version_number
                  order by r.written_at desc limit 1), known.last_written_at) end
        where known.app_uuid = review.app_uuid and known.version_number is not distinct from review.version_number
            and known.rating = review.rating;
        update public.customer_rating_day as known set number = greatest(known.number - 1, 0)
        where known.app_uuid = review.app_uuid and known.day = (review.written_at at time zone 'UTC')::date
            and known.rating = review.rating;
    $$;

-- The lock on the listing comes first, as for its rating, so that transactions about one app wait in one order.
create function customer_review_counted() returns trigger language plpgsql as $$
begin
    perform from public.listing as l where l.app_uuid = coalesce(new.app_uuid, old.app_uuid) for no key update;
    if tg_op <> 'INSERT' and old.state = 'PUBLISHED' then
        perform public.customer_rating_remove(old);
    end if;
    if tg_op <> 'DELETE' and new.state = 'PUBLISHED' then
        perform public.customer_rating_add(new);
    end if;
    return null;
end $$;

create function feature_request_worded() returns trigger language plpgsql as $$
declare
    folded text := public.search_folded(new.title);
begin
    insert into public.feature_request_words as known (request_uuid, title, search)
    values (new.request_uuid, folded,
        setweight(public.board_words(new.title), 'A') || setweight(public.board_words(new.body), 'D'))
    on conflict (request_uuid) do update set title = excluded.title, search = excluded.search;
    delete from public.board_title_word as known
    where known.request_uuid = new.request_uuid and known.word not in (select public.board_spellings(folded));
    -- In one order, so that two transactions that add the same words do not wait for each other.
    insert into public.board_word (word, stems)
    select spelling, public.board_stems(spelling) from public.board_spellings(folded) as spelling
    where not exists (select from public.board_word as known where known.word = spelling)
    order by spelling on conflict do nothing;
    insert into public.board_title_word (word, request_uuid)
    select spelling, new.request_uuid from public.board_spellings(folded) as spelling on conflict do nothing;
    return null;
end $$;

-- Counts by stars, from 5 down to 1.
create function rating_counts_add(counts integer[], rating integer, number integer) returns integer[]
    language sql immutable strict parallel safe
    as $$ select counts[:5 - rating] || (counts[6 - rating] + number) || counts[7 - rating:] $$;

create aggregate rating_counts (rating integer, number integer)
    (sfunc = rating_counts_add, stype = integer[], initcond = '{0,0,0,0,0}');

create trigger board_report_audit after insert or delete or update of outcome, resolution_note on board_report
    for each row execute function audit_capture('report_uuid', 'report_uuid');
create trigger board_topic_audit after insert or delete or update on board_topic
    for each row execute function audit_capture('topic_uuid', 'topic_uuid');
create trigger customer_rating_public after insert or update or delete on customer_rating
    for each row execute function public_changed('storefront');
create trigger feature_comment_audit after insert or delete or update of body, suspended_at, suspension_reason on feature_comment
    for each row execute function audit_capture('comment_uuid', 'comment_uuid');
create trigger feature_comment_html before update of body on feature_comment for each row
    when (new.body is distinct from old.body and new.body_html is not distinct from old.body_html)
    execute function board_html_outdated();
create trigger feature_request_audit after insert or delete or update of title, body, topic_uuid, status, entry_uuid, merged_into_uuid, pinned_at, locked_at, suspended_at, suspension_reason on feature_request
    for each row execute function audit_capture('request_uuid', 'request_uuid');
create trigger feature_request_deleted after delete on feature_request for each row
    when (old.entry_uuid is not null) execute function public_changed('publication');
create trigger feature_request_html before update of body on feature_request for each row
    when (new.body is distinct from old.body and new.body_html is not distinct from old.body_html)
    execute function board_html_outdated();
-- A changelog entry names the feature requests that it ships.
create trigger feature_request_shipped after update on feature_request for each row
    when ((old.entry_uuid, old.shown, old.status_at) is distinct from (new.entry_uuid, new.shown, new.status_at)
        and (old.entry_uuid is not null or new.entry_uuid is not null))
    execute function public_changed('publication');
create trigger feature_request_worded after insert or update of title, body on feature_request
    for each row execute function feature_request_worded();

grant select, insert, update, delete on board_daily_use to labs_service;
grant select, insert, delete on board_earlier_text to labs_service;
grant select, insert, update, delete on board_read to labs_service;
grant select, insert, update on board_report to labs_service;
grant select, insert, delete on board_title_word to labs_service;
grant select, insert, update on board_topic to labs_service;
grant select, insert, update, delete on board_vote_budget to labs_service;
grant select, insert on board_word to labs_service;
grant select, insert, update on customer_rating to labs_service;
grant select, insert, update on customer_rating_day to labs_service;
grant select, insert, update on feature_comment to labs_service;
grant select, insert on feature_event to labs_service;
grant select, insert, delete on feature_follow to labs_service;
grant select, insert, update on feature_request to labs_service;
grant select, insert, update on feature_request_words to labs_service;
grant select, insert, delete on feature_vote to labs_service;
grant select on board_waiting to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Statistics of apps.
------------------------------------------------------------------------------------------------------------------------

-- The owner follows from the app, so a transfer of the app includes its statistics.
create table app_statistic (
    app_uuid uuid not null,
    day date not null,
    customers bigint not null,
    constraint app_statistic_pkey primary key (app_uuid, day),
    constraint app_statistic_app_fkey foreign key (app_uuid) references app(app_uuid) on delete cascade,
    constraint app_statistic_day_fkey foreign key (day) references statistic_day(day),
    constraint app_statistic_customers_check check (customers >= 0)
);
create index app_statistic_day_idx on app_statistic (day);

create table partner_statistic (
    partner_uuid uuid not null,
    day date not null,
    -- Number of distinct customers of all apps that the partner had at that time. Not the sum over the apps.
    customers bigint not null,
    constraint partner_statistic_pkey primary key (partner_uuid, day),
    constraint partner_statistic_day_fkey foreign key (day) references statistic_day(day),
    constraint partner_statistic_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade,
    constraint partner_statistic_customers_check check (customers >= 0)
);
create index partner_statistic_day_idx on partner_statistic (day);

-- Imported days. A missing day is unknown, not zero.
create table statistic_day (
    day date not null,
    imported_at timestamptz not null,
    -- Time at which a newer report last replaced the data.
    restated_at timestamptz,
    -- Invented figures of the sample data, which the first import deletes.
    is_sample boolean not null default false,
    constraint statistic_day_pkey primary key (day)
);

create table statistic_import (
    import_uuid uuid not null,
    trigger text not null,
    state text not null default 'QUEUED',
    -- Days in the order of the import, oldest first.
    days date[] not null,
    requested_by_kind text,
    requested_by uuid,
    -- Number of replicas that have claimed the import. Writes of a former claim are rejected.
    claims integer not null default 0,
    claimed_until timestamptz,
    created_at timestamptz not null default labs_now(),
    started_at timestamptz,
    ended_at timestamptz,
    constraint statistic_import_pkey primary key (import_uuid),
    constraint statistic_import_days_check check (cardinality(days) >= 1 and cardinality(days) <= 92),
    constraint statistic_import_ended_check check ((state in ('SUCCEEDED', 'FAILED')) = (ended_at is not null)),
    constraint statistic_import_state_check check (state in ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED')),
    constraint statistic_import_trigger_check check (trigger in ('SCHEDULE', 'STAFF'))
);
-- One import at a time.
create unique index statistic_import_open_idx on statistic_import ((true)) where state in ('QUEUED', 'RUNNING');

create table statistic_import_run (
    run_uuid uuid not null,
    import_uuid uuid not null,
    day date not null,
    state text not null default 'RUNNING',
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
    constraint statistic_import_run_pkey primary key (run_uuid),
    constraint statistic_import_run_day_key unique (import_uuid, day),
    constraint statistic_import_run_import_fkey foreign key (import_uuid) references statistic_import(import_uuid),
    constraint statistic_import_run_ended_check check ((state = 'RUNNING') = (ended_at is null)),
    constraint statistic_import_run_error_check check ((state = 'FAILED') = (error_code is not null)),
    constraint statistic_import_run_state_check check (state in ('RUNNING', 'SUCCEEDED', 'FAILED'))
);
create index statistic_import_run_day_idx on statistic_import_run (day, run_uuid);
create index statistic_import_run_error_idx on statistic_import_run (error_code);
create index statistic_import_run_started_idx on statistic_import_run (started_at, run_uuid);

-- State of the source in addition to its settings. One row, created by the first replica with a source.
create table statistic_source (
    only_row boolean not null default true,
    -- First day that the service imports without a request.
    begins_on date not null,
    -- Number of consecutive failed imports.
    failures integer not null default 0,
    next_attempt_at timestamptz not null default labs_now(),
    constraint statistic_source_pkey primary key (only_row),
    constraint statistic_source_only_row_check check (only_row)
);

-- Completed days without an import, with the time since when they are missing. A service without a source misses none,
-- regardless of this view.
create view statistic_missing_day as
select due.day::date as day, (due.day::date + 1)::timestamp at time zone 'UTC' as missing_since
from statistic_source as source
cross join lateral generate_series(
    source.begins_on::timestamp, ((labs_now() at time zone 'UTC')::date - 1)::timestamp, interval '1 day') as due (day)
where not exists (select from statistic_day as known where known.day = due.day::date);

create trigger statistic_import_audit after insert or delete or update on statistic_import
    for each row execute function audit_capture('import_uuid', 'import_uuid');

grant select, insert, delete on app_statistic to labs_service;
grant select, insert, delete on partner_statistic to labs_service;
grant select, insert, update, delete on statistic_day to labs_service;
grant select, insert, update on statistic_import to labs_service;
grant select, insert, update on statistic_import_run to labs_service;
grant select, insert, update on statistic_source to labs_service;
grant select on statistic_missing_day to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Administration: counts and search for the platform overview.
------------------------------------------------------------------------------------------------------------------------

-- Positions of events, in which clients follow the lists of events of an account, its subscription and an app. Positions
-- are assigned after the commit, in the order of `entry_id` (docs/decisions/api.md#events-in-the-order-of-their-positions).
-- An event is inserted under the lock of the row that it is about, so this order is the order of the changes of a row.
-- The events are in different tables, and `about_uuid` is a partner or an app, so there are no foreign keys.
create table event_position (
    entry_id bigint not null generated always as identity,
    source text not null,
    -- The partner; of the events of an app, the app.
    about_uuid uuid not null,
    event_uuid uuid not null,
    place bigint,
    constraint event_position_pkey primary key (entry_id),
    constraint event_position_place_check check (place > 0),
    constraint event_position_source_check check (source in ('ACCOUNT', 'SUBSCRIPTION', 'STAFF', 'APP'))
);
create index event_position_about_idx on event_position (about_uuid, place);
-- An index of an expression, which the planner cannot use to read one list in the order of `place`: it would read the
-- positions of all lists, if it overestimates the share of this one.
create unique index event_position_place_key on event_position ((place + 0));
create index event_position_staff_idx on event_position (event_uuid) where source = 'STAFF';
create index event_position_subscription_idx on event_position (about_uuid, place) where source = 'SUBSCRIPTION';
create index event_position_unsealed_idx on event_position (entry_id) where place is null;

-- Requests per operation and day, with their results: written with the request counts every few seconds. It names no
-- account. `up_to_5` counts responses within five milliseconds, `up_to_10` those above five and within ten.
create table operation_day (
    day date not null,
    operation text not null,
    requests bigint not null default 0,
    -- Responses with a 4xx status except 429.
    client_errors bigint not null default 0,
    server_errors bigint not null default 0,
    -- Responses with status 429.
    refusals bigint not null default 0,
    microseconds bigint not null default 0,
    up_to_5 bigint not null default 0,
    up_to_10 bigint not null default 0,
    up_to_25 bigint not null default 0,
    up_to_50 bigint not null default 0,
    up_to_100 bigint not null default 0,
    up_to_250 bigint not null default 0,
    up_to_500 bigint not null default 0,
    up_to_1000 bigint not null default 0,
    up_to_5000 bigint not null default 0,
    longer bigint not null default 0,
    constraint operation_day_pkey primary key (day, operation)
) with (fillfactor=70);

-- Day of each partner's last activity: a sign-in of one of its users, or a request. It is written only if the day
-- changes.
create table partner_activity (
    partner_uuid uuid not null,
    active_at timestamptz not null,
    constraint partner_activity_pkey primary key (partner_uuid),
    constraint partner_activity_partner_fkey foreign key (partner_uuid) references partner(partner_uuid) on delete cascade
) with (fillfactor=70);
create index partner_activity_active_at_idx on partner_activity (active_at, partner_uuid);

create table platform_change (
    what text not null,
    key text collate "C" not null,
    number bigint not null
);

-- Counts of objects by state, and of events by day. Each change is inserted as a separate row, so that no writer waits
-- for another's commit; the job PLATFORM_COUNTS adds the rows to the counts. Readers add up both.
create table platform_count (
    what text not null,
    -- A state, a tier or a day (2026-11-24), depending on `what`.
    key text collate "C" not null,
    number bigint not null,
    constraint platform_count_pkey primary key (what, key)
) with (fillfactor=70);

-- Objects that are found by name or by another term; an app by its name in any language. Names are compared by bytes
-- ("C"), so that names with the same beginning are adjacent in an index, regardless of the database's locale. The parts
-- have no conditions and no joins: only then does the planner follow the order of an index and stop after some rows.
create view named_thing as
select 'PARTNER' as kind, partner_uuid as uuid, folded(company_name) collate "C" as name, slug as word,
    null::text collate "C" as address, state <> 'ERASED' as is_there
from partner
union all
select 'USER', person_uuid, folded(name) collate "C", email_normalised, email_normalised collate "C",
    kind = 'PARTNER_USER' and state <> 'REMOVED'
from person
union all
select 'APP', app_uuid, folded(name) collate "C", null, null::text collate "C", true from app_translation
union all
select 'APP', app_uuid, null::text collate "C", slug, null::text collate "C", true from app
union all
select 'PROGRAM', client_uuid, folded(name) collate "C", client_id, null::text collate "C", true from machine_client
union all
select 'TICKET', ticket_uuid, folded(subject) collate "C", null, null::text collate "C", true from support_ticket;

-- The history of a partner's account: events of the account, events of the subscription, and staff operations that
-- changed or read it. Each part is one table without conditions: only then does the planner read all three by their
-- indexes, in the order of the page, and stop when it is full. So the exclusion of staff operations is the column
-- `is_shown`, which every list filters by. A record is not shown if an event of the account's history, written in the
-- same transaction, is about the same object, or if an event of the subscription is. The registration of a company
-- follows from the verification of its administrator, and both are shown.
create view partner_account_history as
select
    e.partner_uuid, 'ACCOUNT'::text as event_group, e.event_uuid, e.occurred_at, e.kind, e.actor_kind, e.actor_uuid,
    e.subject_uuid, null::text as operation, e.reason, e.detail, true as is_shown
from partner_event as e
union all
select
    e.partner_uuid, 'SUBSCRIPTION'::text, e.event_uuid, e.occurred_at, e.kind, e.actor_kind, e.actor_uuid, null::uuid,
    null::text, e.reason,
    jsonb_strip_nulls(jsonb_build_object(
        'from_tier_code', (select code from tier where tier_uuid = e.from_tier_uuid),
        'to_tier_code', (select code from tier where tier_uuid = e.to_tier_uuid),
        'feature_code', e.detail -> 'feature_code', 'effective_at', e.detail -> 'effective_at',
        'effective_until', e.detail -> 'effective_until')),
    true
from subscription_event as e
union all
select
    l.partner_uuid, 'STAFF'::text, l.record_uuid, l.recorded_at, 'STAFF_ACCESS'::text, 'STAFF_USER'::text, null::uuid,
    l.target_uuid, l.operation, l.reason, '{}'::jsonb,
    l.outcome = 'SUCCEEDED'
        and (
            select true from partner_event as e where e.partner_uuid = l.partner_uuid
                and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid and e.kind <> 'REGISTERED'
                and coalesce(e.subject_uuid, e.partner_uuid) = coalesce(l.target_uuid, l.partner_uuid) limit 1) is null
        and (
            select true from subscription_event as e where e.partner_uuid = l.partner_uuid
                and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid limit 1) is null
from audit_log as l;

-- A position without an event: replicas that know the end of the app's list in memory notice that the app is gone.
create function app_events_deleted() returns trigger language plpgsql as $$
begin
    insert into public.event_position (source, about_uuid, event_uuid) values ('APP', old.app_uuid, old.app_uuid);
    return null;
end $$;

create function event_inserted() returns trigger language plpgsql as $$
begin
    case tg_argv[0]
        when 'STAFF' then
            insert into public.event_position (source, about_uuid, event_uuid)
            values ('STAFF', new.partner_uuid, new.record_uuid);
        when 'APP' then
            insert into public.event_position (source, about_uuid, event_uuid)
            values ('APP', new.app_uuid, new.event_uuid);
        else
            insert into public.event_position (source, about_uuid, event_uuid)
            values (tg_argv[0], new.partner_uuid, new.event_uuid);
    end case;
    return null;
end $$;

-- Returns some objects of each kind and match: equal names, names that begin with the text, and, if these are fewer
-- than five, names that contain it, then names that match each of its words. `email` is the text in the form in which
-- e-mail addresses are compared. The planner cannot estimate the number of matches, so the function prevents it from
-- scanning whole tables.
create function find_named(kinds text[], sought text, email text, id uuid)
    returns table (kind text, uuid uuid, matched text)
    language plpgsql stable rows 25
    set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan
    as $$
    declare
        called text := public.folded(normalize(sought, nfkc));
        -- Slugs, client ids and e-mail addresses have no accents to remove.
        written text := lower(sought);
        behind text := called || chr(1114111);
        containing text := '%' || regexp_replace(called, '([\\%_])', '\\\1', 'g') || '%';
        patterns text[] := public.sought_patterns(sought);
        longest text := patterns[1];
        wanted text;
        hits bigint;
        added bigint;
    begin
        foreach wanted in array kinds loop
            return query select distinct wanted, hit.uuid, 'EXACT' from (
                (select n.uuid from public.named_thing as n where n.kind = wanted and n.uuid = id and n.is_there limit 1)
                union all (select n.uuid from public.named_thing as n
                        where n.kind = wanted and n.word = coalesce(email, written) and n.is_there limit 5)
                union all (select n.uuid from public.named_thing as n
                        where n.kind = wanted and n.name = called and n.is_there limit 10)) as hit;
            get diagnostics hits = row_count;
            return query select wanted, n.uuid, 'PREFIX' from public.named_thing as n
            where n.kind = wanted and n.name > called and n.name < behind and n.is_there order by n.name, n.uuid limit 10;
            get diagnostics added = row_count;
            hits := hits + added;
            if wanted = 'USER' then
                return query select wanted, n.uuid, 'PREFIX' from public.named_thing as n
                where n.kind = 'USER' and n.address > written and n.address < written || chr(1114111) and n.is_there
                order by n.address limit 5;
            end if;
            -- The index needs at least three letters.
            if hits < 5 and length(called) >= 3 then
                return query select wanted, n.uuid, 'PART' from public.named_thing as n
                where n.kind = wanted and n.name like containing and n.is_there limit 20;
                get diagnostics added = row_count;
                hits := hits + added;
            end if;
            if hits < 5 and length(longest) >= 3 then
                return query select wanted, n.uuid, 'SIMILAR' from public.named_thing as n
                where n.kind = wanted and n.name ~ longest and n.name ~ all (patterns) and n.is_there limit 20;
            end if;
        end loop;
    end
    $$;

create function partner_activity_begun() returns trigger language plpgsql as $$
begin
    insert into public.partner_activity (partner_uuid, active_at) values (new.partner_uuid, new.created_at);
    return null;
end
$$;

create function partner_signed_in() returns trigger language plpgsql as $$
begin
    update public.partner_activity set active_at = new.last_sign_in_at
    where partner_uuid = new.partner_uuid and active_at < date_trunc('day', new.last_sign_in_at, 'UTC');
    return null;
end
$$;

-- Counts objects: the arguments are the name of the count, and the columns whose values are its key.
create function platform_counted() returns trigger language plpgsql as $$
begin
    insert into public.platform_change (what, key, number)
    select tg_argv[0], string_agg(coalesce(side.thing ->> named.name, ''), ':' order by named.place), side.number
    from (values (case when tg_op <> 'INSERT' then to_jsonb(old) end, -1),
                 (case when tg_op <> 'DELETE' then to_jsonb(new) end, 1)) as side (thing, number)
    cross join unnest(tg_argv[1:]) with ordinality as named (name, place)
    where side.thing is not null
    group by side.number;
    return null;
end
$$;

-- Counts events: the arguments are the name of the count, and the column with the time.
create function platform_happened() returns trigger language plpgsql as $$
begin
    insert into public.platform_change (what, key, number)
    values (tg_argv[0], ((to_jsonb(new) ->> tg_argv[1])::timestamptz at time zone 'UTC')::date::text, 1);
    return null;
end
$$;

-- A registration is confirmed when the first user of a company has verified an address.
create function platform_registered() returns trigger language plpgsql as $$
begin
    if not exists (
        select from public.person as h
        where h.partner_uuid = new.partner_uuid
            and (h.email_verified_at, h.person_uuid) < (new.email_verified_at, new.person_uuid))
    then
        insert into public.platform_change (what, key, number)
        values ('REGISTRATION', (new.email_verified_at at time zone 'UTC')::date::text, 1);
    end if;
    return null;
end
$$;

grant select, insert, update (place), delete on event_position to labs_service;
grant select, insert, update, delete on operation_day to labs_service;
grant select, insert, update on partner_activity to labs_service;
grant select, insert, update, delete on platform_change to labs_service;
grant select, insert, update on platform_count to labs_service;
grant select on named_thing to labs_service;
grant select on partner_account_history to labs_service;

------------------------------------------------------------------------------------------------------------------------
-- Compatibility: the oldest program that runs on the database after each migration.
-- Oldest program: 11
------------------------------------------------------------------------------------------------------------------------

-- A program that does not know a migration reads here whether it may run on the database all the same. A program has the
-- number of its last migration. The program that runs the migrations writes the rows, so that an older program can
-- read them.
create table migration_compatibility (
    version bigint not null,
    oldest_program bigint not null,
    constraint migration_compatibility_pkey primary key (version),
    constraint migration_compatibility_oldest_program_check check (oldest_program > 0)
);

grant select on migration_compatibility to labs_service;
