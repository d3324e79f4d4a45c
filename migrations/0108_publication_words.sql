-- How long a text is, counted where it is written, so that a list of posts tells how long each takes to read without
-- sending its text.
set lock_timeout = '10s';

alter table publication_item add column words integer not null generated always as (regexp_count(body, '\S+')) stored;
comment on column publication_item.words is 'Words of the body.';

reset lock_timeout;
