-- A team sees a staff operation on one of its users even if a resulting event is in the account's history: an event
-- about a revoked invitation says neither that its sender was locked nor why.
set lock_timeout = '10s';

-- Same function as before, except that it leaves out none of those records.
create or replace function partner_history(of_partner uuid, groups text[], kinds text[], actors text[],
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

reset lock_timeout;
