-- Changes of subscriptions: immediate, at a date, at the end of a period, and tier change requests of partners.
set lock_timeout = '10s';

alter table subscription
    -- The moment from which periods are counted; null means the start of the current period.
    add column period_anchor timestamptz,
    -- A scheduled change has a tier and a date. A cancellation removes it, and a cancelled subscription ends at its
    -- period end instead. So at most one change is scheduled at a time.
    add constraint subscription_pending_pair_check check ((pending_at is null) = (pending_tier_uuid is null)),
    add constraint subscription_cancelling_check
        check (state = 'ACTIVE' or (period_end is not null and pending_tier_uuid is null));
create index subscription_pending_at_idx on subscription (pending_at) where pending_at is not null;
-- Sort orders of the staff list.
create index subscription_started_at_idx on subscription (started_at desc, partner_uuid desc);
create index subscription_end_idx on subscription (coalesce(period_end, 'infinity'), partner_uuid);

-- Tier change request of a partner. If staff decide, the request is pending; if the partner may choose the tier without
-- staff, the request is applied at once.
create table tier_change_request (
    request_uuid uuid constraint tier_change_request_pkey primary key,
    partner_uuid uuid not null constraint tier_change_request_partner_fkey references partner on delete cascade,
    from_tier_uuid uuid not null constraint tier_change_request_from_tier_fkey references tier,
    to_tier_uuid uuid not null constraint tier_change_request_to_tier_fkey references tier,
    message text not null default '' constraint tier_change_request_message_check check (length(message) <= 2000),
    state text not null default 'PENDING' constraint tier_change_request_state_check
        check (state in ('PENDING', 'APPLIED', 'REJECTED', 'WITHDRAWN')),
    actor_kind text not null constraint tier_change_request_actor_kind_check
        check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    actor_uuid uuid not null,
    created_at timestamptz not null default labs_now(),
    decided_at timestamptz,
    -- Reason of the staff decision; the partner reads it.
    decision_reason text,
    constraint tier_change_request_decided_check check ((state = 'PENDING') = (decided_at is null))
);
create index tier_change_request_partner_idx on tier_change_request (partner_uuid, created_at desc, request_uuid desc);
create index tier_change_request_from_tier_idx on tier_change_request (from_tier_uuid);
create index tier_change_request_to_tier_idx on tier_change_request (to_tier_uuid);
-- Staff list: undecided requests first.
create index tier_change_request_decided_at_idx
    on tier_change_request (coalesce(decided_at, 'infinity') desc, request_uuid);
-- One undecided request per partner.
create unique index tier_change_request_pending_key on tier_change_request (partner_uuid) where state = 'PENDING';

-- Current name of an actor.
create function actor_name(kind text, actor uuid) returns text
    language sql stable parallel safe
    as $$
        select case kind
            when 'MACHINE_CLIENT' then (select c.name from public.machine_client as c where c.client_uuid = actor)
            else (select p.name from public.person as p where p.person_uuid = actor)
        end
    $$;

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
        select 'media_megabytes', ceil(coalesce(sum(m.size_bytes), 0) / 1048576.0)::bigint
        from public.app as a
        join public.media as m on m.app_uuid = a.app_uuid
        where a.partner_uuid = of_partner and m.removed_at is null
    $$;

call audit_watch('tier_change_request', 'request_uuid');

grant select, insert, update on tier_change_request to labs_service;
grant select on tier_change_request_shown, subscription_shown to labs_service;

reset lock_timeout;
