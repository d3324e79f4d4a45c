-- A team's security policy. The requirement at sign-in stays with its session, because a policy takes effect at the
-- next sign-in of each member and not during their work.
set lock_timeout = '10s';

alter table session add column mfa_required boolean not null default false;

-- Every new session gets the policy of that moment. For staff members a second factor is always required; no column
-- decides that.
create function session_policy() returns trigger language plpgsql as $$
begin
    select coalesce(p.mfa_required, false) into new.mfa_required
    from public.person as h
    left join public.partner as p on p.partner_uuid = h.partner_uuid
    where h.person_uuid = new.person_uuid;
    return new;
end $$;
create trigger session_policy before insert on session for each row execute function session_policy();

-- Open sessions keep the policy that applies to them now.
update session as s set mfa_required = true
from person as h
join partner as p on p.partner_uuid = h.partner_uuid
where h.person_uuid = s.person_uuid and p.mfa_required and s.ended_at is null;

reset lock_timeout;
