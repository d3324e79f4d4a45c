-- A change of a user's e-mail address. The user requests it in a session, confirms it from the new address, and can
-- revoke it from the old address before it takes effect or for seven days after.
set lock_timeout = '10s';

create table email_change (
    change_uuid uuid constraint email_change_pkey primary key,
    person_uuid uuid not null constraint email_change_person_fkey references person on delete cascade,
    -- The session that requested the change; the other sessions end when it takes effect.
    session_uuid uuid not null,
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

reset lock_timeout;
