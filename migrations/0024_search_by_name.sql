-- A search ranks matches in the name first, and the number of ranked rows is limited. A separate index therefore
-- searches the names. `a` is the weight of a name in `listing_translation.search`.
set lock_timeout = '10s';

create index listing_translation_search_name_idx on listing_translation using gin (ts_filter(search, '{a}')) with (fastupdate = off);

reset lock_timeout;
