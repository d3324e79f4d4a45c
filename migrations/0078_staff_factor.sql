-- Staff members as they are shown: whether a second factor is active is looked up for each row that is read. With a
-- join, the planner read all factors of all users if it expected many staff members.
set lock_timeout = '10s';

create or replace view staff_member_shown as
select
    p.person_uuid, p.name, p.email, p.state, p.created_at, p.updated_at, p.last_sign_in_at,
    (select f.confirmed_at from totp_factor as f where f.person_uuid = p.person_uuid) as second_factor_confirmed_at,
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
where p.kind = 'STAFF_USER' and p.state <> 'REMOVED';

reset lock_timeout;
