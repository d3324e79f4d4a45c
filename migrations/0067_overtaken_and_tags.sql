-- Versions that waited for their time when a higher one went live, before publishing one took it from them: their time
-- never comes. And a text made of beginnings of comments is read to its end from each of them, blanks or not, so that ten
-- thousand letters cost half a second: what begins one is no word that somebody searches for.
set lock_timeout = '10s';

with overtaken as (
    update app_version as v
    set state = 'APPROVED', publish_at = null, state_changed_at = labs_now(), updated_at = labs_now()
    from app_version as live
    where live.app_uuid = v.app_uuid and live.state = 'PUBLISHED' and v.state = 'SCHEDULED'
        and v.precedence < live.precedence
    returning v.app_uuid, v.version_uuid, v.number, live.number as by_number
)
insert into app_event (event_uuid, app_uuid, kind, actor_kind, detail)
select labs_uuid(), app_uuid, 'VERSION_OVERTAKEN', 'SYSTEM',
    jsonb_build_object('version_uuid', version_uuid, 'number', number, 'by_number', by_number)
from overtaken;

create or replace function search_words(written text) returns text
    language sql immutable strict parallel safe
    as $$ select regexp_replace(replace(written, '<!', '< '), '(\S{100})[_~./:@-]', '\1 ', 'g') $$;

reset lock_timeout;
