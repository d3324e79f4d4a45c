-- The name of a listing in the form that lists compare, computed at write time instead of for every listing of a sorted
-- list.
set lock_timeout = '10s';

-- Immutable as long as the rules of unaccent stay as the extension installs them. After an update of the rules, `update
-- listing_translation set name = name` computes the column again.
create function listing_sort_name(name text) returns text
    language sql immutable strict parallel safe
    as $$ select lower(public.unaccent('public.unaccent', name)) $$;

alter table listing_translation
    add column sort_name text collate "C" not null generated always as (public.listing_sort_name(name)) stored;
comment on column listing_translation.sort_name is 'The name as it is compared: without accents, in lower case.';

reset lock_timeout;
