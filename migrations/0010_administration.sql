-- Administration: counts and search for the platform overview.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

-- Counts of objects by state, and of events by day. Each change is inserted as a separate row, so that no writer waits
-- for another's commit; the job PLATFORM_COUNTS adds the rows to the counts. Readers add up both.
create table platform_count (
    what text not null,
    -- A state, a tier or a day (2026-11-24), depending on `what`.
    key text collate "C" not null,
    number bigint not null,
    constraint platform_count_pkey primary key (what, key)
) with (fillfactor = 70);

create table platform_change (
    what text not null,
    key text collate "C" not null,
    number bigint not null
);

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
create trigger partner_counted after insert or delete on partner
    for each row execute function platform_counted('PARTNER', 'state');
create trigger partner_recounted after update on partner for each row when (old.state is distinct from new.state)
    execute function platform_counted('PARTNER', 'state');
create trigger person_counted after insert or delete on person
    for each row execute function platform_counted('PERSON', 'kind', 'state');
create trigger person_recounted after update on person
    for each row when ((old.kind, old.state) is distinct from (new.kind, new.state))
    execute function platform_counted('PERSON', 'kind', 'state');
create trigger subscription_counted after insert or delete on subscription
    for each row execute function platform_counted('SUBSCRIPTION', 'tier_uuid');
create trigger subscription_recounted after update on subscription
    for each row when (old.tier_uuid is distinct from new.tier_uuid)
    execute function platform_counted('SUBSCRIPTION', 'tier_uuid');
create trigger app_counted after insert or delete on app
    for each row execute function platform_counted('APP', 'state');
create trigger app_recounted after update on app for each row when (old.state is distinct from new.state)
    execute function platform_counted('APP', 'state');
create trigger listing_counted after insert or delete on listing
    for each row execute function platform_counted('LISTING', 'visible');
create trigger listing_recounted after update on listing for each row when (old.visible is distinct from new.visible)
    execute function platform_counted('LISTING', 'visible');

-- Counts events: the arguments are the name of the count, and the column with the time.
create function platform_happened() returns trigger language plpgsql as $$
begin
    insert into public.platform_change (what, key, number)
    values (tg_argv[0], ((to_jsonb(new) ->> tg_argv[1])::timestamptz at time zone 'UTC')::date::text, 1);
    return null;
end
$$;
create trigger app_happened after insert on app
    for each row execute function platform_happened('CREATION', 'created_at');
create trigger app_version_published after insert on app_version
    for each row when (new.state = 'PUBLISHED') execute function platform_happened('PUBLICATION', 'published_at');
create trigger app_version_republished after update on app_version
    for each row when (new.state = 'PUBLISHED' and old.state <> 'PUBLISHED')
    execute function platform_happened('PUBLICATION', 'published_at');

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
create trigger person_registered after insert on person
    for each row when (new.partner_uuid is not null and new.email_verified_at is not null)
    execute function platform_registered();
create trigger person_confirmed after update on person
    for each row when (new.partner_uuid is not null and old.state = 'UNVERIFIED' and old.email_verified_at is null
        and new.email_verified_at is not null)
    execute function platform_registered();

-- Requests per operation and day, with their results: written with the request counts every few seconds. It names no
-- account. `up_to_5` counts responses within five milliseconds, `up_to_10` those above five and within ten.
create table operation_day (
    day date not null,
    operation text not null,
    requests bigint not null default 0,
    client_errors bigint not null default 0,
    server_errors bigint not null default 0,
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
) with (fillfactor = 70);
comment on column operation_day.client_errors is 'Responses with a 4xx status except 429.';
comment on column operation_day.refusals is 'Responses with status 429.';

-- Day of each partner's last activity: a sign-in of one of its users, or a request. It is written only if the day
-- changes.
create table partner_activity (
    partner_uuid uuid constraint partner_activity_pkey primary key
        constraint partner_activity_partner_fkey references partner on delete cascade,
    active_at timestamptz not null
) with (fillfactor = 70);
create index partner_activity_active_at_idx on partner_activity (active_at, partner_uuid);

create function partner_activity_begun() returns trigger language plpgsql as $$
begin
    insert into public.partner_activity (partner_uuid, active_at) values (new.partner_uuid, new.created_at);
    return null;
end
$$;
create trigger partner_activity_begun after insert on partner
    for each row execute function partner_activity_begun();

create function partner_signed_in() returns trigger language plpgsql as $$
begin
    update public.partner_activity set active_at = new.last_sign_in_at
    where partner_uuid = new.partner_uuid and active_at < date_trunc('day', new.last_sign_in_at, 'UTC');
    return null;
end
$$;
create trigger person_signed_in after update on person
    for each row when (new.partner_uuid is not null and new.last_sign_in_at is distinct from old.last_sign_in_at)
    execute function partner_signed_in();

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
grant select, insert, update on platform_count to labs_service;
grant select, insert, update, delete on platform_change to labs_service;
grant select, insert, update, delete on operation_day to labs_service;
grant select, insert, update on partner_activity to labs_service;
grant select on named_thing to labs_service;

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
grant select on partner_account_history to labs_service;

-- Positions of events, in which clients follow the lists of events of an account, its subscription and an app. Positions
-- are assigned after the commit, in the order of `entry_id` (docs/decisions/api.md#events-in-the-order-of-their-positions).
-- An event is inserted under the lock of the row that it is about, so this order is the order of the changes of a row.
-- The events are in different tables, and `about_uuid` is a partner or an app, so there are no foreign keys.
create table event_position (
    entry_id bigint generated always as identity constraint event_position_pkey primary key,
    source text not null
        constraint event_position_source_check check (source in ('ACCOUNT', 'SUBSCRIPTION', 'STAFF', 'APP')),
    -- The partner; of the events of an app, the app.
    about_uuid uuid not null,
    event_uuid uuid not null,
    place bigint,
    constraint event_position_place_check check (place > 0)
);
-- An index of an expression, which the planner cannot use to read one list in the order of `place`: it would read the
-- positions of all lists, if it overestimates the share of this one.
create unique index event_position_place_key on event_position ((place + 0));
create index event_position_about_idx on event_position (about_uuid, place);
create index event_position_subscription_idx on event_position (about_uuid, place) where source = 'SUBSCRIPTION';
create index event_position_unsealed_idx on event_position (entry_id) where place is null;
create index event_position_staff_idx on event_position (event_uuid) where source = 'STAFF';
grant select, insert, update (place), delete on event_position to labs_service;

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
create trigger partner_event_position after insert on partner_event
    for each row execute function event_inserted('ACCOUNT');
create trigger subscription_event_position after insert on subscription_event
    for each row execute function event_inserted('SUBSCRIPTION');
create trigger app_event_position after insert on app_event
    for each row execute function event_inserted('APP');
create trigger audit_log_position after insert on audit_log
    for each row when (new.partner_uuid is not null and new.outcome = 'SUCCEEDED')
    execute function event_inserted('STAFF');

-- A position without an event: replicas that know the end of the app's list in memory notice that the app is gone.
create function app_events_deleted() returns trigger language plpgsql as $$
begin
    insert into public.event_position (source, about_uuid, event_uuid) values ('APP', old.app_uuid, old.app_uuid);
    return null;
end $$;
create trigger app_events_deleted after delete on app for each row execute function app_events_deleted();

reset check_function_bodies;
reset lock_timeout;
reset timezone;
