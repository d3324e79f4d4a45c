-- Subscriptions: tiers, features, entitlements, changes of a subscription.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

create table tier (
    tier_uuid uuid constraint tier_pkey primary key,
    code text not null constraint tier_code_key unique
        constraint tier_code_check check (code ~ '^[A-Z][A-Z0-9_]{0,39}$'),
    name text not null constraint tier_name_check check (length(name) between 1 and 80),
    description text not null default '',
    state text not null default 'DRAFT'
        constraint tier_state_check check (state in ('DRAFT', 'OFFERED', 'RETIRED')),
    price_amount_minor bigint not null default 0 constraint tier_price_check check (price_amount_minor >= 0),
    currency text not null default 'EUR' constraint tier_currency_check check (currency ~ '^[A-Z]{3}$'),
    billing_period text not null default 'NONE'
        constraint tier_billing_period_check check (billing_period in ('MONTH', 'YEAR', 'NONE')),
    burst_per_second integer not null constraint tier_burst_per_second_check check (burst_per_second > 0),
    daily_requests bigint not null constraint tier_daily_requests_check check (daily_requests > 0),
    -- Whether a partner may choose the tier without staff; staff decide about the others.
    self_service boolean not null default false,
    -- Position on the pricing page, and whether the page highlights the tier.
    position integer not null default 0,
    highlighted boolean not null default false,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now()
);
create index tier_position_idx on tier (position, tier_uuid);
create index tier_created_at_idx on tier (created_at desc, tier_uuid desc);

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

-- A feature is defined once and has a value in each tier; if a tier sets no value, the default applies. A SCOPE feature
-- names the scope that it grants. A tier can grant nothing under labs.admin.
create table feature (
    feature_code text constraint feature_pkey primary key
        constraint feature_code_check check (feature_code ~ '^[a-z][a-z0-9_]{0,59}$'),
    kind text not null constraint feature_kind_check check (kind in ('FLAG', 'LIMIT', 'SCOPE')),
    name text not null constraint feature_name_check check (length(name) between 1 and 80),
    description text not null default '',
    unit text,
    scope text constraint feature_scope_key unique,
    default_value jsonb not null,
    position integer not null default 0,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint feature_scope_check check ((kind = 'SCOPE') = (scope is not null)
        and scope ~ '^[a-z][a-z-]*(\.[a-z-]+)*(:write)?$' and scope !~ '^labs(\.|:|$)'),
    constraint feature_default_value_check check (feature_value_fits(kind, default_value))
);
create index feature_position_idx on feature (position, feature_code);

create table tier_feature (
    tier_uuid uuid not null constraint tier_feature_tier_fkey references tier on delete cascade,
    feature_code text not null constraint tier_feature_feature_fkey references feature,
    value jsonb not null,
    constraint tier_feature_pkey primary key (tier_uuid, feature_code)
);
create index tier_feature_feature_idx on tier_feature (feature_code);

-- One subscription per partner. After a cancellation the period runs to its end and the subscription falls back to the
-- free tier. The two pending columns contain a scheduled change.
create table subscription (
    partner_uuid uuid constraint subscription_pkey primary key
        constraint subscription_partner_fkey references partner on delete cascade,
    tier_uuid uuid not null constraint subscription_tier_fkey references tier,
    state text not null default 'ACTIVE'
        constraint subscription_state_check check (state in ('ACTIVE', 'CANCELLING')),
    started_at timestamptz not null default labs_now(),
    period_start timestamptz not null default labs_now(),
    -- Null for a tier without a period.
    period_end timestamptz,
    pending_tier_uuid uuid constraint subscription_pending_tier_fkey references tier,
    pending_at timestamptz,
    updated_at timestamptz not null default labs_now(),
    -- The moment from which periods are counted; null means the start of the current period.
    period_anchor timestamptz,
    constraint subscription_period_check check (period_end > period_start),
    constraint subscription_pending_check check (pending_at is null or pending_tier_uuid is not null),
    -- A scheduled change has a tier and a date. A cancellation removes it, and a cancelled subscription ends at its
    -- period end instead. So at most one change is scheduled at a time.
    constraint subscription_pending_pair_check check ((pending_at is null) = (pending_tier_uuid is null)),
    constraint subscription_cancelling_check
        check (state = 'ACTIVE' or (period_end is not null and pending_tier_uuid is null))
);
create index subscription_tier_idx on subscription (tier_uuid, started_at desc, partner_uuid desc);
create index subscription_pending_tier_idx on subscription (pending_tier_uuid) where pending_tier_uuid is not null;
create index subscription_period_end_idx on subscription (period_end) where period_end is not null;

-- History of the subscription.
create table subscription_event (
    event_uuid uuid constraint subscription_event_pkey primary key,
    partner_uuid uuid not null constraint subscription_event_partner_fkey references partner on delete cascade,
    occurred_at timestamptz not null default labs_now(),
    kind text not null constraint subscription_event_kind_check check (kind ~ '^[A-Z][A-Z_]*$'),
    from_tier_uuid uuid constraint subscription_event_from_tier_fkey references tier,
    to_tier_uuid uuid constraint subscription_event_to_tier_fkey references tier,
    actor_kind text not null constraint subscription_event_actor_kind_check
        check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM', 'ANONYMOUS')),
    actor_uuid uuid,
    reason text,
    detail jsonb not null default '{}'
);
create index subscription_event_partner_idx on subscription_event (partner_uuid, occurred_at desc, event_uuid desc);
create index subscription_event_from_tier_idx on subscription_event (from_tier_uuid);
create index subscription_event_to_tier_idx on subscription_event (to_tier_uuid);

-- Overrides for one partner. An expired override has no effect, whether or not it was swept.
create table entitlement_override (
    partner_uuid uuid not null constraint entitlement_override_partner_fkey references partner on delete cascade,
    feature_code text not null constraint entitlement_override_feature_fkey references feature,
    value jsonb not null,
    reason text not null,
    set_by uuid constraint entitlement_override_set_by_fkey references person on delete set null,
    set_at timestamptz not null default labs_now(),
    expires_at timestamptz,
    constraint entitlement_override_pkey primary key (partner_uuid, feature_code)
);
create index entitlement_override_feature_idx on entitlement_override (feature_code);
create index entitlement_override_set_by_idx on entitlement_override (set_by);

-- Null means the value of the tier.
create table rate_limit_override (
    partner_uuid uuid constraint rate_limit_override_pkey primary key
        constraint rate_limit_override_partner_fkey references partner on delete cascade,
    burst_per_second integer
        constraint rate_limit_override_burst_per_second_check check (burst_per_second > 0),
    daily_requests bigint constraint rate_limit_override_daily_requests_check check (daily_requests >= 0),
    reason text not null,
    set_by uuid constraint rate_limit_override_set_by_fkey references person on delete set null,
    set_at timestamptz not null default labs_now(),
    expires_at timestamptz,
    constraint rate_limit_override_limit_check check (num_nonnulls(burst_per_second, daily_requests) > 0)
);
create index rate_limit_override_set_by_idx on rate_limit_override (set_by);

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
create trigger tier_feature_value before insert or update on tier_feature
    for each row execute function feature_value_checked();
create trigger entitlement_override_value before insert or update on entitlement_override
    for each row execute function feature_value_checked();

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

-- Use of every account's daily budget. `daily_requests` is null for accounts with a separate budget instead of a
-- tier's.
create view budget_use as
select
    b.day, b.account, split_part(b.account, ':', 1) as kind, b.granted as used, b.resets, b.warned_at,
    l.daily_requests, l.daily_source, l.tier_code
from daily_budget as b
left join partner_rate_limit as l
    on l.partner_uuid = case when b.account like 'partner:%' then substr(b.account, 9)::uuid end;
grant select on budget_use to labs_service;

-- The three initial tiers. Their ids are fixed, so that tests and tools may name them.
insert into tier (tier_uuid, code, name, description, state, price_amount_minor, currency, billing_period,
    burst_per_second, daily_requests, self_service, position, highlighted) values
    ('01980000-0000-7000-8000-000000000001', 'FREE', 'Free',
        'Everything to build, publish and maintain an app, at no cost.',
        'OFFERED', 0, 'EUR', 'NONE', 5, 5000, true, 1, false),
    ('01980000-0000-7000-8000-000000000002', 'GROWTH', 'Growth',
        'For products with customers: usage statistics, larger budgets and a larger team.',
        'OFFERED', 4900, 'EUR', 'MONTH', 25, 100000, true, 2, true),
    ('01980000-0000-7000-8000-000000000003', 'SCALE', 'Scale',
        'No caps, the largest budgets and a contact who knows your product. Agreed with our team.',
        'OFFERED', 24900, 'EUR', 'MONTH', 100, 2000000, false, 3, false);

insert into feature (feature_code, kind, name, description, unit, scope, default_value, position) values
    ('apps', 'LIMIT', 'Apps', 'Apps that are not archived.', 'apps', null, '0', 10),
    ('team_members', 'LIMIT', 'Team members', 'People in the team, invited ones included.', 'people', null, '1', 20),
    ('media_megabytes', 'LIMIT', 'Media storage', 'Icons, screenshots and banners.', 'megabytes', null, '50', 30),
    ('early_access', 'FLAG', 'Early access', 'New parts of the interface before everyone has them.', null, null,
        'false', 40),
    ('priority_support', 'FLAG', 'Priority support', 'Tickets are answered first.', null, null, 'false', 50),
    ('dedicated_contact', 'FLAG', 'Dedicated contact', 'One person who knows your product.', null, null, 'false', 60),
    ('account_access', 'SCOPE', 'Account', 'One''s own account.', null, 'auth.account:write', 'false', 100),
    ('partner_access', 'SCOPE', 'Company and team', 'Company data, team, profile, security, support.', null,
        'partner:write', 'false', 110),
    ('subscription_access', 'SCOPE', 'Subscription', 'The subscription, its usage and its changes.', null,
        'subscription:write', 'false', 120),
    ('marketplace_access', 'SCOPE', 'Marketplace', 'Apps, versions, media and replies to reviews.', null,
        'marketplace:write', 'false', 130),
    ('storefront_access', 'SCOPE', 'Storefront', 'Published listings, as customers see them.', null,
        'storefront', 'false', 140),
    ('publication_access', 'SCOPE', 'Developer resources', 'Changelog and resources for partners.', null,
        'publication:write', 'false', 150),
    ('engagement_access', 'SCOPE', 'Feature-request board', 'Proposals, votes and comments.', null,
        'engagement:write', 'false', 160),
    ('statistics_access', 'SCOPE', 'Statistics', 'How many customers use your apps.', null,
        'statistics:write', 'false', 170);

insert into tier_feature (tier_uuid, feature_code, value)
select t.tier_uuid, v.feature_code, case t.code when 'FREE' then v.free when 'GROWTH' then v.growth else v.scale end
from tier as t
cross join (values
    ('apps', '3'::jsonb, '20'::jsonb, '"unlimited"'::jsonb),
    ('team_members', '3', '15', '"unlimited"'),
    ('media_megabytes', '100', '2000', '"unlimited"'),
    ('early_access', 'false', 'true', 'true'),
    ('priority_support', 'false', 'false', 'true'),
    ('dedicated_contact', 'false', 'false', 'true'),
    ('statistics_access', 'false', 'true', 'true')
) as v (feature_code, free, growth, scale)
union all
select t.tier_uuid, f.feature_code, 'true'
from tier as t
cross join feature as f
where f.kind = 'SCOPE' and f.feature_code <> 'statistics_access';

-- A change of a tier, a subscription or an override reaches every replica within a second.
create trigger tier_authority after update on tier
    for each row when ((old.burst_per_second, old.daily_requests)
        is distinct from (new.burst_per_second, new.daily_requests))
    execute function authority_changed('tier', 'tier_uuid');
create trigger feature_authority_update after update on feature
    for each row when ((old.kind, old.scope, old.default_value)
        is distinct from (new.kind, new.scope, new.default_value))
    execute function authority_changed('tier', '*');
create trigger feature_authority after insert or delete on feature
    for each row execute function authority_changed('tier', '*');
create trigger tier_feature_authority after insert or update or delete on tier_feature
    for each row execute function authority_changed('tier', 'tier_uuid');
create trigger subscription_authority after update on subscription
    for each row when ((old.tier_uuid, old.state) is distinct from (new.tier_uuid, new.state))
    execute function authority_changed('partner', 'partner_uuid');
create trigger entitlement_override_authority after insert or update or delete on entitlement_override
    for each row execute function authority_changed('partner', 'partner_uuid');
create trigger rate_limit_override_authority after insert or update or delete on rate_limit_override
    for each row execute function authority_changed('partner', 'partner_uuid');
call audit_watch('tier', 'tier_uuid');
call audit_watch('feature');
call audit_watch('tier_feature', 'tier_uuid');
call audit_watch('subscription', 'partner_uuid');
call audit_watch('entitlement_override', 'partner_uuid');
call audit_watch('rate_limit_override', 'partner_uuid');
grant select, insert, update, delete on tier, feature, tier_feature, subscription, entitlement_override,
    rate_limit_override to labs_service;
grant select, insert on subscription_event to labs_service;
grant select on tier_entitlement, tier_scope, partner_rate_limit to labs_service;

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
grant select on tier_shown to labs_service;
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
call audit_watch('tier_change_request', 'request_uuid');
grant select, insert, update on tier_change_request to labs_service;
grant select on tier_change_request_shown, subscription_shown to labs_service;

create table tier_catalogue (
    is_only boolean not null default true,
    turn bigint not null default 0,
    constraint tier_catalogue_pkey primary key (is_only),
    constraint tier_catalogue_is_only_check check (is_only)
);

insert into tier_catalogue default values;

grant select, update on tier_catalogue to labs_service;

reset check_function_bodies;
reset lock_timeout;
reset timezone;
