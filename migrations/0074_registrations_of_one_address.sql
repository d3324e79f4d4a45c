-- An address belongs to whoever proves it, so several registrations of one may wait beside one another: a stranger's must
-- not take the place of its owner's. How many mails an address gets on strangers' wishes is counted by the network that
-- they come from, so that a stranger elsewhere does not use up what the owner may wish.
set lock_timeout = '10s';

-- People are found by their address whatever their state.
create index person_email_normalised_idx on person (email_normalised) where state <> 'REMOVED';
create unique index person_email_proved_key on person (email_normalised) where state not in ('REMOVED', 'UNVERIFIED');
drop index person_email_normalised_key;
alter index person_email_proved_key rename to person_email_normalised_key;

-- The network of whoever asked for the mail: an IPv4 address, or the /64 of an IPv6 one. None where a job wrote it.
alter table mail_message add column asked_from inet;

reset lock_timeout;
