-- The exact feed of storefront changes. A single sequencer gives each change its position (`place`) after its
-- transaction has committed, so that a reader of a position has read everything before it, regardless of the length of
-- a transaction. `entry_uuid` distinguishes this database's entry at a position from the entry of another database, or
-- of a database that was restored to an earlier moment.
set lock_timeout = '10s';

alter table listing_change
    add column entry_uuid uuid not null default gen_random_uuid(),
    add column place bigint constraint listing_change_place_key unique,
    drop constraint listing_change_change_check,
    add constraint listing_change_change_check check (change in ('PUBLISHED', 'CHANGED', 'GONE', 'RATED'));
update listing_change as c set place = numbered.place
from (select position, row_number() over (order by transaction_id, position) as place from listing_change) as numbered
where numbered.position = c.position;

drop index listing_change_transaction_id_idx;
create index listing_change_unsealed_idx on listing_change (transaction_id, position) where place is null;
-- Changes that affect a search; a rating does not.
create index listing_change_shown_idx on listing_change (position desc) where change <> 'RATED';

-- Listing data that its owner did not publish: ratings, names of categories and of the company.
create function listing_rated() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change) values (new.app_uuid, new.slug, 'RATED');
    return null;
end $$;
create trigger listing_rated after update of rating_count, rating_sum on listing for each row
    when (new.visible and (old.rating_count, old.rating_sum) is distinct from (new.rating_count, new.rating_sum))
    execute function listing_rated();

-- A name is shown at the listings of the category itself; the visibility of a category also affects the listings below
-- it.
create function listing_category_changed() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change)
    with recursive beneath as (
        select new.category_uuid as category_uuid
        union
        select c.category_uuid from public.category as c join beneath on c.parent_uuid = beneath.category_uuid
        where (old.state, old.parent_uuid) is distinct from (new.state, new.parent_uuid)
    )
    select distinct l.app_uuid, l.slug, 'CHANGED'
    from beneath
    join public.listing_category as lc on lc.category_uuid = beneath.category_uuid
    join public.listing as l on l.app_uuid = lc.app_uuid and l.visible;
    return null;
end $$;
create trigger listing_category_changed after update of slug, names, state, parent_uuid on category for each row
    when ((old.slug, old.names, old.state, old.parent_uuid) is distinct from (new.slug, new.names, new.state, new.parent_uuid))
    execute function listing_category_changed();

create function listing_vendor_changed() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change)
    select l.app_uuid, l.slug, 'CHANGED' from public.listing as l where l.partner_uuid = new.partner_uuid and l.visible;
    return null;
end $$;
create trigger listing_vendor_changed after update of slug, company_name on partner for each row
    when ((old.slug, old.company_name) is distinct from (new.slug, new.company_name))
    execute function listing_vendor_changed();

grant update (place), delete on listing_change to labs_service;

reset lock_timeout;
