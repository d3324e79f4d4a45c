-- Removes the content of support messages of an erased partner; the fact that they were written stays. The service may
-- not update messages and notes, so the function runs as their owner, and only for an erased partner.
set lock_timeout = '10s';

create function support_anonymised(of_partner uuid) returns void
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $$
    begin
        if not exists (select from public.partner where partner_uuid = of_partner and state = 'ERASED') then
            raise insufficient_privilege using message = 'only what belongs to an erased partner is made anonymous';
        end if;
        update public.support_ticket set subject = 'Erased' where partner_uuid = of_partner;
        update public.support_message as m set body = 'Erased'
        from public.support_ticket as t
        where t.partner_uuid = of_partner and m.ticket_uuid = t.ticket_uuid;
        delete from public.support_note as n using public.support_ticket as t
        where t.partner_uuid = of_partner and n.ticket_uuid = t.ticket_uuid;
    end $$;
revoke execute on function support_anonymised from public;
grant execute on function support_anonymised to labs_service;

reset lock_timeout;
