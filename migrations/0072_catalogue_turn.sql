-- Whoever changes the catalogue of tiers takes a turn. An advisory lock makes others wait too, but a conditional request
-- that waited for it goes on with the snapshot that it had before, and would not see what it waited for: two of them
-- could take the last two tiers that cost nothing. A row that changed since the snapshot starts it anew.
set lock_timeout = '10s';

create table tier_catalogue (
    is_only boolean not null default true,
    turn bigint not null default 0,
    constraint tier_catalogue_pkey primary key (is_only),
    constraint tier_catalogue_is_only_check check (is_only)
);
insert into tier_catalogue default values;
grant select, update on tier_catalogue to labs_service;

reset lock_timeout;
