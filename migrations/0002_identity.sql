-- Principals: partners, their team members, staff members and machine clients. One table `person` contains both kinds
-- of users, because both sign in the same way. Their rights come from different places.
set lock_timeout = '10s';

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
    constraint partner_closes_at_check check (state <> 'CLOSING' or closes_at is not null)
);
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
    constraint person_belonging_check check (case kind
        when 'PARTNER_USER' then partner_uuid is not null and role is not null
        else partner_uuid is null and role is null end),
    -- INVITED and DISABLED are states of staff members, UNVERIFIED and SUSPENDED of team members.
    constraint person_kind_state_check check (case kind
        when 'PARTNER_USER' then state not in ('INVITED', 'DISABLED')
        else state not in ('UNVERIFIED', 'SUSPENDED') end)
);
create unique index person_email_normalised_key on person (email_normalised) where state <> 'REMOVED';
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
        '{labs.admin.support:write,labs.admin.partners,labs.admin.users,labs.admin.apps,labs.admin.subscriptions}'),
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
    address inet
);
create index token_grant_client_idx on token_grant (client_uuid, granted_at desc, grant_uuid desc);

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
    held_until timestamptz
);
create index sign_in_failure_last_failed_at_idx on sign_in_failure (last_failed_at desc, block_uuid desc);

-- The outbox was created before the users and partners that it refers to.
alter table mail_message
    add constraint mail_message_person_fkey foreign key (person_uuid) references person on delete set null,
    add constraint mail_message_partner_fkey foreign key (partner_uuid) references partner on delete set null;

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
    for each row when ((old.partner_uuid, old.state, old.allowed_scopes, old.allowed_networks)
        is distinct from (new.partner_uuid, new.state, new.allowed_scopes, new.allowed_networks))
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
    staff_role_grant, machine_client, machine_client_secret, token_grant, client_scope_use, one_time_token,
    access_token_revocation, sign_in_failure to labs_service;

reset lock_timeout;
