-- A search ranks what has the words in its name before anything else, and how much it ranks is bounded: the names are
-- looked through by an index of their own. `a` is the weight of a name in `listing_translation.search`.
set lock_timeout = '10s';

create index listing_translation_search_name_idx on listing_translation using gin (ts_filter(search, '{a}')) with (fastupdate = off);

reset lock_timeout;
