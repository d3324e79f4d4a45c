-- The storefront. A listing is a copy of the approved data, made at publication: texts, links, media, categories and
-- version. Readers see these rows and nothing else. Later edits of the owner reach readers only with the next
-- publication.
set lock_timeout = '10s';

-- Both are part of PostgreSQL: trigram similarity for incomplete and mistyped words, and removal of accents.
create extension if not exists pg_trgm with schema public;
create extension if not exists unaccent with schema public;

-- One search configuration per language that PostgreSQL can stem, `labs_simple` for the others. Each removes accents
-- first, so that `cafe` finds `Café`.
do $$
declare
    language_name text;
begin
    foreach language_name in array array['simple', 'danish', 'dutch', 'english', 'finnish', 'french', 'german',
        'hungarian', 'italian', 'norwegian', 'portuguese', 'romanian', 'spanish', 'swedish']
    loop
        execute format('create text search configuration public.%I (copy = pg_catalog.%I)',
            'labs_' || language_name, language_name);
        execute format('alter text search configuration public.%I alter mapping for hword, hword_part, word with '
            'public.unaccent, pg_catalog.%I', 'labs_' || language_name,
            language_name || case language_name when 'simple' then '' else '_stem' end);
    end loop;
end $$;

create function search_configuration(locale text) returns regconfig
    language sql immutable strict parallel safe
    as $$
        select case split_part(locale, '-', 1)
            when 'da' then 'public.labs_danish'::regconfig
            when 'nl' then 'public.labs_dutch'::regconfig
            when 'en' then 'public.labs_english'::regconfig
            when 'fi' then 'public.labs_finnish'::regconfig
            when 'fr' then 'public.labs_french'::regconfig
            when 'de' then 'public.labs_german'::regconfig
            when 'hu' then 'public.labs_hungarian'::regconfig
            when 'it' then 'public.labs_italian'::regconfig
            when 'nb' then 'public.labs_norwegian'::regconfig
            when 'no' then 'public.labs_norwegian'::regconfig
            when 'pt' then 'public.labs_portuguese'::regconfig
            when 'ro' then 'public.labs_romanian'::regconfig
            when 'es' then 'public.labs_spanish'::regconfig
            when 'sv' then 'public.labs_swedish'::regconfig
            else 'public.labs_simple'::regconfig
        end
    $$;

-- Returns the search vector of a translation. Words are stored twice: stemmed in their language, and unchanged, so that
-- readers of any language find an exact word, and a word by its beginning. A name weighs more than a tagline, a tagline
-- more than a description.
create function listing_search(locale text, name text, tagline text, description text) returns tsvector
    language sql immutable strict parallel safe
    as $$
        select
            setweight(to_tsvector(public.search_configuration(locale), name), 'A')
            || setweight(to_tsvector(public.search_configuration(locale), tagline), 'B')
            || setweight(to_tsvector(public.search_configuration(locale), description), 'C')
            || setweight(to_tsvector('public.labs_simple', name), 'A')
            || setweight(to_tsvector('public.labs_simple', tagline), 'B')
            || setweight(to_tsvector('public.labs_simple', description), 'C')
    $$;

-- Converts the reader's input into a query in the reader's language: stemmed, or exact. Statements name it once, as
-- `cross join listing_query(…) as query`, so that it is not computed again for every ranked row.
create function listing_query(locale text, typed text) returns tsquery
    language sql immutable strict parallel safe
    as $$
        select websearch_to_tsquery(public.search_configuration(locale), typed)
            || websearch_to_tsquery('public.labs_simple', typed)
    $$;

-- `visible` is false while the app is unlisted, suspended or archived, or its partner is not active.
create table listing (
    app_uuid uuid constraint listing_pkey primary key constraint listing_app_fkey references app,
    partner_uuid uuid not null constraint listing_partner_fkey references partner,
    slug text not null constraint listing_slug_key unique,
    version_uuid uuid not null constraint listing_version_fkey references app_version,
    version_number text not null,
    default_locale text not null,
    support_url text,
    support_email text,
    privacy_url text,
    website_url text,
    terms_url text,
    published_at timestamptz not null,
    first_published_at timestamptz not null,
    visible boolean not null default true,
    rating_count integer not null default 0 constraint listing_rating_count_check check (rating_count >= 0),
    rating_sum bigint not null default 0,
    -- Out of five, to two decimals; 0 without ratings.
    rating_average double precision not null generated always as (
        case when rating_count = 0 then 0 else round(rating_sum::numeric / rating_count, 2) end::double precision
    ) stored,
    updated_at timestamptz not null default labs_now(),
    constraint listing_rating_sum_check check (rating_sum between rating_count and 5 * rating_count::bigint)
);
create index listing_published_at_idx on listing (published_at desc, app_uuid desc) where visible;
create index listing_first_published_at_idx on listing (first_published_at desc, app_uuid desc) where visible;
create index listing_rating_idx on listing (rating_average desc, rating_count desc, app_uuid desc) where visible;
create index listing_partner_idx on listing (partner_uuid, published_at desc, app_uuid desc);
create index listing_version_idx on listing (version_uuid);

create table listing_translation (
    app_uuid uuid not null constraint listing_translation_listing_fkey references listing on delete cascade,
    locale text not null,
    name text not null,
    tagline text not null,
    description text not null,
    search tsvector not null generated always as (listing_search(locale, name, tagline, description)) stored,
    constraint listing_translation_pkey primary key (app_uuid, locale)
);
-- Publications are rare and searches frequent: without a pending list, no search has to read one.
create index listing_translation_search_idx on listing_translation using gin (search) with (fastupdate = off);
create index listing_translation_name_idx on listing_translation using gin (name gin_trgm_ops)
    with (fastupdate = off);

create table listing_category (
    app_uuid uuid not null constraint listing_category_listing_fkey references listing on delete cascade,
    category_uuid uuid not null constraint listing_category_category_fkey references category,
    position integer not null,
    constraint listing_category_pkey primary key (app_uuid, category_uuid)
);
create index listing_category_category_idx on listing_category (category_uuid, app_uuid);

-- Position and texts of a media item are copied too, because the owner may change them in the draft.
create table listing_media (
    app_uuid uuid not null constraint listing_media_listing_fkey references listing on delete cascade,
    media_uuid uuid not null constraint listing_media_media_fkey references media,
    kind text not null constraint listing_media_kind_check check (kind in ('ICON', 'SCREENSHOT', 'BANNER')),
    position integer not null,
    alt_text text not null default '',
    caption text not null default '',
    constraint listing_media_pkey primary key (app_uuid, media_uuid)
);
create index listing_media_media_idx on listing_media (media_uuid);

-- Changes of listings, for exact caches. A cursor contains transaction and position, and reads only transactions older
-- than every running one (`pg_snapshot_xmin(pg_current_snapshot())`): positions alone become visible out of order, and
-- a reader would miss late ones. The app may be deleted, so the table has no foreign key.
create table listing_change (
    position bigint generated always as identity constraint listing_change_pkey primary key,
    transaction_id xid8 not null default pg_current_xact_id(),
    app_uuid uuid not null,
    slug text not null,
    change text not null constraint listing_change_change_check check (change in ('PUBLISHED', 'CHANGED', 'GONE')),
    changed_at timestamptz not null default labs_now()
);
create index listing_change_transaction_id_idx on listing_change (transaction_id, position);
create index listing_change_app_idx on listing_change (app_uuid, position desc);

-- A customer's review of an app: one review per customer and app. The customer is known only by the reference that the
-- storefront sends. Flags of the owner and reports of readers are stored independently of the state. The listing counts
-- the ratings of published reviews.
create table customer_review (
    review_uuid uuid constraint customer_review_pkey primary key,
    app_uuid uuid not null constraint customer_review_app_fkey references app,
    customer_reference text not null,
    rating integer not null constraint customer_review_rating_check check (rating between 1 and 5),
    title text,
    body text,
    locale text,
    version_number text,
    state text not null default 'PENDING'
        constraint customer_review_state_check check (state in ('PENDING', 'PUBLISHED', 'REJECTED')),
    moderated_at timestamptz,
    moderated_by uuid constraint customer_review_moderated_by_fkey references person on delete set null,
    moderation_reason text,
    flagged_at timestamptz,
    flag_reason text,
    reports integer not null default 0 constraint customer_review_reports_check check (reports >= 0),
    last_reported_at timestamptz,
    reply_body text,
    reply_by uuid,
    replied_at timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint customer_review_customer_key unique (app_uuid, customer_reference),
    constraint customer_review_reply_check check ((reply_body is null) = (replied_at is null))
);
create index customer_review_app_idx on customer_review (app_uuid, state, created_at desc, review_uuid desc);
create index customer_review_state_idx on customer_review (state, created_at desc, review_uuid desc);
create index customer_review_moderated_by_idx on customer_review (moderated_by) where moderated_by is not null;

call audit_watch('listing', 'app_uuid');
call audit_watch('customer_review', 'review_uuid');

grant select, insert, update, delete on listing, listing_translation, listing_category, listing_media, customer_review
    to labs_service;
grant select, insert on listing_change to labs_service;

reset lock_timeout;
