-- Curated collections: listings that staff group under a title, visible in a time window.
set lock_timeout = '10s';

create table collection (
    collection_uuid uuid constraint collection_pkey primary key,
    slug text not null constraint collection_slug_key unique,
    titles jsonb not null,
    descriptions jsonb not null default '{}',
    position integer not null,
    shown_from timestamptz,
    shown_until timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint collection_window_check check (shown_until > shown_from)
);
comment on column collection.titles is 'By locale; English is always there.';
comment on column collection.shown_from is 'Without one it is not on show.';
comment on column collection.shown_until is 'The first moment at which it is not on show any more. Without one it stays.';

-- The order is the order of the positions, which may have gaps.
create table collection_listing (
    collection_uuid uuid not null constraint collection_listing_collection_fkey references collection on delete cascade,
    app_uuid uuid not null constraint collection_listing_listing_fkey references listing on delete cascade,
    position integer not null,
    constraint collection_listing_pkey primary key (collection_uuid, app_uuid)
);
create index collection_listing_app_idx on collection_listing (app_uuid);

-- Every slug that a collection has or had, as with categories. Slugs of a deleted collection stay reserved and redirect
-- to nothing.
create table collection_address (
    slug text constraint collection_address_pkey primary key,
    collection_uuid uuid constraint collection_address_collection_fkey references collection on delete set null,
    kept_at timestamptz not null default labs_now()
);
create index collection_address_collection_idx on collection_address (collection_uuid, kept_at desc);
comment on column collection_address.kept_at is 'When the collection was first called so.';

create function collection_address_keep() returns trigger language plpgsql as $$
begin
    insert into public.collection_address (slug, collection_uuid)
    values (new.slug, new.collection_uuid)
    on conflict (slug) do update set slug = excluded.slug
    where collection_address.collection_uuid = excluded.collection_uuid;
    if not found then
        raise exception 'the slug % belongs or belonged to another collection', new.slug
            using errcode = 'unique_violation', constraint = 'collection_address_pkey';
    end if;
    return null;
end $$;
create trigger collection_address after insert or update of slug on collection
    for each row execute function collection_address_keep();

-- Whether a collection with this window is visible now.
create function collection_on_show(shown_from timestamptz, shown_until timestamptz) returns boolean
    language sql stable parallel safe
    as $$
        select coalesce(shown_from <= public.labs_now(), false) and coalesce(public.labs_now() < shown_until, true)
    $$;

call audit_watch('collection', 'collection_uuid');
call audit_watch('collection_listing', 'collection_uuid');

grant select, insert, update, delete on collection, collection_listing to labs_service;
grant select, insert, update on collection_address to labs_service;

reset lock_timeout;
