-- A repeated request gets the same response as the first, including `Location`, without reading the stored response.
set lock_timeout = '10s';

alter table idempotency_key add column created_uuid uuid;
alter table idempotency_key add column created_code text;
alter table idempotency_key add constraint idempotency_key_created check (num_nonnulls(created_uuid, created_code) <= 1);
comment on column idempotency_key.created_uuid is 'The id of the thing that the first request created.';
comment on column idempotency_key.created_code is 'Its code, where a thing is addressed by one.';
