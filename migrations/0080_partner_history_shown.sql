-- History of a partner's account as a view, so that a list filters and sorts it like any other. The function
-- `partner_history` returns the same events; it stays for an older release that runs next to a newer one.
set lock_timeout = '10s';

-- Each part is one table without conditions: only then does the planner read all three by their indexes, in the order
-- of the page, and stop when it is full. So the exclusion of staff operations is a column, which every list filters by,
-- and whether the histories have their own event is looked up row by row.
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

grant select on partner_history_shown to labs_service;

reset lock_timeout;
