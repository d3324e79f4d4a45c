-- The HTML of board texts is stored with them, so that a read or a vote renders nothing.
set lock_timeout = '10s';

alter table feature_request
    add column body_html text,
    add column body_renderer smallint not null default 0;
comment on column feature_request.body_html is 'The body as HTML.';
comment on column feature_request.body_renderer is
    'The version of the renderer that made the HTML; 0 while there is none. The job TEXT_RENDERING replaces older HTML.';
alter table feature_comment
    add column body_html text,
    add column body_renderer smallint not null default 0;
comment on column feature_comment.body_html is 'The body as HTML.';
comment on column feature_comment.body_renderer is
    'The version of the renderer that made the HTML; 0 while there is none. The job TEXT_RENDERING replaces older HTML.';
create index feature_request_renderer_idx on feature_request (body_renderer, request_uuid);
create index feature_comment_renderer_idx on feature_comment (body_renderer, comment_uuid);

-- HTML never outlives its text: a statement that changes only the text, as the erasure of a company and older releases
-- do, removes the HTML.
create function board_html_outdated() returns trigger language plpgsql as $$
begin
    new.body_html := null;
    new.body_renderer := 0;
    return new;
end $$;
create trigger feature_request_html before update of body on feature_request for each row
    when (new.body is distinct from old.body and new.body_html is not distinct from old.body_html)
    execute function board_html_outdated();
create trigger feature_comment_html before update of body on feature_comment for each row
    when (new.body is distinct from old.body and new.body_html is not distinct from old.body_html)
    execute function board_html_outdated();

-- The audit log contains the text; its HTML adds no information.
create or replace function audit_visible(fields jsonb) returns jsonb
    language sql immutable strict parallel safe
    as $$
        select coalesce(jsonb_object_agg(key, value), '{}')
        from jsonb_each(fields)
        where key !~ '(hash|sha256|sealed|secret|token|password|last_step|^search|^body_html$|^body_renderer$)'
            or key ~ '_uuid$'
    $$;

reset lock_timeout;
