-- View of sign-in blocks for staff, with the affected users. Only a few blocks exist at a time, for minutes at most.
set lock_timeout = '10s';

create view sign_in_block_shown as
select
    f.block_uuid,
    case when f.account is not null then 'ACCOUNT' when f.person_uuid is not null then 'SECOND_FACTOR' else 'NETWORK' end
        as kind,
    coalesce(f.account, h.email) as email, coalesce(a.person_uuid, h.person_uuid) as person_uuid,
    coalesce(a.name, h.name) as person_name, c.partner_uuid, c.company_name, f.network, f.failures, f.last_failed_at,
    f.held_until
from sign_in_failure as f
left join person as a on a.email_normalised = f.account and a.state <> 'REMOVED'
left join person as h on h.person_uuid = f.person_uuid
left join partner as c on c.partner_uuid = coalesce(a.partner_uuid, h.partner_uuid);

create index sign_in_failure_held_until_idx on sign_in_failure (held_until) where held_until is not null;

grant select on sign_in_block_shown to labs_service;

reset lock_timeout;
