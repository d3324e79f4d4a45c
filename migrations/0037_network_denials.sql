-- Networks whose requests are all rejected. Each replica keeps the list in memory and reads it again when an
-- `authority` notification reports a change.
set lock_timeout = '10s';

create table network_denial (
    denial_uuid uuid constraint network_denial_pkey primary key,
    network cidr not null constraint network_denial_network_key unique,
    reason text not null,
    created_by uuid constraint network_denial_created_by_fkey references person on delete set null,
    created_at timestamptz not null default labs_now(),
    -- Null: until a staff member lifts it. An expired denial has no effect, whether or not it was lifted.
    expires_at timestamptz,
    -- Database guard against denials that are too wide by mistake; the rule in code is the first guard.
    constraint network_denial_network_check
        check (masklen(network) >= case family(network) when 4 then 8 else 32 end)
);
create index network_denial_created_at_idx on network_denial (created_at desc, denial_uuid desc);
create index network_denial_created_by_idx on network_denial (created_by);

create trigger network_denial_authority after insert or update or delete on network_denial
    for each row execute function authority_changed('denials', '*');

call audit_watch('network_denial', 'denial_uuid');

grant select, insert, update, delete on network_denial to labs_service;

reset lock_timeout;
