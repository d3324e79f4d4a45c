-- Registrations that nobody confirms are looked for every ten minutes, and are few among all people.
set lock_timeout = '10s';

create index person_unverified_idx on person (partner_uuid, person_uuid)
    where kind = 'PARTNER_USER' and state = 'UNVERIFIED';

reset lock_timeout;
