-- Budget management: reset of a daily budget, owner of an account, and use of a budget.
set lock_timeout = '10s';

-- Number of resets of the daily budget. Portions that replicas took before a reset belong to the former budget. They
-- are never given back to the new budget, because that would increase it by requests that others have spent.
alter table daily_budget
    add column resets integer not null default 0
        constraint daily_budget_resets_check check (resets >= 0);

-- A replica that has a portion of the former budget drops it. The account name is the payload of the notification.
create function daily_budget_reset() returns trigger language plpgsql as $$
begin
    perform pg_catalog.pg_notify('authority', new.account);
    return null;
end $$;
create trigger daily_budget_authority_insert after insert on daily_budget
    for each row when (new.resets > 0) execute function daily_budget_reset();
create trigger daily_budget_authority_update after update of resets on daily_budget
    for each row when (old.resets is distinct from new.resets) execute function daily_budget_reset();

-- Same view as before, with the tier's own limits and with the use of today's budget. The day is counted from 1970, as
-- a replica counts it.
create or replace view partner_rate_limit as
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

-- Use of every account's daily budget. `daily_requests` is null for accounts with a separate budget instead of a
-- tier's.
create view budget_use as
select
    b.day, b.account, split_part(b.account, ':', 1) as kind, b.granted as used, b.resets,
    l.daily_requests, l.daily_source, l.tier_code
from daily_budget as b
left join partner_rate_limit as l
    on l.partner_uuid = case when b.account like 'partner:%' then substr(b.account, 9)::uuid end;

grant select on budget_use to labs_service;

reset lock_timeout;
