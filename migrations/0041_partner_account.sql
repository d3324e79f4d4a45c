-- A partner's account under its team's hands: where its bills go, whom to turn to, what happened to it, how it ends.
set lock_timeout = '10s';

alter table partner
    -- {recipient, street, addition, postal_code, city, region, country}; empty where bills go to the company's address.
    add column billing_address jsonb not null default '{}'
        constraint partner_billing_address_check check (jsonb_typeof(billing_address) = 'object'),
    -- While SUSPENDED or CLOSED: what it was before, and goes back to.
    add column former_state text
        constraint partner_former_state_check check (former_state in ('ACTIVE', 'SUSPENDED', 'CLOSING'));

-- What the job looks for that closes accounts.
create index partner_closes_at_idx on partner (closes_at) where state = 'CLOSING';

-- How many days an account waits before it is closed, and for how many a closed one can be opened again.
insert into service_setting (key, value) values ('partner.closing_days', '14'), ('partner.reopening_days', '30');

-- Whom to turn to about bills, the technical side and safety. They are addresses, not people who sign in.
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
    -- An address is named once for each kind.
    constraint partner_contact_email_key unique (partner_uuid, kind, email_normalised)
);
create index partner_contact_partner_idx on partner_contact (partner_uuid, created_at desc, contact_uuid desc);

-- Nothing of a partner that is not active is on the storefront, whoever publishes it at this very moment: the partner
-- is held, so that a publication and a suspension see one another.
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

-- What a team may read of what happened to its account, the latest first, up to 101 of each source: its own history,
-- that of its subscription, and what staff did with it or looked at. A history is written in the transaction of its
-- audit record and bears the same moment, so what tells its own story is not told twice. Labels, and what staff note
-- for one another, are theirs alone.
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
