-- History of a partner's account, for its team and for staff: event, actor and reason.
set lock_timeout = '10s';

create table partner_event (
    event_uuid uuid constraint partner_event_pkey primary key,
    partner_uuid uuid not null constraint partner_event_partner_fkey references partner on delete cascade,
    occurred_at timestamptz not null default labs_now(),
    kind text not null constraint partner_event_kind_check check (kind ~ '^[A-Z][A-Z_]*$'),
    actor_kind text not null constraint partner_event_actor_kind_check
        check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM', 'ANONYMOUS')),
    actor_uuid uuid,
    -- The object of the event, if it is not the account itself: a user, an invitation, a contact.
    subject_uuid uuid,
    -- The reason that staff gave; the partner reads it.
    reason text,
    -- Further data for a reader, without personal data: these rows outlive an erasure.
    detail jsonb not null default '{}' constraint partner_event_detail_check check (jsonb_typeof(detail) = 'object')
);
create index partner_event_partner_idx on partner_event (partner_uuid, occurred_at desc, event_uuid desc);

grant select, insert on partner_event to labs_service;

reset lock_timeout;
