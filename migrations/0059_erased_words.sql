-- Erasure also removes the reasons in a partner's histories. A registration with dependent data is distinguished from a
-- registration that may be deleted. A data export contains nothing about a user from before they joined.
set lock_timeout = '10s';

-- Whether a company has no dependent data except the user who registered it. Staff may have invited a user, locked the
-- company or requested its data export since; staff then decide about the company.
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

-- Time since when a user is in a partner's team: the acceptance of its last invitation, or the creation of the user.
create function person_joined_at(of_person uuid, of_partner uuid) returns timestamptz
    language sql stable parallel safe
    as $$
        select coalesce(max(i.state_changed_at), '-infinity')
        from public.invitation as i
        where i.person_uuid = of_person and i.partner_uuid = of_partner and i.state = 'ACCEPTED'
    $$;

-- Removes reasons from the histories: staff write them, and they may name people. The service may not update the
-- histories, so the function runs as their owner, and only for an erased partner. The events stay.
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
