-- A partner's own account management: billing address, contacts, history and closing.
set lock_timeout = '10s';

alter table partner
    -- {recipient, street, addition, postal_code, city, region, country}; empty if bills are sent to the company's
    -- address.
    add column billing_address jsonb not null default '{}'
        constraint partner_billing_address_check check (jsonb_typeof(billing_address) = 'object'),
    -- In state SUSPENDED or CLOSED: the previous state, which reinstating or reopening restores.
    add column former_state text
        constraint partner_former_state_check check (former_state in ('ACTIVE', 'SUSPENDED', 'CLOSING'));

-- Used by the job that closes accounts.
create index partner_closes_at_idx on partner (closes_at) where state = 'CLOSING';

-- Number of days until a closing account is closed, and number of days in which a closed one can be reopened.
insert into service_setting (key, value) values ('partner.closing_days', '14'), ('partner.reopening_days', '30');

-- Contacts for billing, technical questions and security. They are addresses, not users who sign in.
create table partner_contact (
    contact_uuid uuid constraint partner_contact_pkey primary key,
    partner_uuid uuid not null constraint partner_contact_partner_fkey references partner on delete cascade,
    kind text not null constraint partner_contact_kind_check check (kind in ('BILLING', 'TECHNICAL', 'SECURITY')),
    name text not null constraint partner_contact_name_check check (length(name) between 1 and 200),
    email text not null,
    email_normalised text not null,
    phone text,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- An address occurs once per kind.
    constraint partner_contact_email_key unique (partner_uuid, kind, email_normalised)
);
create index partner_contact_partner_idx on partner_contact (partner_uuid, created_at desc, contact_uuid desc);

-- The storefront shows nothing of a partner that is not active, even if a publication runs at the same moment: the
-- trigger locks the partner's row, so that a publication and a suspension see each other.
create function listing_standing() returns trigger language plpgsql as $$
begin
    perform from public.partner
    where partner_uuid = new.partner_uuid and state in ('ACTIVE', 'CLOSING')
    for share;
    if not found then
        new.visible := false;
    end if;
    return new;
end $$;
create trigger listing_standing before insert or update of visible on listing
    for each row when (new.visible) execute function listing_standing();

-- The events of its account that a team may read, newest first, up to 101 from each source: its own history, the
-- history of its subscription, and staff operations that changed or read it. A history event is written in the
-- transaction of its audit record and has the same time, so a record with its own event is not listed twice. Labels and
-- staff notes are visible to staff only.
create function partner_history(of_partner uuid, groups text[], kinds text[], actors text[], since timestamptz,
    until timestamptz, before_at timestamptz, before_uuid uuid)
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
             null::text, e.reason, jsonb_strip_nulls(jsonb_build_object('from_tier_code', f.code, 'to_tier_code', t.code))
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
             and not exists (select from public.partner_event as e where e.partner_uuid = of_partner
                 and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid)
             and not exists (select from public.subscription_event as e where e.partner_uuid = of_partner
                 and e.occurred_at = l.recorded_at and e.actor_uuid = l.actor_uuid)
         order by l.recorded_at desc, l.record_uuid desc limit 101)
    $$;

call audit_watch('partner_contact', 'contact_uuid');

grant select, insert, update, delete on partner_contact to labs_service;

reset lock_timeout;
