-- What a partner has used today of what is bounded by the day: bytes that its uploads brought into the store, mails that its
-- invitations sent. Each is counted in the transaction of what it counts, so that parallel requests never get more, and
-- what was taken back, replaced or deleted is not given back: the disk was written and the mail has left.
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
