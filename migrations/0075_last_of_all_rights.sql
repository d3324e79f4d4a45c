-- The last staff member with the full scope `labs.admin:write` stays, like the last granter: no other staff member
-- could ever grant it again. The check runs where the granters are checked, at the end of the transaction and with the
-- same lock.
set lock_timeout = '10s';

create function staff_whole_kept() returns trigger language plpgsql as $$
declare
    before jsonb := to_jsonb(old);
begin
    -- A change of a row without the full scope needs no check.
    if tg_table_name = 'person' then
        perform from public.staff_role_grant as g join public.staff_role as r on r.role_code = g.role_code
        where g.person_uuid = (before ->> 'person_uuid')::uuid and 'labs.admin:write' = any(r.scopes);
    elsif tg_table_name = 'staff_role_grant' then
        perform from public.staff_role where role_code = before ->> 'role_code' and 'labs.admin:write' = any(scopes);
    else
        perform from public.staff_role_grant where role_code = before ->> 'role_code';
    end if;
    if not found then
        return null;
    end if;
    perform from public.person as p
    join public.staff_role_grant as g on g.person_uuid = p.person_uuid
    join public.staff_role as r on r.role_code = g.role_code
    where p.kind = 'STAFF_USER' and p.state = 'ACTIVE' and 'labs.admin:write' = any(r.scopes)
    order by p.person_uuid
    limit 1
    for share;
    if not found then
        raise check_violation using
            message = 'somebody who holds everything always stays',
            table = 'staff_role_grant', constraint = 'staff_whole_check';
    end if;
    return null;
end $$;

create constraint trigger person_whole_kept after update on person
    deferrable initially deferred for each row
    when (old.kind = 'STAFF_USER' and old.state = 'ACTIVE' and new.state <> 'ACTIVE')
    execute function staff_whole_kept();
create constraint trigger staff_role_grant_whole_kept after update or delete on staff_role_grant
    deferrable initially deferred for each row execute function staff_whole_kept();
create constraint trigger staff_role_whole_kept after update on staff_role
    deferrable initially deferred for each row
    when ('labs.admin:write' = any(old.scopes) and not 'labs.admin:write' = any(new.scopes))
    execute function staff_whole_kept();

reset lock_timeout;
