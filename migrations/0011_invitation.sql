-- An invitation to a partner's team. Its token is a row of `one_time_token` with the purpose INVITATION and the
-- invitation as its subject. Sending it again creates a new token.
set lock_timeout = '10s';

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

reset lock_timeout;
