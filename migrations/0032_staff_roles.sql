-- Roles as staff see them: with the number of holders, and the first hundred holders by name.
set lock_timeout = '10s';

create view staff_role_shown as
select
    r.role_code, r.name, r.description, r.scopes, r.created_at, r.updated_at,
    (select count(*) from staff_role_grant as g where g.role_code = r.role_code) as holders_count,
    coalesce((
        select jsonb_agg(to_jsonb(h) order by h.name, h.person_uuid)
        from (
            select p.person_uuid, p.name, p.state
            from staff_role_grant as g
            join person as p on p.person_uuid = g.person_uuid
            where g.role_code = r.role_code
            order by p.name, p.person_uuid
            limit 100
        ) as h
    ), '[]') as holders
from staff_role as r;

grant select on staff_role_shown to labs_service;

reset lock_timeout;
