-- Mail under operators' hands. A mail that somebody has claimed is being handed over: to try it again meanwhile would
-- send it twice.
set lock_timeout = '10s';

alter table mail_message add column claimed_until timestamptz;

reset lock_timeout;
