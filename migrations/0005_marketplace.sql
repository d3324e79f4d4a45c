-- Marketplace: apps, versions, categories, submissions and their review.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

-- The category tree from which a partner chooses. Names and descriptions are objects of locale to text.
create table category (
    category_uuid uuid constraint category_pkey primary key,
    parent_uuid uuid constraint category_parent_fkey references category,
    slug text not null constraint category_slug_key unique
        constraint category_slug_check check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
    icon text,
    position integer not null default 0,
    state text not null default 'ACTIVE'
        constraint category_state_check check (state in ('ACTIVE', 'DEACTIVATED')),
    names jsonb not null
        constraint category_names_check check (jsonb_typeof(names) = 'object' and names <> '{}'),
    descriptions jsonb not null default '{}'
        constraint category_descriptions_check check (jsonb_typeof(descriptions) = 'object'),
    also_called jsonb not null default '{}'
        constraint category_also_called_check check (jsonb_typeof(also_called) = 'object'),
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint category_parent_check check (parent_uuid <> category_uuid)
);
comment on column category.also_called is 'Synonyms of the names, for the search: a list of words by locale.';
create index category_parent_idx on category (parent_uuid, position, category_uuid);
create index category_position_idx on category (position, category_uuid);

-- Place of each category: its path from the root to itself, and whether readers see it. A category below a deactivated
-- one is not shown, regardless of this state. The recursion starts at the roots, so that it always terminates.
create view category_place as
with recursive place as (
    select category_uuid, parent_uuid, array[category_uuid] as path, 0 as depth, state = 'ACTIVE' as shown
    from category
    where parent_uuid is null
    union all
    select c.category_uuid, c.parent_uuid, p.path || c.category_uuid, p.depth + 1, p.shown and c.state = 'ACTIVE'
    from category as c
    join place as p on c.parent_uuid = p.category_uuid
)
select category_uuid, parent_uuid, path, depth, shown
from place;

-- The draft of an app. An app may be deleted only if it was never published. Deletion cascades to dependent rows; a
-- listing or a customer review prevents it.
create table app (
    app_uuid uuid constraint app_pkey primary key,
    partner_uuid uuid not null constraint app_partner_fkey references partner,
    slug text not null
        constraint app_slug_check check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
    default_locale text not null constraint app_default_locale_check
        check (default_locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
    state text not null default 'DRAFT'
        constraint app_state_check check (state in ('DRAFT', 'LISTED', 'UNLISTED', 'SUSPENDED', 'ARCHIVED')),
    support_url text,
    support_email text,
    privacy_url text,
    website_url text,
    terms_url text,
    state_reason text,
    state_changed_at timestamptz not null default labs_now(),
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    former_state text,
    slug_freed boolean not null default false,
    constraint app_former_state_check
    check (former_state in ('LISTED', 'UNLISTED') and (state <> 'SUSPENDED' or former_state is not null))
);
alter table support_ticket
    add constraint support_ticket_app_fkey foreign key (app_uuid) references app on delete set null;

-- A ticket as its partner sees it.
create view support_ticket_shown as
select
    t.ticket_uuid, t.partner_uuid, t.subject, t.topic, t.app_uuid, a.slug as app_slug, t.state, t.state_changed_at,
    t.priority, t.opened_by_kind, t.opened_by, coalesce(p.name, c.name) as opened_by_name, t.messages_count,
    t.last_message_at, t.created_at
from support_ticket as t
left join app as a on a.app_uuid = t.app_uuid
left join person as p on p.person_uuid = t.opened_by and p.partner_uuid = t.partner_uuid
left join machine_client as c on c.client_uuid = t.opened_by and c.partner_uuid = t.partner_uuid;

-- A ticket as support sees it.
create view support_desk_shown as
select
    t.ticket_uuid, t.partner_uuid, o.company_name, t.subject, t.topic, t.app_uuid, a.slug as app_slug, t.state,
    t.state_changed_at, t.priority, t.urgency, t.opened_by_kind, t.opened_by, coalesce(p.name, c.name) as opened_by_name,
    t.assignee_uuid, s.name as assignee_name, t.waiting_since, t.messages_count, t.last_message_at, t.created_at,
    t.updated_at
from support_ticket as t
join partner as o on o.partner_uuid = t.partner_uuid
left join app as a on a.app_uuid = t.app_uuid
left join person as p on p.person_uuid = t.opened_by
left join machine_client as c on c.client_uuid = t.opened_by
left join person as s on s.person_uuid = t.assignee_uuid;
grant select on support_ticket_shown, support_desk_shown to labs_service;
create index app_partner_idx on app (partner_uuid, created_at desc, app_uuid desc);
create index app_partner_state_idx on app (partner_uuid, state, created_at desc, app_uuid desc);
create index app_created_at_idx on app (created_at desc, app_uuid desc);

create table app_translation (
    app_uuid uuid not null constraint app_translation_app_fkey references app on delete cascade,
    locale text not null constraint app_translation_locale_check
        check (locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$'),
    name text not null constraint app_translation_name_check check (length(name) between 1 and 120),
    tagline text not null default '' constraint app_translation_tagline_check check (length(tagline) <= 240),
    description text not null default ''
        constraint app_translation_description_check check (length(description) <= 20000),
    updated_at timestamptz not null default labs_now(),
    constraint app_translation_pkey primary key (app_uuid, locale)
);

-- The primary category is at position 0. The unique constraint is checked at the end of a statement, so that one
-- statement may change all positions.
create table app_category (
    app_uuid uuid not null constraint app_category_app_fkey references app on delete cascade,
    category_uuid uuid not null constraint app_category_category_fkey references category,
    position integer not null constraint app_category_position_check check (position between 0 and 2),
    constraint app_category_pkey primary key (app_uuid, category_uuid),
    constraint app_category_position_key unique (app_uuid, position) deferrable initially immediate
);
create index app_category_category_idx on app_category (category_uuid, app_uuid);

-- Returns a sort key for semantic versions in the order of their specification, in one indexable column: numbers are
-- padded; a release (`~`) sorts after its pre-releases; numeric identifiers sort before others and compare as numbers;
-- the shorter list sorts first. The key is text that is compared by bytes.
create function version_precedence(major bigint, minor bigint, patch bigint, prerelease text) returns text
    language sql immutable strict parallel safe
    as $$
        select lpad(major::text, 19, '0') || '.' || lpad(minor::text, 19, '0') || '.' || lpad(patch::text, 19, '0')
            || case when prerelease = '' then '~' else '-' || (
                select string_agg(case
                    when part ~ '^[0-9]+$' then '0' || lpad(length(part)::text, 3, '0') || part
                    else '1' || part
                end, ' ' order by place)
                from unnest(string_to_array(prerelease, '.')) with ordinality as identifiers (part, place)
            ) end
    $$;

-- A version of an app. `created_by` is a user or a machine client. At most one version of an app is PUBLISHED: the
-- previous one is superseded first.
create table app_version (
    version_uuid uuid constraint app_version_pkey primary key,
    app_uuid uuid not null constraint app_version_app_fkey references app on delete cascade,
    number text not null constraint app_version_number_check
        check (number ~ '^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$' and length(number) <= 100),
    major bigint not null constraint app_version_major_check check (major >= 0),
    minor bigint not null constraint app_version_minor_check check (minor >= 0),
    patch bigint not null constraint app_version_patch_check check (patch >= 0),
    prerelease text not null default '',
    precedence text collate "C" not null
        generated always as (version_precedence(major, minor, patch, prerelease)) stored,
    release_notes jsonb not null default '{}'
        constraint app_version_release_notes_check check (jsonb_typeof(release_notes) = 'object'),
    manifest jsonb not null default '{"permissions": [], "redirect_uris": []}'
        constraint app_version_manifest_check check (jsonb_typeof(manifest) = 'object'),
    state text not null default 'DRAFT' constraint app_version_state_check
        check (state in ('DRAFT', 'SUBMITTED', 'IN_REVIEW', 'CHANGES_REQUESTED', 'APPROVED', 'SCHEDULED', 'PUBLISHED',
            'SUPERSEDED', 'REJECTED', 'WITHDRAWN')),
    state_changed_at timestamptz not null default labs_now(),
    publish_at timestamptz,
    published_at timestamptz,
    created_by uuid,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint app_version_number_key unique (app_uuid, number),
    constraint app_version_publish_at_check check (state <> 'SCHEDULED' or publish_at is not null),
    constraint app_version_published_at_check
        check (state not in ('PUBLISHED', 'SUPERSEDED') or published_at is not null)
);
create unique index app_version_published_key on app_version (app_uuid) where state = 'PUBLISHED';
create index app_version_app_idx on app_version (app_uuid, created_at desc, version_uuid desc);
create index app_version_precedence_idx on app_version (app_uuid, precedence desc);
create index app_version_publish_at_idx on app_version (publish_at) where state = 'SCHEDULED';

-- Listing requirements. The checklist of an app and the reviewers' findings use the same numbers. The service checks
-- the automatic ones, reviewers check the others.
create table listing_requirement (
    code text constraint listing_requirement_pkey primary key
        constraint listing_requirement_code_check check (code ~ '^REQ-[0-9]{2,3}$'),
    title text not null,
    description text not null,
    position integer not null,
    automatic boolean not null,
    active boolean not null default true
);

insert into listing_requirement (code, title, description, position, automatic) values
    ('REQ-01', 'Icon', 'One icon, square, at least 256 by 256 pixels.', 1, true),
    ('REQ-02', 'Name', 'A name of 2 to 60 characters in the default locale.', 2, true),
    ('REQ-03', 'Tagline', 'A line that says what the app does, in the default locale.', 3, true),
    ('REQ-04', 'Description', 'What the app does and for whom, in the default locale.', 4, true),
    ('REQ-05', 'Primary category', 'A primary category that is active.', 5, true),
    ('REQ-06', 'Screenshots', 'At least two screenshots. Recommended, but not required.', 6, true),
    ('REQ-07', 'Support contact', 'An e-mail address or a page where customers find help.', 7, true),
    ('REQ-08', 'Privacy policy', 'The address of a privacy policy, starting with https.', 8, true),
    ('REQ-09', 'Release notes', 'Release notes of the version in the default locale.', 9, true),
    ('REQ-10', 'Redirect URIs', 'Every redirect URI starts with https, or leads to the loopback interface, and has no fragment.', 10, true),
    ('REQ-11', 'Alternative texts', 'A text with every picture for those who cannot see it. Recommended.', 11, true),
    ('REQ-12', 'Account', 'The company''s account is active and an administrator''s e-mail address is verified.', 12, true),
    ('REQ-13', 'Complete texts', 'Every locale that was begun has a name, a tagline and a description.', 13, true),
    ('REQ-14', 'Permissions', 'The app asks for no more than it needs, and the description says what for.', 14, false),
    ('REQ-15', 'Truth', 'The app does what its listing says.', 15, false),
    ('REQ-16', 'Pictures', 'Screenshots show the app itself, legibly, without data of real people.', 16, false),
    ('REQ-17', 'Names of others', 'Names and marks of others appear only where the owner may use them.', 17, false);

-- A submission of an app version. The snapshot contains the submitted data (texts, links, categories, media, version),
-- so that the decision is about exactly that data. `submitted_by` is a user or a machine client, `reviewer_uuid` a
-- staff member. A version has at most one open submission. A resubmission creates a new row; an appeal is a submission
-- too.
create table submission (
    submission_uuid uuid constraint submission_pkey primary key,
    version_uuid uuid not null constraint submission_version_fkey references app_version on delete cascade,
    app_uuid uuid not null constraint submission_app_fkey references app on delete cascade,
    partner_uuid uuid not null constraint submission_partner_fkey references partner,
    state text not null default 'SUBMITTED' constraint submission_state_check
        check (state in ('SUBMITTED', 'IN_REVIEW', 'APPROVED', 'CHANGES_REQUESTED', 'REJECTED', 'WITHDRAWN')),
    submitted_by uuid,
    submitted_at timestamptz not null default labs_now(),
    reviewer_uuid uuid constraint submission_reviewer_fkey references person,
    claimed_at timestamptz,
    decided_at timestamptz,
    decision_note text,
    appeal boolean not null default false,
    appeal_text text,
    snapshot jsonb not null,
    estimated_at timestamptz,
    updated_at timestamptz not null default labs_now(),
    -- `queued_at` is the position in the queue: a resubmission and a replacement keep the former one's. `waiting_on` is
    -- null if neither side has to act. While the submission waits for the partner, `due_left_seconds` contains the time
    -- left until the due date. `asks_more` states that it requests permissions that the published version does not have.
    queued_at timestamptz not null default labs_now(),
    waiting_on text constraint submission_waiting_on_check check (waiting_on in ('PARTNER', 'REVIEWERS')),
    waiting_since timestamptz,
    due_at timestamptz,
    due_left_seconds bigint,
    reminders integer not null default 0,
    asks_more boolean not null default false,
    constraint submission_reviewer_check check (state <> 'IN_REVIEW' or reviewer_uuid is not null),
    constraint submission_decided_at_check
        check (state not in ('APPROVED', 'CHANGES_REQUESTED', 'REJECTED') or decided_at is not null),
    constraint submission_appeal_check check (appeal = (appeal_text is not null))
);
create unique index submission_open_key on submission (version_uuid) where state in ('SUBMITTED', 'IN_REVIEW');
create index submission_version_idx on submission (version_uuid, submitted_at desc, submission_uuid desc);
create index submission_app_idx on submission (app_uuid, submitted_at desc, submission_uuid desc);
create index submission_partner_idx on submission (partner_uuid, submitted_at desc, submission_uuid desc);
create index submission_state_idx on submission (state, submitted_at, submission_uuid);
create index submission_submitted_at_idx on submission (submitted_at, submission_uuid);
create index submission_reviewer_idx on submission (reviewer_uuid, submitted_at, submission_uuid);
create index submission_decided_at_idx on submission (decided_at desc) where decided_at is not null;

create table submission_finding (
    finding_uuid uuid constraint submission_finding_pkey primary key,
    submission_uuid uuid not null constraint submission_finding_submission_fkey references submission on delete cascade,
    requirement_code text not null
        constraint submission_finding_requirement_fkey references listing_requirement,
    text text not null,
    position integer not null default 0,
    resolved boolean not null default false,
    created_at timestamptz not null default labs_now(),
    -- `place` is the location of the finding, a path into the submission; null if the reviewer names none. A finding that an appeal
    -- disproved is withdrawn.
    place text constraint submission_finding_place_check check (place ~ '^/' and length(place) <= 300),
    observed text constraint submission_finding_observed_check check (length(observed) <= 2000),
    why_now text constraint submission_finding_why_now_check check (length(why_now) <= 2000),
    withdrawn_at timestamptz
);
create index submission_finding_submission_idx on submission_finding (submission_uuid, position, finding_uuid);
create index submission_finding_requirement_idx on submission_finding (requirement_code);

-- Messages about a submission. An internal note is never shown to the partner.
create table review_message (
    message_uuid uuid constraint review_message_pkey primary key,
    submission_uuid uuid not null constraint review_message_submission_fkey references submission on delete cascade,
    author_kind text not null constraint review_message_author_kind_check
        check (author_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM')),
    author_uuid uuid,
    internal boolean not null default false,
    body text,
    created_at timestamptz not null default labs_now(),
    -- All messages about a version from both sides, in one order: comments with each submission, messages, notes that the
    -- partner never sees, and decisions with their findings.
    version_uuid uuid not null constraint review_message_version_fkey references app_version on delete cascade,
    kind text not null default 'MESSAGE' constraint review_message_kind_check
        check (kind in ('SUBMISSION', 'MESSAGE', 'NOTE', 'DECISION')),
    decision text constraint review_message_decision_check
        check (decision in ('APPROVED', 'CHANGES_REQUESTED', 'REJECTED', 'WITHDRAWN')),
    constraint review_message_internal_check check (not internal or author_kind in ('STAFF_USER', 'SYSTEM')),
    constraint review_message_said_check check (kind in ('SUBMISSION', 'DECISION') or body is not null),
    constraint review_message_decided_check check ((kind = 'DECISION') = (decision is not null)),
    constraint review_message_note_check check ((kind = 'NOTE') = internal)
);
create index review_message_submission_idx on review_message (submission_uuid, created_at, message_uuid);

-- Media items. The bytes are in the object storage under `object_key`; the row is written only after the upload. The
-- variants are smaller copies: an object of name to {object_key, media_type, width, height, size_bytes}. A media item
-- that was removed from the draft keeps its row while a listing shows it.
create table media (
    media_uuid uuid constraint media_pkey primary key,
    app_uuid uuid not null constraint media_app_fkey references app on delete cascade,
    kind text not null constraint media_kind_check check (kind in ('ICON', 'SCREENSHOT', 'BANNER')),
    position integer not null default 0,
    alt_text text not null default '',
    caption text not null default '',
    media_type text not null
        constraint media_media_type_check check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
    width integer not null constraint media_width_check check (width > 0),
    height integer not null constraint media_height_check check (height > 0),
    size_bytes bigint not null constraint media_size_bytes_check check (size_bytes > 0),
    sha256 bytea not null constraint media_sha256_check check (octet_length(sha256) = 32),
    object_key text not null,
    variants jsonb not null default '{}' constraint media_variants_check check (jsonb_typeof(variants) = 'object'),
    removed_at timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    renditions jsonb not null default '[]'
        constraint media_renditions_check check (jsonb_typeof(renditions) = 'array'),
    renditions_due boolean not null default false,
    alt_texts jsonb not null default '{}'
        constraint media_alt_texts_check check (jsonb_typeof(alt_texts) = 'object'),
    captions jsonb not null default '{}'
        constraint media_captions_check check (jsonb_typeof(captions) = 'object')
);
create index media_app_idx on media (app_uuid, kind, position, media_uuid);
create index media_created_at_idx on media (app_uuid, created_at desc, media_uuid desc);
create index media_object_key_idx on media (object_key);

-- History of an app, for its owner and for staff.
create table app_event (
    event_uuid uuid constraint app_event_pkey primary key,
    app_uuid uuid not null constraint app_event_app_fkey references app on delete cascade,
    occurred_at timestamptz not null default labs_now(),
    kind text not null constraint app_event_kind_check check (kind ~ '^[A-Z][A-Z_]*$'),
    actor_kind text not null constraint app_event_actor_kind_check
        check (actor_kind in ('PARTNER_USER', 'MACHINE_CLIENT', 'STAFF_USER', 'SYSTEM', 'ANONYMOUS')),
    actor_uuid uuid,
    detail jsonb not null default '{}'
);
create index app_event_app_idx on app_event (app_uuid, occurred_at desc, event_uuid desc);
call audit_watch('category', 'category_uuid');
call audit_watch('app', 'app_uuid');
call audit_watch('app_translation', 'app_uuid');
call audit_watch('app_category', 'app_uuid');
call audit_watch('app_version', 'version_uuid');
call audit_watch('listing_requirement');
call audit_watch('submission', 'submission_uuid');
call audit_watch('submission_finding', 'finding_uuid');
call audit_watch('review_message', 'message_uuid');
call audit_watch('media', 'media_uuid');
grant select, insert, update, delete on category, app, app_translation, app_category, app_version, listing_requirement,
    submission, submission_finding, review_message, media to labs_service;
grant select, insert on app_event to labs_service;
grant select on category_place to labs_service;
create index media_variants_idx on media using gin (jsonb_path_query_array(variants, '$.*.object_key') jsonb_path_ops);

-- A job looks for media that were removed from a draft, to delete them once nothing shows them.
create index media_removed_at_idx on media (removed_at) where removed_at is not null;

create table category_address (
    slug text constraint category_address_pkey primary key,
    category_uuid uuid not null constraint category_address_category_fkey references category on delete cascade,
    kept_at timestamptz not null default labs_now()
);
create index category_address_category_idx on category_address (category_uuid, kept_at desc);
comment on column category_address.kept_at is 'Time at which the category first had this slug.';

create function category_address_keep() returns trigger language plpgsql as $$
begin
    insert into public.category_address (slug, category_uuid)
    values (new.slug, new.category_uuid)
    on conflict (slug) do update set slug = excluded.slug
    where category_address.category_uuid = excluded.category_uuid;
    if not found then
        raise exception 'the slug % belongs or belonged to another category', new.slug
            using errcode = 'unique_violation', constraint = 'category_address_pkey';
    end if;
    return null;
end $$;
create trigger category_address after insert or update of slug on category
    for each row execute function category_address_keep();
grant select, insert, update on category_address to labs_service;

-- The queue is read in the order of its positions.
create index submission_queued_at_idx on submission (queued_at, submission_uuid);
create index submission_state_queued_at_idx on submission (state, queued_at, submission_uuid);
create index submission_reviewer_queued_at_idx on submission (reviewer_uuid, queued_at, submission_uuid);
create index submission_due_at_idx on submission (due_at) where waiting_on = 'REVIEWERS';
create index submission_silent_idx on submission (waiting_since) where waiting_on = 'PARTNER';

insert into service_setting (key, value) values ('marketplace.review_promise_days', '3');

-- Findings of the reviewers in a version, each with its state: `NEW`, `STILL_THERE` if several reviews named it,
-- `MENDED` or `WITHDRAWN`.
create view version_finding as
select o.version_uuid, o.submission_uuid, o.submitted_at, f.finding_uuid, f.requirement_code, f.text, f.place, f.observed,
    f.why_now, f.resolved, f.position, case
        when f.withdrawn_at is not null then 'WITHDRAWN'
        when f.resolved then 'MENDED'
        when exists (
            select
            from submission as other
            join submission_finding as named on named.submission_uuid = other.submission_uuid
            where other.version_uuid = o.version_uuid and other.submission_uuid <> o.submission_uuid
                and named.requirement_code = f.requirement_code and named.place is not distinct from f.place)
            then 'STILL_THERE'
        else 'NEW'
    end as status
from submission_finding as f
join submission as o on o.submission_uuid = f.submission_uuid;
create index review_message_version_idx on review_message (version_uuid, created_at, message_uuid);

-- Position up to which a user has read the thread of a version.
create table review_thread_read (
    version_uuid uuid not null constraint review_thread_read_version_fkey references app_version on delete cascade,
    person_uuid uuid not null constraint review_thread_read_person_fkey references person on delete cascade,
    read_until timestamptz not null,
    constraint review_thread_read_pkey primary key (version_uuid, person_uuid)
);
create index review_thread_read_person_idx on review_thread_read (person_uuid);
grant select, insert, update, delete on review_thread_read to labs_service;
grant select on version_finding to labs_service;

create table app_transfer (
    app_uuid uuid not null constraint app_transfer_app_fkey references app on delete cascade,
    transferred_at timestamptz not null default labs_now(),
    from_partner_uuid uuid not null constraint app_transfer_from_fkey references partner,
    to_partner_uuid uuid not null constraint app_transfer_to_fkey references partner,
    constraint app_transfer_pkey primary key (app_uuid, transferred_at),
    constraint app_transfer_partners_check check (from_partner_uuid <> to_partner_uuid)
);
create index app_transfer_from_idx on app_transfer (from_partner_uuid);
create index app_transfer_to_idx on app_transfer (to_partner_uuid);

-- Time since when an app belongs to its owner; `-infinity` if it always did. The owner does not see the actors of
-- earlier events.
create function app_owned_since(app_uuid uuid) returns timestamptz language sql stable parallel safe as $$
    select coalesce(max(t.transferred_at), '-infinity') from public.app_transfer as t where t.app_uuid = $1
$$;

-- Start and end of each ownership of an app: rows written in that period belong to that partner.
create view app_tenure as
select t.app_uuid, t.from_partner_uuid as partner_uuid, coalesce((
        select max(before.transferred_at) from app_transfer as before
        where before.app_uuid = t.app_uuid and before.transferred_at < t.transferred_at), '-infinity') as since,
    t.transferred_at as until
from app_transfer as t
union all
select a.app_uuid, a.partner_uuid, app_owned_since(a.app_uuid), 'infinity' from app as a;
grant select, insert on app_transfer to labs_service;
grant select on app_tenure to labs_service;
create index app_version_live_idx on app_version (app_uuid, published_at desc, version_uuid desc)
    where state in ('PUBLISHED', 'SUPERSEDED');
comment on column media.renditions is
    'Copies in other sizes, narrowest first: {object_key, media_type, width, height, size_bytes}.';
comment on column media.renditions_due is 'Whether a job still has to create the copies.';
create index media_renditions_due_idx on media (media_uuid) where renditions_due;

-- The sweep of objects also checks these names.
create index media_renditions_idx
    on media using gin (jsonb_path_query_array(renditions, '$[*].object_key') jsonb_path_ops);
create index app_translation_begins_idx on app_translation ((folded(name) collate "C"), app_uuid);

-- Whether a listing or a submission needs a media item: a pending submission, a submission of a version that is or may
-- be published or was replaced within the last 30 days, or a submission that was decided or withdrawn within that time.
create function media_is_needed(of_media uuid, of_app uuid) returns boolean
    language sql stable parallel safe
    as $$
        select exists (select from public.listing_media as shown where shown.media_uuid = of_media)
            or exists (
                select from public.submission as s join public.app_version as v using (version_uuid)
                where s.app_uuid = of_app
                    and s.snapshot -> 'media' @> jsonb_build_array(jsonb_build_object('media_uuid', of_media))
                    and (s.waiting_on is not null
                        or s.state = 'APPROVED' and v.state in ('APPROVED', 'SCHEDULED', 'PUBLISHED')
                        or s.state = 'APPROVED' and v.state = 'SUPERSEDED'
                            and v.state_changed_at > public.labs_now() - interval '30 days'
                        or greatest(s.submitted_at, s.decided_at, s.updated_at) > public.labs_now() - interval '30 days'))
    $$;

create view media_counted as
select m.media_uuid, m.app_uuid, m.kind, m.size_bytes, m.removed_at
from media as m
where m.removed_at is null or media_is_needed(m.media_uuid, m.app_uuid);
comment on view media_counted is
    'Images of apps that count against the partner''s tier: those of drafts, and those that are still needed.';
grant select on media_counted to labs_service;
comment on column app.slug_freed is
    'Whether others may use the slug of this archived app, because the app was never published.';
create unique index app_slug_key on app (slug) where state <> 'ARCHIVED' or not slug_freed;

reset check_function_bodies;
reset lock_timeout;
reset timezone;
