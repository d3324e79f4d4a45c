-- Search of comments for staff, and erasure of board content.
set lock_timeout = '10s';

-- Pattern for `like` that matches text that contains this one literally, in lower case.
create function board_containing(sought text) returns text
    language sql immutable strict parallel safe
    as $$ select '%' || regexp_replace(lower(sought), '([\\%_])', '\\\1', 'g') || '%' $$;

create index feature_comment_contains_idx
    on feature_comment using gin ((lower(body) collate "C") gin_trgm_ops);
create index feature_comment_suspended_idx on feature_comment (created_at desc, comment_uuid desc)
    where suspended_at is not null;
create index feature_comment_open_idx on feature_comment (created_at desc, comment_uuid desc) where open_reports > 0;
create index feature_comment_answer_idx on feature_comment (created_at desc, comment_uuid desc) where is_answer;

grant delete on board_earlier_text to labs_service;

reset lock_timeout;
