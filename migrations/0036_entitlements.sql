-- Entitlements of a partner at a future moment: the functions take a scheduled change and the end of a cancelled period
-- into account. The current values do not change: until the change is applied, the subscription's tier decides.
set lock_timeout = '10s';

-- The tier of a partner at a moment, based on the changes that are known now.
create function partner_tier(of_partner uuid, moment timestamptz) returns uuid
    language sql stable parallel safe
    as $$
        select case
            when moment <= public.labs_now() then s.tier_uuid
            when s.pending_at <= moment then s.pending_tier_uuid
            when s.state = 'CANCELLING' and s.period_end <= moment
                then (select t.tier_uuid from public.tier as t where t.code = 'FREE')
            else s.tier_uuid
        end
        from public.subscription as s
        where s.partner_uuid = of_partner
    $$;

-- Same function as before, which the guards also use, with the tier of the given moment. For the current moment, no
-- scheduled change matters.
create or replace function partner_entitlement(of_partner uuid, moment timestamptz)
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

reset lock_timeout;
