-- Staff role management: the last staff member who can grant roles cannot be removed.
set lock_timeout = '10s';

-- Whether a set of scopes lets its holder grant roles and admit staff members.
create function staff_scopes_grant(scopes text[]) returns boolean
    language sql immutable parallel safe
    as $$ select scopes && array['labs.admin:write', 'labs.admin.staff:write'] $$;

-- Database guard of the rule "the last staff member who can grant roles stays"; the rule in code is the first guard.
-- The check runs at the end of the transaction, and only if a staff member may have lost the right to grant. It locks
-- the row of the remaining one: if two staff members revoke the right from each other at the same time, the second
-- commit finds no granter and fails.
create function staff_granter_kept() returns trigger language plpgsql as $$
declare
    before jsonb := to_jsonb(old);
begin
    -- A change of a row that could never grant needs no check.
    if tg_table_name = 'person' then
        perform from public.staff_role_grant as g join public.staff_role as r on r.role_code = g.role_code
        where g.person_uuid = (before ->> 'person_uuid')::uuid and public.staff_scopes_grant(r.scopes);
    elsif tg_table_name = 'staff_role_grant' then
        perform from public.staff_role where role_code = before ->> 'role_code' and public.staff_scopes_grant(scopes);
    else
        perform from public.staff_role_grant where role_code = before ->> 'role_code';
    end if;
    if not found then
        return null;
    end if;
    perform from public.person as p
    join public.staff_role_grant as g on g.person_uuid = p.person_uuid
    join public.staff_role as r on r.role_code = g.role_code
    where p.kind = 'STAFF_USER' and p.state = 'ACTIVE' and public.staff_scopes_grant(r.scopes)
    order by p.person_uuid
    limit 1
    for share;
    if not found then
        raise check_violation using
            message = 'somebody who can grant always stays',
            table = 'staff_role_grant', constraint = 'staff_granter_check';
    end if;
    return null;
end $$;

create constraint trigger person_granter_kept after update on person
    deferrable initially deferred for each row
    when (old.kind = 'STAFF_USER' and old.state = 'ACTIVE' and new.state <> 'ACTIVE')
    execute function staff_granter_kept();
create constraint trigger staff_role_grant_granter_kept after update or delete on staff_role_grant
    deferrable initially deferred for each row execute function staff_granter_kept();
create constraint trigger staff_role_granter_kept after update on staff_role
    deferrable initially deferred for each row
    when (staff_scopes_grant(old.scopes) and not staff_scopes_grant(new.scopes))
    execute function staff_granter_kept();

reset lock_timeout;
