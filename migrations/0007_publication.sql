-- Publication: changelog, documentation and downloads; deprecations and releases of the contract.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

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
    words integer not null generated always as (regexp_count(body, '\S+')) stored,
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
    constraint publication_item_artefact_check check (num_nulls(object_key, file_name, media_type, size_bytes) in (0, 4)),
    constraint publication_item_generated_check check (
        generated is null
        or (generated in ('OPENAPI_YAML', 'OPENAPI_JSON', 'POSTMAN_COLLECTION', 'INSOMNIA_EXPORT', 'TYPESCRIPT_TYPES',
                          'ARAZZO_WORKFLOWS', 'LLMS_TEXT')
            and object_key is null and resource_version is null))
);
create index publication_item_state_idx on publication_item (kind, state, released_at desc);
create index publication_item_created_idx on publication_item (created_at desc, item_uuid desc);
create index publication_item_due_idx on publication_item (scheduled_for) where state = 'SCHEDULED';
create index publication_item_object_idx on publication_item (object_key) where object_key is not null;
comment on column publication_item.body is 'Markdown as the author wrote it.';
comment on column publication_item.version is 'Of a changelog entry: the release of the service that it describes.';
comment on column publication_item.operations is 'Of a changelog entry: ids of the affected operations.';
comment on column publication_item.fields is
    'Of a changelog entry: affected fields, each as operation id, colon and pointer, for example marketplace_apps_get:/name.';
comment on column publication_item.migration is 'Of a changelog entry: what a reader has to change, in Markdown.';
comment on column publication_item.author_uuid is 'Of a blog post: the user who created it.';
comment on column publication_item.show_author is
    'Whether readers see the author''s name. Only the author may change it.';
comment on column publication_item.object_key is
    'Of a developer resource: the SHA-256 of its file, which is the name of the stored object.';
comment on column publication_item.generated is
    'Of a developer resource without a file: the kind of document that the service generates.';
comment on column publication_item.release_key is
    'Of an entry that a machine client created: its version and title as sent, which identify a repeated request.';
comment on column publication_item.created_by_kind is 'STAFF_USER, MACHINE_CLIENT or SYSTEM.';
comment on column publication_item.scheduled_for is 'Time of the release, in state SCHEDULED.';
comment on column publication_item.first_released_at is
    'Time of the first release. From then on the slugs stay reserved for the item.';

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
comment on column publication_slug.kept_at is 'Time at which the item first had this slug.';

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
comment on column publication_transition.actor_kind is
    'STAFF_USER, MACHINE_CLIENT, or SYSTEM for a scheduled release.';
comment on column publication_transition.scheduled_for is 'For a transition to SCHEDULED: the time of the release.';
comment on column publication_transition.earlier is 'For an edit of a released item: its content before the edit.';
call audit_watch('publication_item', 'item_uuid');
call audit_watch('publication_transition', 'item_uuid');
grant select, insert, update, delete on publication_item, publication_slug to labs_service;
grant select, insert on publication_transition to labs_service;
comment on column publication_item.words is 'Number of words of the body.';

create table deprecation (
    deprecation_uuid uuid constraint deprecation_pkey primary key,
    operation_id text,
    parameter text,
    schema_name text,
    field text,
    value text,
    reason text not null,
    replacement text not null,
    replacement_operation_id text,
    sunset_at timestamptz not null,
    entry_uuid uuid constraint deprecation_entry_fkey references publication_item on delete set null,
    created_by uuid constraint deprecation_created_by_fkey references person on delete set null,
    created_at timestamptz not null default labs_now(),
    constraint deprecation_target_check check (
        (operation_id is null) = (schema_name is not null) and (schema_name is null) = (field is null)
        and (parameter is null or operation_id is not null)
        and (value is null or parameter is not null or field is not null)),
    constraint deprecation_target_key unique nulls not distinct (operation_id, parameter, schema_name, field, value)
);
create index deprecation_entry_idx on deprecation (entry_uuid);
create index deprecation_created_by_idx on deprecation (created_by);
comment on column deprecation.operation_id is
    'The deprecated operation, or the operation of the deprecated parameter.';
comment on column deprecation.schema_name is 'Schema of the contract that contains the deprecated field.';
comment on column deprecation.value is
    'Deprecated value of the parameter or field. Null if the whole parameter or field is deprecated.';
comment on column deprecation.replacement is 'What callers should use instead: one or two sentences of Markdown.';
comment on column deprecation.entry_uuid is 'Changelog entry that announces the deprecation.';

create table deprecation_use (
    deprecation_uuid uuid not null constraint deprecation_use_deprecation_fkey references deprecation on delete cascade,
    day date not null,
    account text not null,
    client_uuid uuid,
    requests bigint not null constraint deprecation_use_requests_check check (requests > 0),
    last_at timestamptz not null default labs_now(),
    constraint deprecation_use_key unique nulls not distinct (deprecation_uuid, day, account, client_uuid)
) with (fillfactor = 70);
create index deprecation_use_account_idx on deprecation_use (account, day desc);
create index deprecation_use_day_idx on deprecation_use (day);
comment on table deprecation_use is
    'Requests that used a deprecated element, by day and caller, since its deprecation.';
comment on column deprecation_use.account is
    'As request_usage.account. Requests without a token share the account anonymous.';
comment on column deprecation_use.client_uuid is 'Machine client that called. Null for a user.';

create table deprecation_reminder (
    deprecation_uuid uuid not null
        constraint deprecation_reminder_deprecation_fkey references deprecation on delete cascade,
    partner_uuid uuid not null constraint deprecation_reminder_partner_fkey references partner on delete cascade,
    days_before integer not null,
    sent_at timestamptz not null default labs_now(),
    constraint deprecation_reminder_pkey primary key (deprecation_uuid, partner_uuid, days_before)
);
create index deprecation_reminder_partner_idx on deprecation_reminder (partner_uuid);
comment on table deprecation_reminder is
    'Reminders that were sent to partners that still use a deprecated element, by the time left until its end.';
call audit_watch('deprecation', 'deprecation_uuid');
grant select, insert, update, delete on deprecation to labs_service;
grant select, insert, update, delete on deprecation_use to labs_service;
grant select, insert, delete on deprecation_reminder to labs_service;

create table contract_release (
    digest text constraint contract_release_pkey primary key,
    version text not null,
    document text not null,
    item_uuid uuid constraint contract_release_item_fkey references publication_item on delete set null,
    released_at timestamptz not null default labs_now()
);
create index contract_release_released_idx on contract_release (released_at desc);
create index contract_release_item_idx on contract_release (item_uuid);
comment on column contract_release.digest is 'SHA-256 of the document, in hexadecimal.';
comment on column contract_release.version is 'Release of the service whose changelog entry was released.';
comment on column contract_release.item_uuid is 'Changelog entry of the release.';
grant select, insert, update on contract_release to labs_service;
create trigger publication_item_public after insert or update or delete on publication_item
    for each row execute function public_changed('publication');
create trigger publication_slug_public after insert or update or delete on publication_slug
    for each row execute function public_changed('publication');
create trigger contract_release_public after insert or update or delete on contract_release
    for each row execute function public_changed('publication');

reset check_function_bodies;
reset lock_timeout;
reset timezone;
