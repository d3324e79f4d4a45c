-- Today's use of a partner's daily limits: bytes that it uploaded to the object storage, mail messages for its
-- invitations. Each is counted in the transaction of its cause, so that parallel requests never exceed the limit.
-- Revoked, replaced or deleted items are not given back: the bytes were written and the message was sent.
set lock_timeout = '10s';

create table partner_daily_use (
    partner_uuid uuid not null constraint partner_daily_use_partner_fkey references partner on delete cascade,
    day date not null,
    what text not null
        constraint partner_daily_use_what_check check (what in ('UPLOADS', 'INVITATIONS', 'INVITATIONS_BY_STAFF')),
    used bigint not null constraint partner_daily_use_used_check check (used > 0),
    constraint partner_daily_use_pkey primary key (partner_uuid, day, what)
) with (fillfactor = 70);
create index partner_daily_use_day_idx on partner_daily_use (day, partner_uuid);
grant select, insert, update, delete on partner_daily_use to labs_service;

reset lock_timeout;
