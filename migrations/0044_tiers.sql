-- Tier and feature management: view of a tier, the tier to which a cancelled subscription falls back, and the length of
-- a period.
set lock_timeout = '10s';

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

-- Same function as before; the fallback tier is now data, like every tier.
create or replace function partner_tier(of_partner uuid, moment timestamptz) returns uuid
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

reset lock_timeout;
