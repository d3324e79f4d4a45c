-- Serializes changes of the tier catalogue. An advisory lock makes others wait too, but a conditional request that
-- waited for it continues with its earlier snapshot and would not see the other change: two of them could remove the
-- last two free tiers. A row that changed since the snapshot restarts the request.
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
