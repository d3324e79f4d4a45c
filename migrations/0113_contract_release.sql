-- The contracts that were served when changelog entries were released. An entry can be released only if entries of its
-- release name every contract change since the last stored contract.
set lock_timeout = '10s';

create table contract_release (
    digest text constraint contract_release_pkey primary key,
    version text not null,
    document text not null,
    item_uuid uuid constraint contract_release_item_fkey references publication_item on delete set null,
    released_at timestamptz not null default labs_now()
);
create index contract_release_released_idx on contract_release (released_at desc);
create index contract_release_item_idx on contract_release (item_uuid);
comment on column contract_release.digest is 'SHA-256 of the document, in hexadecimal.';
comment on column contract_release.version is 'The release of the service whose entry was released.';
comment on column contract_release.item_uuid is 'That entry.';

grant select, insert, update on contract_release to labs_service;

reset lock_timeout;
