-- Reasons and notes of staff stay with staff unless their operation declares that the partner reads them
-- (`@partner_reads`); the same applies to operations that are hidden from the partner (`@hidden_from_partner`). The
-- declarations are part of the schema, so readers of this view pass the disclosed operations and the operations with a
-- disclosed reason.
set lock_timeout = '10s';

-- Replaces `partner_history_shown`, which stays for an older release that runs next to a newer one. A record is not
-- shown if an event of the account's history, written in the same transaction, is about the same object, or if an event
-- of the subscription is. So a staff operation on a user is shown next to its consequences. The registration of a
-- company follows from the verification of its administrator, and both are shown.
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

-- The reasons of these events were written for staff. The audit log keeps them.
update partner_event set reason = null
where actor_kind = 'STAFF_USER' and kind in ('REINSTATED', 'REOPENED', 'ERASED') and reason is not null;

reset lock_timeout;
