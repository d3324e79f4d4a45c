-- Every slug that a category has or had. A former slug redirects to the current one and stays reserved: no other
-- category can use it while its category exists. One key covers current and former slugs, so that two concurrent
-- writers never both get a slug, regardless of their snapshots.
set lock_timeout = '10s';

create table category_address (
    slug text constraint category_address_pkey primary key,
    category_uuid uuid not null constraint category_address_category_fkey references category on delete cascade,
    kept_at timestamptz not null default labs_now()
);
create index category_address_category_idx on category_address (category_uuid, kept_at desc);
comment on column category_address.kept_at is 'When the category was first called so.';

insert into category_address (slug, category_uuid, kept_at) select slug, category_uuid, created_at from category;

create function category_address_keep() returns trigger language plpgsql as $$
begin
    insert into public.category_address (slug, category_uuid)
    values (new.slug, new.category_uuid)
    on conflict (slug) do update set slug = excluded.slug
    where category_address.category_uuid = excluded.category_uuid;
    if not found then
        raise exception 'the slug % belongs or belonged to another category', new.slug
            using errcode = 'unique_violation', constraint = 'category_address_pkey';
    end if;
    return null;
end $$;
create trigger category_address after insert or update of slug on category
    for each row execute function category_address_keep();

grant select, insert, update on category_address to labs_service;

reset lock_timeout;
