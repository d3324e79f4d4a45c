-- Publication items: changelog entries, blog posts and developer resources, with one state machine. Readers see
-- RELEASED items, and every transition to that state is recorded.
set lock_timeout = '10s';

create table publication_item (
    item_uuid uuid constraint publication_item_pkey primary key,
    kind text not null
        constraint publication_item_kind_check check (kind in ('CHANGELOG_ENTRY', 'BLOG_POST', 'DEVELOPER_RESOURCE')),
    state text not null default 'DRAFT'
        constraint publication_item_state_check check (state in ('DRAFT', 'SCHEDULED', 'RELEASED', 'WITHDRAWN')),
    audience text not null default 'PUBLIC'
        constraint publication_item_audience_check check (audience in ('PUBLIC', 'PARTNER')),
    slug text not null,
    title text not null,
    summary text not null default '',
    body text not null default '',
    tags text[] not null default '{}',
    version text,
    change text
        constraint publication_item_change_check check (change in ('ADDED', 'CHANGED', 'DEPRECATED', 'FIXED', 'SECURITY')),
    operations text[] not null default '{}',
    fields text[] not null default '{}',
    effective_at timestamptz,
    action_required boolean not null default false,
    migration text,
    sunset_at timestamptz,
    author_uuid uuid constraint publication_item_author_fkey references person on delete set null,
    show_author boolean not null default false,
    resource_version text,
    object_key text,
    file_name text,
    media_type text,
    size_bytes bigint,
    generated text,
    release_key text,
    created_by_kind text not null,
    created_by_uuid uuid,
    scheduled_for timestamptz,
    first_released_at timestamptz,
    released_at timestamptz,
    withdrawn_at timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint publication_item_slug_key unique (kind, slug),
    constraint publication_item_release_key unique (release_key),
    constraint publication_item_of_kind_check check (
        case kind
            when 'CHANGELOG_ENTRY' then version is not null and change is not null and author_uuid is null
                and resource_version is null and object_key is null and generated is null and audience = 'PUBLIC'
            when 'BLOG_POST' then version is null and change is null and operations = '{}' and fields = '{}'
                and effective_at is null and not action_required and migration is null and sunset_at is null
                and resource_version is null and object_key is null and generated is null and audience = 'PUBLIC'
            else version is null and change is null and operations = '{}' and fields = '{}'
                and effective_at is null and not action_required and migration is null and sunset_at is null
                and author_uuid is null
        end),
    constraint publication_item_scheduled_check check ((state = 'SCHEDULED') = (scheduled_for is not null)),
    constraint publication_item_released_check check (
        case state when 'RELEASED' then released_at is not null and first_released_at is not null and withdrawn_at is null
                   when 'WITHDRAWN' then first_released_at is not null and withdrawn_at is not null
                   when 'DRAFT' then first_released_at is null and withdrawn_at is null
                   else true end),
    constraint publication_item_artefact_check check (num_nulls(object_key, file_name, media_type, size_bytes) in (0, 4))
);
create index publication_item_state_idx on publication_item (kind, state, released_at desc);
create index publication_item_created_idx on publication_item (created_at desc, item_uuid desc);
create index publication_item_due_idx on publication_item (scheduled_for) where state = 'SCHEDULED';
create index publication_item_object_idx on publication_item (object_key) where object_key is not null;
comment on column publication_item.body is 'Markdown, as it was written.';
comment on column publication_item.version is 'Of a changelog entry: the release of the service that it tells of.';
comment on column publication_item.operations is 'Of a changelog entry: ids of the operations concerned.';
comment on column publication_item.fields is
    'Of a changelog entry: fields concerned, each as an operation''s id, a colon and a pointer: marketplace_apps_get:/name.';
comment on column publication_item.migration is 'Of a changelog entry: what a reader has to do, in Markdown.';
comment on column publication_item.author_uuid is 'Of a blog post: the person who began it.';
comment on column publication_item.show_author is 'Whether readers are told the author''s name. Only the author says so.';
comment on column publication_item.object_key is 'Of a developer resource: the SHA-256 of its file, which names the object.';
comment on column publication_item.generated is
    'Of a developer resource: what the service makes itself in place of a file, by name.';
comment on column publication_item.release_key is
    'Of an entry that a program wrote: version and title as they came, by which the same release is known again.';
comment on column publication_item.created_by_kind is 'STAFF_USER, MACHINE_CLIENT or SYSTEM.';
comment on column publication_item.scheduled_for is 'When it is released, while it is SCHEDULED.';
comment on column publication_item.first_released_at is 'From then on its slugs stay reserved for it.';

-- Every current slug of an item, and every slug that it had while or after it was released: these redirect to it. A
-- slug that was never released is free again after the item is renamed.
create table publication_slug (
    kind text not null,
    slug text not null,
    item_uuid uuid not null constraint publication_slug_item_fkey references publication_item on delete cascade,
    kept_at timestamptz not null default labs_now(),
    constraint publication_slug_pkey primary key (kind, slug)
);
create index publication_slug_item_idx on publication_slug (item_uuid, kept_at desc);
comment on column publication_slug.kept_at is 'When the item was first called so.';

create function publication_slug_keep() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and old.first_released_at is null then
        delete from public.publication_slug
        where kind = old.kind and slug = old.slug and item_uuid = old.item_uuid and slug <> new.slug;
    end if;
    insert into public.publication_slug (kind, slug, item_uuid)
    values (new.kind, new.slug, new.item_uuid)
    on conflict (kind, slug) do update set slug = excluded.slug
    where publication_slug.item_uuid = excluded.item_uuid;
    if not found then
        raise exception 'the slug % belongs or belonged to another item', new.slug
            using errcode = 'unique_violation', constraint = 'publication_slug_pkey';
    end if;
    return null;
end $$;
create trigger publication_slug after insert or update of slug on publication_item
    for each row execute function publication_slug_keep();

-- Transitions of an item: actor, states, time and reason. Rows are added and never changed.
create table publication_transition (
    transition_uuid uuid constraint publication_transition_pkey primary key default labs_uuid(),
    item_uuid uuid not null constraint publication_transition_item_fkey references publication_item on delete cascade,
    actor_kind text not null,
    actor_uuid uuid,
    from_state text not null,
    to_state text not null,
    occurred_at timestamptz not null default labs_now(),
    scheduled_for timestamptz,
    reason text,
    earlier jsonb
);
create index publication_transition_item_idx
    on publication_transition (item_uuid, occurred_at desc, transition_uuid desc);
comment on column publication_transition.actor_kind is 'STAFF_USER or MACHINE_CLIENT; SYSTEM when its time had come.';
comment on column publication_transition.scheduled_for is 'For a transition to SCHEDULED: when it is to be released.';
comment on column publication_transition.earlier is 'For an edit of what is released: all that it said before.';

call audit_watch('publication_item', 'item_uuid');
call audit_watch('publication_transition', 'item_uuid');

grant select, insert, update, delete on publication_item, publication_slug to labs_service;
grant select, insert on publication_transition to labs_service;

reset lock_timeout;
