-- User management: the view of a user, the state that a lock remembers, and the sort orders of the list.
set lock_timeout = '10s';

-- Whether the team had suspended the user before staff locked them: unlocking restores that state.
alter table person add column was_suspended boolean not null default false;

-- A change of address that staff started belongs to no session of the user, so every session ends when it takes effect.
alter table email_change alter column session_uuid drop not null;

-- The account of the counted failures, extracted once at write time. All failures of an account can be found and
-- deleted together, from all networks.
alter table sign_in_failure
    add column account text generated always as (substring(subject from '^account:([^@]+@[^@]+)')) stored,
    add column person_uuid uuid
        generated always as (substring(subject from '^second_factor:([0-9a-f-]{36})')::uuid) stored,
    add column network cidr generated always as (substring(subject from
        '^(?:network:|account:[^@]+@[^@]+@|second_factor:[^@]+@)([0-9a-f.:]+(?:/[0-9]+)?)$')::cidr) stored;
create index sign_in_failure_account_idx on sign_in_failure (account) where account is not null;
create index sign_in_failure_person_idx on sign_in_failure (person_uuid) where person_uuid is not null;

-- A removed user no longer has an e-mail address: the address is free again.
create view user_shown as
select
    p.person_uuid, p.kind, p.name, p.email, p.email_verified_at,
    (
        select max(e.new_email) from one_time_token as t
        join email_change as e on e.change_uuid = t.subject_uuid
        where t.person_uuid = p.person_uuid and t.purpose = 'CHANGE_EMAIL' and t.used_at is null
            and t.expires_at > labs_now() and e.state = 'PENDING'
    ) as pending_email,
    p.partner_uuid, c.company_name, p.role, p.state, p.locale, f.confirmed_at as second_factor_confirmed_at,
    (
        select count(*) from session as s
        where s.person_uuid = p.person_uuid and s.ended_at is null
            and s.expires_at > labs_now() and s.idle_expires_at > labs_now()
    ) as sessions_count,
    greatest(
        (select max(h.held_until) from sign_in_failure as h
            where h.account = p.email_normalised and h.held_until > labs_now()),
        (select max(h.held_until) from sign_in_failure as h
            where h.person_uuid = p.person_uuid and h.held_until > labs_now())
    ) as sign_in_held_until,
    p.last_sign_in_at, p.created_at, p.updated_at
from person as p
left join partner as c on c.partner_uuid = p.partner_uuid
left join totp_factor as f on f.person_uuid = p.person_uuid and f.confirmed_at is not null
where p.state <> 'REMOVED';

create index person_listed_created_at_idx on person (created_at desc, person_uuid desc);
create index person_listed_name_idx on person (lower(name), person_uuid);
create index person_listed_last_sign_in_at_idx on person
    (coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz) desc, person_uuid desc);

grant select on user_shown to labs_service;

reset lock_timeout;
