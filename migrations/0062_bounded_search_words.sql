-- From some characters, the text parser of PostgreSQL looks ahead to the end of the word, so that a word of ten
-- thousand underscores, or of dots and slashes, takes seconds. No real word looks like this: after a hundred letters
-- the next such character ends the word, and all real texts are found by the same words as before. Stored data does not
-- need to change.
set lock_timeout = '10s';

create function search_words(written text) returns text
    language sql immutable strict parallel safe
    as $$ select regexp_replace(written, '(\S{100})[_~./:@-]', '\1 ', 'g') $$;

create or replace function listing_search(locale text, name text, tagline text, description text) returns tsvector
    language sql immutable strict parallel safe
    as $$
        select
            setweight(to_tsvector(public.search_configuration(locale), public.search_words(name)), 'A')
            || setweight(to_tsvector(public.search_configuration(locale), public.search_words(tagline)), 'B')
            || setweight(to_tsvector(public.search_configuration(locale), public.search_words(description)), 'C')
            || setweight(to_tsvector('public.labs_simple', public.search_words(name)), 'A')
            || setweight(to_tsvector('public.labs_simple', public.search_words(tagline)), 'B')
            || setweight(to_tsvector('public.labs_simple', public.search_words(description)), 'C')
    $$;

-- A job looks for media that were removed from a draft, to delete them once nothing shows them.
create index media_removed_at_idx on media (removed_at) where removed_at is not null;

reset lock_timeout;
