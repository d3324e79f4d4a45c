-- Mail management. A claimed mail message is being sent: a retry at that time would send it twice.
set lock_timeout = '10s';

alter table mail_message add column claimed_until timestamptz;

reset lock_timeout;
