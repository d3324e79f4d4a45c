-- Apps that staff transferred to another partner, and thereby the owner of an app at each time.
set lock_timeout = '10s';

create table app_transfer (
    app_uuid uuid not null constraint app_transfer_app_fkey references app on delete cascade,
    transferred_at timestamptz not null default labs_now(),
    from_partner_uuid uuid not null constraint app_transfer_from_fkey references partner,
    to_partner_uuid uuid not null constraint app_transfer_to_fkey references partner,
    constraint app_transfer_pkey primary key (app_uuid, transferred_at),
    constraint app_transfer_partners_check check (from_partner_uuid <> to_partner_uuid)
);
create index app_transfer_from_idx on app_transfer (from_partner_uuid);
create index app_transfer_to_idx on app_transfer (to_partner_uuid);

-- Time since when an app belongs to its owner; `-infinity` if it always did. The owner does not see the actors of
-- earlier events.
create function app_owned_since(app_uuid uuid) returns timestamptz language sql stable parallel safe as $$
    select coalesce(max(t.transferred_at), '-infinity') from public.app_transfer as t where t.app_uuid = $1
$$;

-- Start and end of each ownership of an app: rows written in that period belong to that partner.
create view app_tenure as
select t.app_uuid, t.from_partner_uuid as partner_uuid, coalesce((
        select max(before.transferred_at) from app_transfer as before
        where before.app_uuid = t.app_uuid and before.transferred_at < t.transferred_at), '-infinity') as since,
    t.transferred_at as until
from app_transfer as t
union all
select a.app_uuid, a.partner_uuid, app_owned_since(a.app_uuid), 'infinity' from app as a;

grant select, insert on app_transfer to labs_service;
grant select on app_tenure to labs_service;

reset lock_timeout;
