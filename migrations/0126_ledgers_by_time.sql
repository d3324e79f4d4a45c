-- Logs are partitioned by time, so that expired data is dropped as whole partitions and never deleted row by row; a
-- statement about one moment reads only its partition, regardless of the amount of older data.
--
-- A log whose rows have UUIDs of version 7 is partitioned by them, which keeps its primary key. The three tables of the
-- audit log are partitioned at the same bounds, so that a record, its differences and its seal are in partitions with
-- one suffix. The existing rows become the first partition. A row for which no partition was created in time is stored
-- in the partition `_others`, and is moved once a partition exists.
set lock_timeout = '10s';
set timezone = 'UTC';

-- All tables at once, or none: requests lock them in other orders than this migration, and both would wait for each
-- other.
do $$
begin
    for attempt in 1..100 loop
        begin
            lock table partner, person in share row exclusive mode nowait;
            lock table audit_log, audit_change, audit_seal, mail_message, security_event, request_usage
                in access exclusive mode nowait;
            return;
        exception when lock_not_available then
            perform pg_sleep(0.05);
        end;
    end loop;
    lock table partner, person in share row exclusive mode;
    lock table audit_log, audit_change, audit_seal, mail_message, security_event, request_usage in access exclusive mode;
end $$;

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

-- Partitions a table. `primary_key` is the key of the whole table; `until` is the end of the first partition, which
-- contains the existing rows.
create procedure ledger_part(of_table text, key_column text, key_kind text, primary_key text, until timestamptz)
    language plpgsql
    as $$
    declare
        first constant text := of_table || '_first';
        others constant text := of_table || '_others';
        bound constant text := ledger_bound(key_kind, until);
        indexes text[];
        foreign_keys text[];
        name text;
        definition text;
    begin
        select coalesce(array_agg(pg_get_indexdef(i.indexrelid)), '{}') into indexes
        from pg_index as i
        where i.indrelid = of_table::regclass
            and not exists (select from pg_constraint as c where c.conindid = i.indexrelid);
        select coalesce(array_agg(format('constraint %I %s', c.conname, pg_get_constraintdef(c.oid))), '{}') into foreign_keys
        from pg_constraint as c
        where c.conrelid = of_table::regclass and c.contype = 'f';

        execute format('alter table %I rename to %I', of_table, first);
        for name in select relname from pg_class as c join pg_index as i on i.indexrelid = c.oid
            where i.indrelid = first::regclass loop
            execute format('alter index %I rename to %I', name, first || substr(name, length(of_table) + 1));
        end loop;
        execute format('revoke all on %I from labs_service', first);

        execute format('create table %I (like %I including all excluding indexes excluding identity) partition by range (%I)',
            of_table, first, key_column);
        execute format('alter table %I add constraint %I primary key (%s)', of_table, of_table || '_pkey', primary_key);
        foreach definition in array indexes loop
            execute definition;
        end loop;
        foreach definition in array foreign_keys loop
            execute format('alter table %I add %s', of_table, definition);
        end loop;

        execute format('create table %I (like %I including defaults including constraints including indexes)', others,
            of_table);
        perform ledger_complete(of_table, '_others');
        execute format('with moved as (delete from %I where %I >= %L returning *) insert into %I select * from moved',
            first, key_column, bound, others);
        execute format('alter table %I attach partition %I default', of_table, others);
        execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', of_table, first, bound);
    end $$;

-- The audit log. Differences refer to records within their partition.
drop view audit_canonical;
drop view partner_history_shown;
alter table audit_change drop constraint audit_change_record_fkey;
alter table audit_change alter column position drop identity;
alter table audit_seal drop constraint audit_seal_pkey;
alter table audit_seal drop constraint audit_seal_record_key;
alter table audit_seal add constraint audit_seal_pkey primary key (record_uuid);
do $$
declare
    until constant timestamptz := date_trunc('quarter', now() + interval '30 days', 'UTC') + interval '3 months';
    last_position bigint;
begin
    call ledger_part('audit_log', 'record_uuid', 'uuid', 'record_uuid', until);
    call ledger_part('audit_change', 'record_uuid', 'uuid', 'record_uuid, position', until);
    call ledger_part('audit_seal', 'record_uuid', 'uuid', 'record_uuid', until);
    perform ledger_complete('audit_change', '_first');
    perform ledger_complete('audit_seal', '_first');
    select coalesce(max(position), 0) into last_position from audit_change;
    execute format('alter table audit_change alter column position add generated always as identity (start with %s)',
        last_position + 1);
end $$;

-- Every filter of the list has an index in its order, since few records may have a given channel, code or kind of
-- actor.
create index audit_log_code_idx on audit_log (code, recorded_at desc, record_uuid desc) where code is not null;
create index audit_log_channel_idx on audit_log (channel, recorded_at desc, record_uuid desc);
create index audit_log_actor_kind_idx on audit_log (actor_kind, recorded_at desc, record_uuid desc);

-- As in 0001.
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

-- As in 0080.
create view partner_history_shown as
select
    e.partner_uuid, 'ACCOUNT'::text as event_group, e.event_uuid, e.occurred_at, e.kind, e.actor_kind, e.actor_uuid,
    e.subject_uuid, null::text as operation, e.reason, e.detail, true as is_told
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
        and l.operation !~ '^(admin_(notes_|partners_put_labels$)|partner_support_desk_post_message$)'
        and (l.operation ~ '^admin_users_' or (
            select true from partner_event as e where e.partner_uuid = l.partner_uuid
                and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid limit 1) is null)
        and (
            select true from subscription_event as e where e.partner_uuid = l.partner_uuid
                and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid limit 1) is null
from audit_log as l;

grant select on partner_history_shown, audit_canonical, audit_log, audit_change, audit_seal to labs_service;
grant insert (record_uuid, operation, channel, outcome, code, actor_kind, actor_uuid, actor_label, scope, target_kind,
    target_uuid, target_label, partner_uuid, reason, request_id, address, parameters) on audit_log to labs_service;
grant insert on audit_change, audit_seal to labs_service;

-- A change of a row in a partition counts as a change of the table.
create or replace function audit_capture() returns trigger language plpgsql as $$
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

-- The other logs.
drop trigger mail_message_audit on mail_message;
do $$
declare
    soon constant timestamptz := now() + interval '30 days';
begin
    call ledger_part('mail_message', 'message_uuid', 'uuid', 'message_uuid',
        date_trunc('quarter', soon, 'UTC') + interval '3 months');
    call ledger_part('security_event', 'event_uuid', 'uuid', 'event_uuid',
        date_trunc('month', soon, 'UTC') + interval '1 month');
    call ledger_part('request_usage', 'day', 'date', 'day, account, operation',
        date_trunc('month', soon, 'UTC') + interval '1 month');
end $$;
drop procedure ledger_part;
call audit_watch('mail_message', 'message_uuid', 'update or delete');
grant select, insert, update, delete on mail_message to labs_service;
grant select, insert, update, delete on request_usage to labs_service;
grant select, insert on security_event to labs_service;

-- An older release that still runs deletes old rows by their physical position, which now names rows of several
-- partitions.
create function request_usage_kept() returns trigger
    language plpgsql set search_path = pg_catalog, pg_temp
    as $$
    begin
        return case
            when current_user <> 'labs_service' or old.day < (public.labs_now() at time zone 'UTC')::date - 760 then old
        end;
    end $$;
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

reset lock_timeout;
reset timezone;
