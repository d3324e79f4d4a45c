-- What was said of an erased partner goes out of its histories too; a registration on which something hangs is told
-- from one that may be dropped; and an archive tells nothing of a person from before they joined.
set lock_timeout = '10s';

-- Whether nothing hangs on a company but the person who registered it. Staff may have invited somebody, held it back or
-- asked for its archive meanwhile; such a company is theirs to settle.
create function registration_is_bare(of_partner uuid, of_person uuid) returns boolean
    language sql stable parallel safe
    as $$
        select exists (select from public.partner as p where p.partner_uuid = of_partner and p.state = 'ACTIVE')
            and not exists (select from public.person as o
                where o.partner_uuid = of_partner and o.person_uuid <> of_person)
            and not exists (select from public.machine_client as c where c.partner_uuid = of_partner)
            and not exists (select from public.invitation as i where i.partner_uuid = of_partner)
            and not exists (select from public.data_export as d where d.partner_uuid = of_partner)
            and not exists (select from public.support_ticket as t where t.partner_uuid = of_partner)
    $$;

-- Since when a person is in a partner's team: since they accepted its last invitation, or since they are there at all.
create function person_joined_at(of_person uuid, of_partner uuid) returns timestamptz
    language sql stable parallel safe
    as $$
        select coalesce(max(i.state_changed_at), '-infinity')
        from public.invitation as i
        where i.person_uuid = of_person and i.partner_uuid = of_partner and i.state = 'ACCEPTED'
    $$;

-- Reasons are written by staff and may name people. The histories are closed to the service once they are written, so
-- they are taken away in the owner's name, and for nobody who is not erased. That something happened stays.
create function history_anonymised(of_partner uuid) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    begin
        if not exists (select from public.partner where partner_uuid = of_partner and state = 'ERASED') then
            raise insufficient_privilege using message = 'only what belongs to an erased partner is made anonymous';
        end if;
        update public.partner_event set reason = null where partner_uuid = of_partner and reason is not null;
        update public.subscription_event set reason = null where partner_uuid = of_partner and reason is not null;
    end $$;
revoke execute on function history_anonymised from public;
grant execute on function history_anonymised to labs_service;

reset lock_timeout;
