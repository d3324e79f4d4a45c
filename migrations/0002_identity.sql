-- Identity: users, sessions, second factors, staff members and their roles, machine clients.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

-- A partner: the company that builds software here. It is never deleted. Erasure makes its personal data anonymous and
-- keeps the row, so that audit records, votes and statistics still count.
create table partner (
    partner_uuid uuid constraint partner_pkey primary key,
    slug text not null constraint partner_slug_key unique
        constraint partner_slug_check check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
    company_name text not null constraint partner_company_name_check check (length(company_name) between 1 and 200),
    legal_form text,
    registration_number text,
    vat_id text,
    country text constraint partner_country_check check (country ~ '^[A-Z]{2}$'),
    -- {street, addition, postal_code, city, region}, each of them text and optional.
    address jsonb not null default '{}' constraint partner_address_check check (jsonb_typeof(address) = 'object'),
    billing_email text,
    website text,
    state text not null default 'ACTIVE'
        constraint partner_state_check check (state in ('ACTIVE', 'SUSPENDED', 'CLOSING', 'CLOSED', 'ERASED')),
    state_reason text,
    state_changed_at timestamptz not null default labs_now(),
    -- In state CLOSING, the time at which the account closes. In state CLOSED, the end of the period in which it can be
    -- reopened.
    closes_at timestamptz,
    labels text[] not null default '{}',
    -- The security policy takes effect at the next sign-in of each member.
    mfa_required boolean not null default false,
    session_hours integer constraint partner_session_hours_check check (session_hours between 1 and 720),
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- {recipient, street, addition, postal_code, city, region, country}; empty if bills are sent to the company's
    -- address.
    billing_address jsonb not null default '{}'
        constraint partner_billing_address_check check (jsonb_typeof(billing_address) = 'object'),
    -- In state SUSPENDED or CLOSED: the previous state, which reinstating or reopening restores.
    former_state text
        constraint partner_former_state_check check (former_state in ('ACTIVE', 'SUSPENDED', 'CLOSING')),
    verified_at timestamptz,
    name_skeletons text[],
    pending_company_name text
        constraint partner_pending_company_name_check check (length(pending_company_name) between 1 and 200),
    pending_name_since timestamptz,
    constraint partner_closes_at_check check (state <> 'CLOSING' or closes_at is not null),
    constraint partner_pending_name_whole check ((pending_company_name is null) = (pending_name_since is null))
);
alter table mail_message
    add constraint mail_message_partner_fkey foreign key (partner_uuid) references partner on delete set null;
alter table mail_message
    add constraint mail_message_about_partner_fkey foreign key (about_partner_uuid) references partner on delete set null;
create index partner_created_at_idx on partner (created_at desc, partner_uuid desc);
create index partner_state_idx on partner (state, created_at desc, partner_uuid desc);

-- A user. `email` is as the user wrote it, `email_normalised` is the form that is compared. An address is free again
-- once its user is removed. `role` is set for team members, staff roles for staff members, never both.
create table person (
    person_uuid uuid constraint person_pkey primary key,
    kind text not null constraint person_kind_check check (kind in ('PARTNER_USER', 'STAFF_USER')),
    partner_uuid uuid constraint person_partner_fkey references partner,
    email text not null,
    email_normalised text not null,
    name text not null constraint person_name_check check (length(name) between 1 and 200),
    locale text not null default 'en',
    time_zone text not null default 'UTC',
    role text constraint person_role_check
        check (role in ('ADMINISTRATOR', 'DEVELOPER', 'EDITOR', 'ACCOUNTANT', 'VIEWER')),
    state text not null constraint person_state_check
        check (state in ('UNVERIFIED', 'INVITED', 'ACTIVE', 'SUSPENDED', 'LOCKED', 'DISABLED', 'REMOVED')),
    password_hash text,
    password_changed_at timestamptz,
    email_verified_at timestamptz,
    last_sign_in_at timestamptz,
    -- Whether the feature-request board shows the name next to the company's.
    show_name boolean not null default false,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    -- Whether the team had suspended the user before staff locked them: unlocking restores that state.
    was_suspended boolean not null default false,
    board_mail boolean not null default false,
    quota_mail boolean not null default true,
    constraint person_belonging_check check (case kind
        when 'PARTNER_USER' then partner_uuid is not null and role is not null
        else partner_uuid is null and role is null end),
    -- INVITED and DISABLED are states of staff members, UNVERIFIED and SUSPENDED of team members.
    constraint person_kind_state_check check (case kind
        when 'PARTNER_USER' then state not in ('INVITED', 'DISABLED')
        else state not in ('UNVERIFIED', 'SUSPENDED') end)
);
alter table mail_message
    add constraint mail_message_person_fkey foreign key (person_uuid) references person on delete set null;
create index person_partner_idx on person (partner_uuid, created_at desc, person_uuid desc);
create index person_created_at_idx on person (kind, created_at desc, person_uuid desc);

-- Database guard of the rule "a partner always keeps one active administrator"; the rule in code is the first guard.
-- The check runs at the end of the transaction, and only if an active administrator of that partner stops being one. A
-- partner that waits for its first verification is therefore not affected. Staff may lock even the last administrator,
-- because a compromised account is worse than a team without an administrator. The check locks the row of the remaining
-- administrator: if two administrators demote each other at the same time, one of them fails.
create function person_administrator_kept() returns trigger language plpgsql as $$
begin
    perform from public.partner where partner_uuid = old.partner_uuid and state in ('CLOSED', 'ERASED');
    if found then
        return null;
    end if;
    perform from public.person
    where partner_uuid = old.partner_uuid and role = 'ADMINISTRATOR' and state = 'ACTIVE'
    order by person_uuid
    limit 1
    for share;
    if not found then
        raise check_violation using
            message = 'a partner always keeps one active administrator',
            table = 'person', constraint = 'person_administrator_check';
    end if;
    return null;
end $$;
create constraint trigger person_administrator_update after update on person
    deferrable initially deferred for each row
    when (old.role = 'ADMINISTRATOR' and old.state = 'ACTIVE' and new.state <> 'LOCKED'
        and (new.role, new.state, new.partner_uuid) is distinct from (old.role, old.state, old.partner_uuid))
    execute function person_administrator_kept();
create constraint trigger person_administrator_delete after delete on person
    deferrable initially deferred for each row
    when (old.role = 'ADMINISTRATOR' and old.state = 'ACTIVE')
    execute function person_administrator_kept();

-- Second factor. It is active once confirmed. The last used step is stored, so that a code works once.
create table totp_factor (
    person_uuid uuid constraint totp_factor_pkey primary key
        constraint totp_factor_person_fkey references person on delete cascade,
    secret_sealed bytea not null,
    confirmed_at timestamptz,
    last_step bigint,
    created_at timestamptz not null default labs_now()
);

create table recovery_code (
    person_uuid uuid not null constraint recovery_code_person_fkey references person on delete cascade,
    code_sha256 bytea not null constraint recovery_code_sha256_check check (octet_length(code_sha256) = 32),
    used_at timestamptz,
    created_at timestamptz not null default labs_now(),
    constraint recovery_code_pkey primary key (person_uuid, code_sha256)
);

-- A sign-in, and the family of refresh cookies that it issued. The cookie contains the id and the counter. Rotation
-- locks the row and increments the counter. The fill factor leaves free space, so that rotations do not touch the
-- indexes.
create table session (
    session_uuid uuid constraint session_pkey primary key,
    person_uuid uuid not null constraint session_person_fkey references person on delete cascade,
    created_at timestamptz not null default labs_now(),
    last_used_at timestamptz not null default labs_now(),
    idle_expires_at timestamptz not null,
    expires_at timestamptz not null,
    counter bigint not null default 0 constraint session_counter_check check (counter >= 0),
    counter_changed_at timestamptz not null default labs_now(),
    ended_at timestamptz,
    end_reason text,
    address inet,
    user_agent text,
    second_factor boolean not null default false,
    reauthenticated_at timestamptz,
    mfa_required boolean not null default false,
    constraint session_end_check check (ended_at is not null or end_reason is null)
) with (fillfactor = 80);
create index session_person_idx on session (person_uuid, created_at desc, session_uuid desc);
create index session_expires_at_idx on session (expires_at);

-- Staff roles: sets of scopes under labs.admin, stored as data. Every staff member also has auth.account:write, which
-- is in no role.
create table staff_role (
    role_code text constraint staff_role_pkey primary key
        constraint staff_role_code_check check (role_code ~ '^[A-Z][A-Z0-9_]{0,39}$'),
    name text not null,
    description text not null default '',
    scopes text[] not null constraint staff_role_scopes_check
        check (array_to_string(scopes, ' ', '*') ~ '^(labs\.admin(\.[a-z-]+)?(:write)?( |$))*$'),
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now()
);

create table staff_role_grant (
    person_uuid uuid not null constraint staff_role_grant_person_fkey references person on delete cascade,
    role_code text not null constraint staff_role_grant_role_fkey references staff_role,
    -- Null if the command line granted it.
    granted_by uuid constraint staff_role_grant_granted_by_fkey references person on delete set null,
    granted_at timestamptz not null default labs_now(),
    constraint staff_role_grant_pkey primary key (person_uuid, role_code)
);
create index staff_role_grant_role_idx on staff_role_grant (role_code);
create index staff_role_grant_granted_by_idx on staff_role_grant (granted_by);

insert into staff_role (role_code, name, description, scopes) values
    ('ADMINISTRATOR', 'Administrator', 'Everything, staff and their roles included.', '{labs.admin:write}'),
    ('REVIEWER', 'Reviewer', 'Decides on submitted versions and on customers'' reviews.',
        '{labs.admin.submissions:write,labs.admin.reviews:write,labs.admin.apps,labs.admin.categories}'),
    ('EDITOR', 'Editor', 'Writes and releases changelog, blog and developer resources.',
        '{labs.admin.publication:write}'),
    ('CATALOGUE', 'Catalogue manager', 'Keeps categories, curated collections and tiers.',
        '{labs.admin.categories:write,labs.admin.storefront:write,labs.admin.tiers:write,labs.admin.apps}'),
    ('SUPPORT', 'Support agent', 'Answers tickets and sees what is needed to help.',
        array['labs.admin.support:write', 'labs.admin.partners', 'labs.admin.users', 'labs.admin.apps',
            'labs.admin.subscriptions', 'labs.admin.limits']),
    ('ACCOUNT_MANAGER', 'Account manager', 'Looks after partners, their people and their subscriptions.',
        '{labs.admin.partners:write,labs.admin.users:write,labs.admin.subscriptions:write,labs.admin.overview}'),
    ('COMMUNITY', 'Community manager', 'Moderates and answers the feature-request board.',
        '{labs.admin.engagement:write}'),
    ('OPERATOR', 'Operator', 'Runs the service: programs, budgets, keys, jobs, mail, imports.',
        array['labs.admin.clients:write', 'labs.admin.limits:write', 'labs.admin.operations:write',
            'labs.admin.security:write', 'labs.admin.statistics:write', 'labs.admin.overview']),
    ('AUDITOR', 'Auditor', 'Reads the audit log and the overview; changes nothing.',
        '{labs.admin.audit,labs.admin.overview}');

-- A machine client that an operator provisioned: bound to one partner, or to none (the storefront, the release tool). A
-- bound client can have nothing under labs.admin; the code rejects it too, regardless of this row.
create table machine_client (
    client_uuid uuid constraint machine_client_pkey primary key,
    client_id text not null constraint machine_client_client_id_key unique,
    partner_uuid uuid constraint machine_client_partner_fkey references partner,
    name text not null constraint machine_client_name_check check (length(name) between 1 and 200),
    contact_email text,
    allowed_scopes text[] not null,
    -- Empty: any network.
    allowed_networks cidr[] not null default '{}',
    state text not null default 'ACTIVE'
        constraint machine_client_state_check check (state in ('ACTIVE', 'DISABLED')),
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    last_used_at timestamptz,
    -- Identities of other issuers that get tokens without a secret: a list of objects with issuer, audience, subject, and
    -- a list of further claims, each with name and value.
    trusted_identities jsonb not null default '[]' constraint machine_client_trusted_identities_check
        check (jsonb_typeof(trusted_identities) = 'array'),
    -- If a disabled client is enabled again, the service no longer accepts tokens that were issued before.
    tokens_void_before timestamptz,
    constraint machine_client_bound_scopes_check
        check (partner_uuid is null or array_to_string(allowed_scopes, ' ') !~ '(^| )labs(\.| |$)')
);
create index machine_client_created_at_idx on machine_client (created_at desc, client_uuid desc);
create index machine_client_partner_idx on machine_client (partner_uuid, created_at desc, client_uuid desc);

-- A client may have two secrets for a while, so that it can rotate without downtime. The prefix is the visible part.
create table machine_client_secret (
    secret_uuid uuid constraint machine_client_secret_pkey primary key,
    client_uuid uuid not null constraint machine_client_secret_client_fkey references machine_client on delete cascade,
    prefix text not null,
    secret_sha256 bytea not null constraint machine_client_secret_sha256_key unique
        constraint machine_client_secret_sha256_check check (octet_length(secret_sha256) = 32),
    created_at timestamptz not null default labs_now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
);
create index machine_client_secret_client_idx on machine_client_secret (client_uuid, created_at desc, secret_uuid desc);

-- Token requests of machine clients, granted or refused. A refused one has no token.
create table token_grant (
    grant_uuid uuid constraint token_grant_pkey primary key,
    client_uuid uuid not null constraint token_grant_client_fkey references machine_client on delete cascade,
    token_id uuid,
    granted_at timestamptz not null default labs_now(),
    expires_at timestamptz,
    outcome text not null constraint token_grant_outcome_check check (outcome in ('SUCCEEDED', 'REFUSED', 'FAILED')),
    code text,
    scopes text[] not null default '{}',
    address inet,
    -- The secret for which a token was issued. The column has no foreign key, because the log outlives the secret. Grants
    -- from before this column have no value, and their tokens expire within the hour.
    secret_uuid uuid,
    -- The identity for which a token was issued without a secret, as the client trusted it at that time.
    identity jsonb
);
create index token_grant_client_idx on token_grant (client_uuid, granted_at desc, grant_uuid desc);

-- Identity assertions that were used. Each can be used once. A row is not needed after the assertion's expiry.
create table used_assertion (
    -- SHA-256 of the assertion's issuer, a zero byte, and its id.
    assertion_sha256 bytea constraint used_assertion_pkey primary key
        constraint used_assertion_sha256_check check (octet_length(assertion_sha256) = 32),
    expires_at timestamptz not null
);
create index used_assertion_expires_at_idx on used_assertion (expires_at);

-- Scopes that a client actually used, to be compared with its allowed scopes.
create table client_scope_use (
    client_uuid uuid not null constraint client_scope_use_client_fkey references machine_client on delete cascade,
    scope text not null,
    last_used_at timestamptz not null default labs_now(),
    uses bigint not null default 0 constraint client_scope_use_uses_check check (uses >= 0),
    constraint client_scope_use_pkey primary key (client_uuid, scope)
) with (fillfactor = 70);

-- One-time tokens: the links in mail messages and the second step of a sign-in. Only the hash is stored. One guarded
-- update consumes a token (`set used_at … where used_at is null and expires_at > …`).
create table one_time_token (
    token_sha256 bytea constraint one_time_token_pkey primary key
        constraint one_time_token_sha256_check check (octet_length(token_sha256) = 32),
    purpose text not null constraint one_time_token_purpose_check check (purpose in ('VERIFY_EMAIL', 'RESET_PASSWORD',
        'CHANGE_EMAIL', 'CANCEL_EMAIL_CHANGE', 'INVITATION', 'STAFF_INVITATION', 'MFA_CHALLENGE')),
    person_uuid uuid constraint one_time_token_person_fkey references person on delete cascade,
    subject_uuid uuid,
    payload jsonb not null default '{}',
    attempts integer not null default 0 constraint one_time_token_attempts_check check (attempts >= 0),
    created_at timestamptz not null default labs_now(),
    expires_at timestamptz not null,
    used_at timestamptz
);
create index one_time_token_person_idx on one_time_token (person_uuid, purpose);
create index one_time_token_subject_idx on one_time_token (subject_uuid, purpose) where subject_uuid is not null;
create index one_time_token_expires_at_idx on one_time_token (expires_at);

-- Access tokens that were revoked one by one. A row is not needed after the token's expiry.
create table access_token_revocation (
    token_id uuid constraint access_token_revocation_pkey primary key,
    expires_at timestamptz not null,
    revoked_at timestamptz not null default labs_now()
);
create index access_token_revocation_expires_at_idx on access_token_revocation (expires_at);

-- Failed sign-ins, counted per account (`account:<normalised e-mail>`, known or not) and per network
-- (`network:<prefix>`). Staff use the id to lift a block.
create table sign_in_failure (
    subject text constraint sign_in_failure_pkey primary key,
    block_uuid uuid not null default labs_uuid() constraint sign_in_failure_block_key unique,
    failures integer not null default 0 constraint sign_in_failure_failures_check check (failures >= 0),
    last_failed_at timestamptz not null default labs_now(),
    held_until timestamptz,
    -- The account of the counted failures, extracted once at write time. All failures of an account can be found and
    -- deleted together, from all networks.
    account text generated always as (substring(subject from '^account:([^@]+@[^@]+)')) stored,
    person_uuid uuid
        generated always as (substring(subject from '^second_factor:([0-9a-f-]{36})')::uuid) stored,
    network cidr generated always as (substring(subject from
        '^(?:network:|account:[^@]+@[^@]+@|second_factor:[^@]+@)([0-9a-f.:]+(?:/[0-9]+)?)$')::cidr) stored
);
create index sign_in_failure_last_failed_at_idx on sign_in_failure (last_failed_at desc, block_uuid desc);

-- Only changes that end or change a right notify. A sign-in, a rotation or a new name must not notify.
create trigger partner_authority after update on partner
    for each row when (old.state is distinct from new.state)
    execute function authority_changed('partner', 'partner_uuid');
create trigger person_authority after update on person
    for each row when ((old.kind, old.partner_uuid, old.role, old.state, old.password_hash)
        is distinct from (new.kind, new.partner_uuid, new.role, new.state, new.password_hash))
    execute function authority_changed('person', 'person_uuid');
create trigger totp_factor_authority_update after update on totp_factor
    for each row when (old.confirmed_at is distinct from new.confirmed_at)
    execute function authority_changed('person', 'person_uuid');
create trigger totp_factor_authority_delete after delete on totp_factor
    for each row execute function authority_changed('person', 'person_uuid');
create trigger session_authority_update after update on session
    for each row when ((old.ended_at, old.second_factor, old.reauthenticated_at)
        is distinct from (new.ended_at, new.second_factor, new.reauthenticated_at))
    execute function authority_changed('session', 'session_uuid');
create trigger session_authority_delete after delete on session
    for each row when (old.ended_at is null)
    execute function authority_changed('session', 'session_uuid');
create trigger staff_role_authority after update on staff_role
    for each row when (old.scopes is distinct from new.scopes)
    execute function authority_changed('staff_role', 'role_code');
create trigger staff_role_grant_authority after insert or update or delete on staff_role_grant
    for each row execute function authority_changed('person', 'person_uuid');
create trigger machine_client_authority after update on machine_client
    for each row when ((old.partner_uuid, old.state, old.allowed_scopes, old.allowed_networks,
            old.trusted_identities)
        is distinct from (new.partner_uuid, new.state, new.allowed_scopes, new.allowed_networks,
            new.trusted_identities))
    execute function authority_changed('client', 'client_uuid');
create trigger access_token_revocation_authority after insert on access_token_revocation
    for each row execute function authority_changed('token', 'token_id');
call audit_watch('partner', 'partner_uuid');
call audit_watch('person', 'person_uuid');
call audit_watch('totp_factor', 'person_uuid');
call audit_watch('session', 'session_uuid');
call audit_watch('staff_role');
call audit_watch('staff_role_grant', 'person_uuid');
call audit_watch('machine_client', 'client_uuid');
call audit_watch('machine_client_secret', 'secret_uuid');
call audit_watch('sign_in_failure', 'block_uuid', 'update or delete');
grant select, insert, update, delete on partner, person, totp_factor, recovery_code, session, staff_role,
    staff_role_grant, machine_client, machine_client_secret, token_grant, used_assertion, client_scope_use,
    one_time_token, access_token_revocation, sign_in_failure to labs_service;
create index person_unverified_idx on person (partner_uuid, person_uuid)
    where kind = 'PARTNER_USER' and state = 'UNVERIFIED';

create table email_change (
    change_uuid uuid constraint email_change_pkey primary key,
    person_uuid uuid not null constraint email_change_person_fkey references person on delete cascade,
    -- The session that requested the change; the other sessions end when it takes effect.
    session_uuid uuid,
    old_email text not null,
    old_email_normalised text not null,
    new_email text not null,
    new_email_normalised text not null,
    state text not null default 'PENDING' constraint email_change_state_check
        check (state in ('PENDING', 'CONFIRMED', 'CANCELLED', 'SUPERSEDED')),
    requested_at timestamptz not null default labs_now(),
    confirmed_at timestamptz,
    cancelled_at timestamptz,
    constraint email_change_confirmed_at_check check (state <> 'CONFIRMED' or confirmed_at is not null),
    constraint email_change_cancelled_at_check check ((state = 'CANCELLED') = (cancelled_at is not null))
);
create index email_change_person_idx on email_change (person_uuid, requested_at desc, change_uuid desc);
create index email_change_requested_at_idx on email_change (requested_at);
call audit_watch('email_change', 'change_uuid');
grant select, insert, update, delete on email_change to labs_service;

create table invitation (
    invitation_uuid uuid constraint invitation_pkey primary key,
    partner_uuid uuid not null constraint invitation_partner_fkey references partner,
    email text not null,
    email_normalised text not null,
    role text not null constraint invitation_role_check
        check (role in ('ADMINISTRATOR', 'DEVELOPER', 'EDITOR', 'ACCOUNTANT', 'VIEWER')),
    -- Language of the mail message.
    locale text not null default 'en',
    -- An expired invitation stays PENDING until it is swept, and counts as EXPIRED until then.
    state text not null default 'PENDING' constraint invitation_state_check
        check (state in ('PENDING', 'ACCEPTED', 'DECLINED', 'REVOKED', 'EXPIRED')),
    invited_by uuid constraint invitation_invited_by_fkey references person on delete set null,
    -- The user who accepted the invitation.
    person_uuid uuid constraint invitation_person_fkey references person on delete set null,
    created_at timestamptz not null default labs_now(),
    sent_at timestamptz not null default labs_now(),
    expires_at timestamptz not null,
    state_changed_at timestamptz not null default labs_now(),
    constraint invitation_person_check check (person_uuid is null or state = 'ACCEPTED')
);
create index invitation_partner_idx on invitation (partner_uuid, created_at desc, invitation_uuid desc);
create index invitation_invited_by_idx on invitation (invited_by);
create index invitation_person_idx on invitation (person_uuid) where person_uuid is not null;
create index invitation_expires_at_idx on invitation (expires_at) where state = 'PENDING';

-- A team can have one open invitation per address.
create unique index invitation_pending_key on invitation (partner_uuid, email_normalised) where state = 'PENDING';
call audit_watch('invitation', 'invitation_uuid');
grant select, insert, update, delete on invitation to labs_service;
create index token_grant_token_idx on token_grant (token_id) where token_id is not null;

-- Deleting a secret also ends the tokens that were issued for it.
create trigger machine_client_secret_authority after update on machine_client_secret
    for each row when (old.revoked_at is distinct from new.revoked_at)
    execute function authority_changed('client', 'client_uuid');

-- Whether the secret, trusted identity or client of a token has ended since the token was issued, apart from a revocation of the token
-- itself. The check runs when a principal is read, so a concurrent issue that commits late is judged by the current
-- state.
create function token_grant_void(token uuid, void_before timestamptz) returns boolean
    language sql stable
    as $$
        select exists (
            select from public.token_grant as g
            join public.machine_client as c on c.client_uuid = g.client_uuid
            left join public.machine_client_secret as s on s.secret_uuid = g.secret_uuid
            where g.token_id = token
                and (s.revoked_at is not null or g.granted_at < void_before
                    or (g.identity is not null and not exists (
                        select from jsonb_array_elements(c.trusted_identities) as t (identity)
                        where t.identity = g.identity))))
    $$;

-- A machine client as staff see it: its partner, its valid secrets, and the scopes that its requests actually needed.
create view machine_client_shown as
select
    c.client_uuid, c.client_id, c.partner_uuid, p.company_name, c.name, c.contact_email, c.allowed_scopes,
    c.allowed_networks::text[] as allowed_networks, c.trusted_identities, c.state, c.created_at, c.updated_at, c.last_used_at,
    coalesce((
        select jsonb_agg(to_jsonb(s) - 'secret_sha256' order by s.created_at desc, s.secret_uuid desc)
        from machine_client_secret as s
        where s.client_uuid = c.client_uuid and s.revoked_at is null
            and (s.expires_at is null or s.expires_at > labs_now())
    ), '[]') as secrets,
    coalesce((
        select jsonb_agg(to_jsonb(u) order by u.last_used_at desc, u.scope)
        from client_scope_use as u
        where u.client_uuid = c.client_uuid and u.uses > 0
    ), '[]') as used_scopes
from machine_client as c
left join partner as p on p.partner_uuid = c.partner_uuid;

-- Sort orders of the staff list. A client that was never used sorts after all that were.
create index machine_client_name_idx on machine_client (lower(name), client_uuid);
create index machine_client_last_used_at_idx on machine_client
    (coalesce(last_used_at, '1970-01-01 00:00:00+00'::timestamptz) desc, client_uuid desc);
grant select on machine_client_shown to labs_service;

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
            message = 'one active staff member who can grant roles always remains',
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

create view staff_member_shown as
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
create index person_staff_name_idx on person (lower(name), person_uuid) where kind = 'STAFF_USER';
create index person_staff_last_sign_in_at_idx on person
    (coalesce(last_sign_in_at, '1970-01-01 00:00:00+00'::timestamptz) desc, person_uuid desc)
    where kind = 'STAFF_USER';
grant select on staff_member_shown to labs_service;

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

-- A replica that has a portion of the former budget drops it. The account name is the payload of the notification.
create function daily_budget_reset() returns trigger language plpgsql as $$
begin
    perform pg_catalog.pg_notify('authority', new.account);
    return null;
end $$;
create trigger daily_budget_authority_insert after insert on daily_budget
    for each row when (new.resets > 0) execute function daily_budget_reset();
create trigger daily_budget_authority_update after update of resets on daily_budget
    for each row when (old.resets is distinct from new.resets) execute function daily_budget_reset();

-- Current name of the owner of an account.
create function budget_account_name(account text) returns text
    language sql stable parallel safe
    as $$
        select case split_part(account, ':', 1)
            when 'partner' then (select p.company_name from public.partner as p
                where p.partner_uuid = split_part(account, ':', 2)::uuid)
            when 'client' then (select c.name from public.machine_client as c
                where c.client_uuid = split_part(account, ':', 2)::uuid)
            when 'staff' then (select h.name from public.person as h
                where h.person_uuid = split_part(account, ':', 2)::uuid)
        end
    $$;

create table network_denial (
    denial_uuid uuid constraint network_denial_pkey primary key,
    network cidr not null constraint network_denial_network_key unique,
    reason text not null,
    created_by uuid constraint network_denial_created_by_fkey references person on delete set null,
    created_at timestamptz not null default labs_now(),
    -- Null: until a staff member lifts it. An expired denial has no effect, whether or not it was lifted.
    expires_at timestamptz,
    -- Database guard against denials that are too wide by mistake; the rule in code is the first guard.
    constraint network_denial_network_check
        check (masklen(network) >= case family(network) when 4 then 8 else 32 end)
);
create index network_denial_created_at_idx on network_denial (created_at desc, denial_uuid desc);
create index network_denial_created_by_idx on network_denial (created_by);
create trigger network_denial_authority after insert or update or delete on network_denial
    for each row execute function authority_changed('denials', '*');
call audit_watch('network_denial', 'denial_uuid');
grant select, insert, update, delete on network_denial to labs_service;

-- Used by the job that closes accounts.
create index partner_closes_at_idx on partner (closes_at) where state = 'CLOSING';

-- Further sort orders of the staff list.
create index partner_company_name_idx on partner (lower(company_name), partner_uuid);
create index partner_state_changed_at_idx on partner (state_changed_at desc, partner_uuid desc);

-- Users are found by their address in every state.
create index person_email_normalised_idx on person (email_normalised) where state <> 'REMOVED';
create unique index person_email_normalised_key on person (email_normalised) where state not in ('REMOVED', 'UNVERIFIED');

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
            message = 'one active staff member with all rights always remains',
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
comment on column partner.verified_at is 'Time at which staff verified the company. Null if it is not verified.';
create index machine_client_secret_expires_at_idx on machine_client_secret (expires_at) where revoked_at is null;
create index partner_begins_idx on partner ((folded(company_name) collate "C"), partner_uuid);
create index person_begins_idx on person ((folded(name) collate "C"), person_uuid)
    where kind = 'PARTNER_USER' and state <> 'REMOVED';
create index person_address_begins_idx on person ((email_normalised collate "C"))
    where kind = 'PARTNER_USER' and state <> 'REMOVED';
create index machine_client_begins_idx on machine_client ((folded(name) collate "C"), client_uuid);
comment on column person.board_mail is
    'Whether the user receives the weekly mail about the board. The mail does not depend on the user''s votes.';
comment on column person.quota_mail is 'Whether the user is warned by mail before the partner''s daily budget is spent.';
create index person_board_mail_idx on person (person_uuid) where board_mail;

create table naming_key (
    id boolean constraint naming_key_pkey primary key default true constraint naming_key_single_check check (id),
    key_sealed bytea not null,
    made_at timestamptz not null default labs_now()
);
comment on table naming_key is 'Contains one row, which the first start creates.';
grant select, insert, update on naming_key to labs_service;
comment on column partner.name_skeletons is
    'Forms of the company name that names of similar appearance share. Null until they are computed.';
create index partner_name_skeletons_idx on partner using gin (name_skeletons);
create index partner_name_skeletons_missing_idx on partner (partner_uuid) where name_skeletons is null;

create function partner_name_skeletons_kept() returns trigger language plpgsql as $$
begin
    new.name_skeletons := null;
    return new;
end $$;
create trigger partner_name_skeletons_kept before update of company_name on partner for each row
    when (old.company_name is distinct from new.company_name
        and old.name_skeletons is not distinct from new.name_skeletons)
    execute function partner_name_skeletons_kept();
comment on column partner.pending_company_name is 'New name, not yet confirmed by staff. company_name is shown until then.';
create index partner_pending_name_idx on partner (pending_name_since, partner_uuid) where pending_name_since is not null;

reset check_function_bodies;
reset lock_timeout;
reset timezone;
