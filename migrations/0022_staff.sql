-- Staff member management: the view of a staff member, and the sort orders of the list.
set lock_timeout = '10s';

create view staff_member_shown as
select
    p.person_uuid, p.name, p.email, p.state, p.created_at, p.updated_at, p.last_sign_in_at,
    f.confirmed_at as second_factor_confirmed_at,
    coalesce((
        select jsonb_agg(jsonb_build_object('code', r.role_code, 'name', r.name, 'scopes', r.scopes) order by r.role_code)
        from staff_role_grant as g
        join staff_role as r on r.role_code = g.role_code
        where g.person_uuid = p.person_uuid
    ), '[]') as roles,
    (
        select count(*) from session as s
        where s.person_uuid = p.person_uuid and s.ended_at is null
            and s.expires_at > labs_now() and s.idle_expires_at > labs_now()
    ) as sessions_count,
    (
        select max(t.expires_at) from one_time_token as t
        where t.person_uuid = p.person_uuid and t.purpose = 'STAFF_INVITATION' and t.used_at is null
            and p.state = 'INVITED'
    ) as invitation_expires_at
from person as p
left join totp_factor as f on f.person_uuid = p.person_uuid and f.confirmed_at is not null
where p.kind = 'STAFF_USER' and p.state <> 'REMOVED';

create index person_staff_name_idx on person (lower(name), person_uuid) where kind = 'STAFF_USER';
create index person_staff_last_sign_in_at_idx on person
    (coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz) desc, person_uuid desc)
    where kind = 'STAFF_USER';

grant select on staff_member_shown to labs_service;

reset lock_timeout;
