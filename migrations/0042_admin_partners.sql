-- Partner management: view and search of partners, staff notes, the complete history, and the data that remains after
-- an erasure.
set lock_timeout = '10s';

create table partner_note (
    note_uuid uuid constraint partner_note_pkey primary key,
    partner_uuid uuid not null constraint partner_note_partner_fkey references partner on delete cascade,
    author_uuid uuid constraint partner_note_author_fkey references person on delete set null,
    body text not null constraint partner_note_body_check check (length(body) between 1 and 10000),
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now()
);
create index partner_note_partner_idx on partner_note (partner_uuid, created_at desc, note_uuid desc);
create index partner_note_author_idx on partner_note (author_uuid);

-- Further sort orders of the staff list.
create index partner_company_name_idx on partner (lower(company_name), partner_uuid);
create index partner_state_changed_at_idx on partner (state_changed_at desc, partner_uuid desc);

-- A partner as staff see it: with its subscription, and the number of rows of each kind that belong to it.
create view partner_shown as
select
    p.partner_uuid, p.slug, p.company_name, p.legal_form, p.registration_number, p.vat_id, p.country, p.address,
    p.billing_address, p.billing_email, p.website, p.state, p.state_reason, p.state_changed_at, p.closes_at, p.labels,
    p.created_at, p.updated_at, t.code as tier_code, t.name as tier_name, s.state as subscription_state,
    s.started_at as subscription_started_at, s.period_end as subscription_period_end,
    (select count(*) from person as h where h.partner_uuid = p.partner_uuid and h.state <> 'REMOVED') as members_count,
    (select count(*) from invitation as i where i.partner_uuid = p.partner_uuid and i.state = 'PENDING'
        and i.expires_at > labs_now()) as invitations_count,
    (select count(*) from app as a where a.partner_uuid = p.partner_uuid and a.state <> 'ARCHIVED') as apps_count,
    (select count(*) from listing as l where l.partner_uuid = p.partner_uuid and l.visible) as listings_count,
    (select count(*) from machine_client as c where c.partner_uuid = p.partner_uuid and c.state = 'ACTIVE')
        as machine_clients_count,
    (select count(*) from partner_contact as c where c.partner_uuid = p.partner_uuid) as contacts_count,
    (select count(*) from partner_note as n where n.partner_uuid = p.partner_uuid) as notes_count
from partner as p
left join subscription as s on s.partner_uuid = p.partner_uuid
left join tier as t on t.tier_uuid = s.tier_uuid;

-- The complete history of a partner, newest first, up to `most` from each source: its own history, its subscription's,
-- its apps', the security events and the audit log. Without `most` everything is counted.
create function partner_timeline(of_partner uuid, groups text[], kinds text[], since timestamptz, until timestamptz,
    before_at timestamptz, before_uuid uuid, most integer)
    returns table (event_group text, event_uuid uuid, occurred_at timestamptz, kind text, outcome text, actor_kind text,
        actor_uuid uuid, actor_label text, subject_kind text, subject_uuid uuid, reason text, detail jsonb)
    language sql stable
    as $$
        (select 'ACCOUNT', e.event_uuid, e.occurred_at, e.kind, 'SUCCEEDED', e.actor_kind, e.actor_uuid, null::text,
             null::text, e.subject_uuid, e.reason, e.detail
         from public.partner_event as e
         where e.partner_uuid = of_partner and (groups is null or 'ACCOUNT' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'SUBSCRIPTION', e.event_uuid, e.occurred_at, e.kind, 'SUCCEEDED', e.actor_kind, e.actor_uuid, null,
             null, null, e.reason, jsonb_strip_nulls(e.detail
                 || jsonb_build_object('from_tier_code', f.code, 'to_tier_code', t.code))
         from public.subscription_event as e
         left join public.tier as f on f.tier_uuid = e.from_tier_uuid
         left join public.tier as t on t.tier_uuid = e.to_tier_uuid
         where e.partner_uuid = of_partner and (groups is null or 'SUBSCRIPTION' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'MARKETPLACE', e.event_uuid, e.occurred_at, e.kind, 'SUCCEEDED', e.actor_kind, e.actor_uuid, null,
             'APP', a.app_uuid, null, e.detail
         from public.app as a
         cross join lateral (
             select * from public.app_event as h
             where h.app_uuid = a.app_uuid and (kinds is null or h.kind = any(kinds))
                 and h.occurred_at >= since and h.occurred_at < until
                 and (h.occurred_at, h.event_uuid) < (before_at, before_uuid)
             order by h.occurred_at desc, h.event_uuid desc limit most) as e
         where a.partner_uuid = of_partner and (groups is null or 'MARKETPLACE' = any(groups))
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'SECURITY', e.event_uuid, e.occurred_at, e.kind, e.outcome, null, null, null,
             case when e.client_uuid is not null then 'MACHINE_CLIENT' when e.person_uuid is not null then 'PERSON' end,
             coalesce(e.client_uuid, e.person_uuid), null, '{}'
         from public.security_event as e
         where e.partner_uuid = of_partner and (groups is null or 'SECURITY' = any(groups))
             and (kinds is null or e.kind = any(kinds)) and e.occurred_at >= since and e.occurred_at < until
             and (e.occurred_at, e.event_uuid) < (before_at, before_uuid)
         order by e.occurred_at desc, e.event_uuid desc limit most)
        union all
        (select 'AUDIT', l.record_uuid, l.recorded_at, l.operation, l.outcome, l.actor_kind, l.actor_uuid, l.actor_label,
             upper(l.target_kind), l.target_uuid, l.reason,
             jsonb_strip_nulls(jsonb_build_object('code', l.code, 'channel', l.channel))
         from public.audit_log as l
         where l.partner_uuid = of_partner and (groups is null or 'AUDIT' = any(groups))
             and (kinds is null or l.operation = any(kinds)) and l.recorded_at >= since and l.recorded_at < until
             and (l.recorded_at, l.record_uuid) < (before_at, before_uuid)
         order by l.recorded_at desc, l.record_uuid desc limit most)
    $$;

-- Removes personal data about the users of an erased partner from the security events. The service may not update these
-- rows, so the function runs as their owner, and only for an erased partner.
create function security_event_anonymised(of_partner uuid) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    begin
        if not exists (select from public.partner where partner_uuid = of_partner and state = 'ERASED') then
            raise insufficient_privilege using message = 'only what belongs to an erased partner is made anonymous';
        end if;
        update public.security_event set address = null, user_agent = null, detail = '{}'
        where partner_uuid = of_partner;
        update public.security_event as e set address = null, user_agent = null, detail = '{}'
        from public.person as p
        where p.partner_uuid = of_partner and e.person_uuid = p.person_uuid
            and e.partner_uuid is distinct from of_partner;
    end $$;
revoke execute on function security_event_anonymised from public;
grant execute on function security_event_anonymised to labs_service;

call audit_watch('partner_note', 'note_uuid');

grant select, insert, update, delete on partner_note to labs_service;
grant select on partner_shown to labs_service;

reset lock_timeout;
