-- Moves scheduled versions back to APPROVED if a higher version was published before publication did this itself. Also:
-- the parser reads a text of repeated comment openings to its end from each of them, with or without blanks, so that
-- ten thousand letters take half a second. An opening of a comment is not a word that users search for.
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
