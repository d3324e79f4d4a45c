-- Length of a text, counted at write time, so that a list of posts shows the reading times without sending the texts.
set lock_timeout = '10s';

alter table publication_item add column words integer not null generated always as (regexp_count(body, '\S+')) stored;
comment on column publication_item.words is 'Words of the body.';

reset lock_timeout;
