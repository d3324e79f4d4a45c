-- The key from which permanent names are derived: pseudonyms of the board, digests of recovery codes, addresses in the
-- audit log. It is sealed with the master key and independent of it, so that the master key can be rotated while names
-- stay the same.
set lock_timeout = '10s';

create table naming_key (
    id boolean constraint naming_key_pkey primary key default true constraint naming_key_single_check check (id),
    key_sealed bytea not null,
    made_at timestamptz not null default labs_now()
);
comment on table naming_key is 'One row, made at the first start.';
grant select, insert, update on naming_key to labs_service;

reset lock_timeout;
