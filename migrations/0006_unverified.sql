-- A job looks for unconfirmed registrations every ten minutes. They are few among all users.
set lock_timeout = '10s';

create index person_unverified_idx on person (partner_uuid, person_uuid)
    where kind = 'PARTNER_USER' and state = 'UNVERIFIED';

reset lock_timeout;
