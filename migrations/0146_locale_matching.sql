-- Selects the stored text for a reader. The service sends the tags that match the reader's, best first and separated by
-- blanks (`core/locale.rs`, whose `rank` agrees with `locale_rank`). An older release sends one tag, which is a list
-- with one entry.
set lock_timeout = '10s';

-- Rank of a stored tag; 1 is best, null means no match. A tag that is not listed matches by its language and script, or
-- by its language alone, if these are listed, and last if it has the language of the first tag.
create function locale_rank(stored text, preference text) returns integer language sql immutable parallel safe as $$
    select coalesce(
        array_position(string_to_array(preference, ' '), stored),
        100 + array_position(string_to_array(preference, ' '), split_part(stored, '-', 1) || '-' || split_part(stored, '-', 2)),
        200 + array_position(string_to_array(preference, ' '), split_part(stored, '-', 1)),
        case when split_part(stored, '-', 1) = split_part(split_part(preference, ' ', 1), '-', 1)
             then case when stored like '%-%' then 401 else 400 end end)
$$;

-- The locale in which a reader finds a text: the best match, else English if the text exists in it.
create or replace function locale_of(texts jsonb, wanted text) returns text language sql immutable parallel safe as $$
    select coalesce(
        (select stored from jsonb_object_keys(texts) as stored
          where locale_rank(stored, wanted) is not null order by locale_rank(stored, wanted), stored limit 1),
        (select 'en' where texts ? 'en'))
$$;

-- The text itself; null if none fits. Strict, so that it costs nothing if the reader named no language.
create function locale_text(texts jsonb, preference text) returns text language sql immutable strict parallel safe as $$
    select coalesce(
        texts ->> split_part(preference, ' ', 1),
        (select value from jsonb_each_text(texts) as kept (stored, value)
          where locale_rank(stored, preference) is not null
          order by locale_rank(stored, preference), stored limit 1))
$$;

reset lock_timeout;
