-- An address belongs to the user who proves it, so several registrations of one address may be pending at the same
-- time: a stranger's must not block the owner's. Mail messages that strangers request for an address are counted by
-- network, so that a stranger elsewhere does not use up the owner's budget.
set lock_timeout = '10s';

-- Users are found by their address in every state.
create index person_email_normalised_idx on person (email_normalised) where state <> 'REMOVED';
create unique index person_email_proved_key on person (email_normalised) where state not in ('REMOVED', 'UNVERIFIED');
drop index person_email_normalised_key;
alter index person_email_proved_key rename to person_email_normalised_key;

-- Network of the client that requested the mail message: an IPv4 address, or the /64 of an IPv6 one. Null if a job
-- wrote it.
alter table mail_message add column asked_from inet;

reset lock_timeout;
