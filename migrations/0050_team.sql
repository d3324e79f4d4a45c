-- A team and its invitations, as the team and staff see them.
set lock_timeout = '10s';

-- The row of an expired invitation stays PENDING until it is swept, and readers see EXPIRED.
create view invitation_shown as
select
    i.invitation_uuid, i.partner_uuid, i.email, i.role, i.locale, i.invited_by, p.name as inviter_name, i.person_uuid,
    case when i.state = 'PENDING' and i.expires_at <= labs_now() then 'EXPIRED' else i.state end as state,
    case when i.state = 'PENDING' and i.expires_at <= labs_now() then i.expires_at else i.state_changed_at end
        as state_changed_at,
    i.created_at, i.sent_at, i.expires_at
from invitation as i
left join person as p on p.person_uuid = i.invited_by;

grant select on invitation_shown to labs_service;

reset lock_timeout;
