-- Storefront: published listings, their search, customer reviews, collections, public images.
set lock_timeout = '10s';
set timezone = 'UTC';
set check_function_bodies = off;

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

create index partner_contains_idx on partner using gin ((folded(company_name) collate "C") gin_trgm_ops);
create index person_contains_idx on person using gin ((folded(name) collate "C") gin_trgm_ops)
    where kind = 'PARTNER_USER' and state <> 'REMOVED';
create index machine_client_contains_idx on machine_client using gin ((folded(name) collate "C") gin_trgm_ops);
create index support_ticket_contains_idx on support_ticket using gin ((folded(subject) collate "C") gin_trgm_ops);
create index app_translation_contains_idx on app_translation using gin ((folded(name) collate "C") gin_trgm_ops);
create index app_slug_contains_idx on app using gin (slug gin_trgm_ops);

-- All fields that the staff lists of partners and users search.
create index partner_searched_idx on partner using gin ((folded(company_name || E'\n' || slug || E'\n'
    || coalesce(pending_company_name, '') || E'\n' || coalesce(vat_id, '') || E'\n'
    || coalesce(registration_number, '')) collate "C") gin_trgm_ops);
create index person_searched_idx on person using gin ((folded(name || E'\n' || email) collate "C") gin_trgm_ops);

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
            setweight(to_tsvector(public.search_configuration(locale), public.search_words(name)), 'A')
            || setweight(to_tsvector(public.search_configuration(locale), public.search_words(tagline)), 'B')
            || setweight(to_tsvector(public.search_configuration(locale), public.search_words(description)), 'C')
            || setweight(to_tsvector('public.labs_simple', public.search_words(name)), 'A')
            || setweight(to_tsvector('public.labs_simple', public.search_words(tagline)), 'B')
            || setweight(to_tsvector('public.labs_simple', public.search_words(description)), 'C')
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
    -- Rating mean weighted by the number of reviews: as if five customers had given 3.5 stars before the first one, so that
    -- a single review of five stars is not first. In millionths, so that the comparison is exact; 0 without a review.
    rating_score bigint not null generated always as (case
    when rating_count = 0 then 0
    else (2 * rating_sum + 35) * 1000000 / (2 * (rating_count + 5))
end) stored,
    constraint listing_rating_sum_check check (rating_sum between rating_count and 5 * rating_count::bigint)
);

-- A partner as staff see it: with its subscription, and the number of rows of each kind that belong to it.
create view partner_shown as
select
    p.partner_uuid, p.slug, p.company_name, p.legal_form, p.registration_number, p.vat_id, p.country, p.address,
    p.billing_address, p.billing_email, p.website, p.state, p.state_reason, p.state_changed_at, p.closes_at, p.labels,
    p.created_at, p.updated_at, t.code as tier_code, t.name as tier_name, s.state as subscription_state,
    s.started_at as subscription_started_at, s.period_end as subscription_period_end,
    (select count(*) from person as h where h.partner_uuid = p.partner_uuid and h.state <> 'REMOVED') as members_count,
    (select count(*) from invitation as i where i.partner_uuid = p.partner_uuid and i.state = 'PENDING'
        and i.expires_at > labs_now()) as invitations_count,
    (select count(*) from app as a where a.partner_uuid = p.partner_uuid and a.state <> 'ARCHIVED') as apps_count,
    (select count(*) from listing as l where l.partner_uuid = p.partner_uuid and l.visible) as listings_count,
    (select count(*) from machine_client as c where c.partner_uuid = p.partner_uuid and c.state = 'ACTIVE')
        as machine_clients_count,
    (select count(*) from partner_contact as c where c.partner_uuid = p.partner_uuid) as contacts_count,
    (select count(*) from partner_note as n where n.partner_uuid = p.partner_uuid) as notes_count,
    p.verified_at, p.pending_company_name, p.pending_name_since
from partner as p
left join subscription as s on s.partner_uuid = p.partner_uuid
left join tier as t on t.tier_uuid = s.tier_uuid;
grant select on partner_shown to labs_service;
create index listing_published_at_idx on listing (published_at desc, app_uuid desc) where visible;
create index listing_first_published_at_idx on listing (first_published_at desc, app_uuid desc) where visible;
create index listing_partner_idx on listing (partner_uuid, published_at desc, app_uuid desc);
create index listing_version_idx on listing (version_uuid);

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
    alt_texts jsonb not null default '{}'
        constraint listing_media_alt_texts_check check (jsonb_typeof(alt_texts) = 'object'),
    captions jsonb not null default '{}'
        constraint listing_media_captions_check check (jsonb_typeof(captions) = 'object'),
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
    change text not null,
    changed_at timestamptz not null default labs_now(),
    entry_uuid uuid not null default gen_random_uuid(),
    place bigint constraint listing_change_place_key unique,
    constraint listing_change_change_check check (change in ('PUBLISHED', 'CHANGED', 'GONE', 'RATED'))
);
create index listing_change_app_idx on listing_change (app_uuid, position desc);

-- A customer's review of an app: one review per customer and app. The customer is known only by the reference that the
-- storefront sends. Flags of the owner and reports of readers are stored independently of the state. The listing counts
-- the ratings of published reviews.
create table customer_review (
    review_uuid uuid constraint customer_review_pkey primary key,
    app_uuid uuid not null constraint customer_review_app_fkey references app,
    rating integer constraint customer_review_rating_check check (rating between 1 and 5),
    locale text,
    version_number text,
    state text not null default 'PENDING'
        constraint customer_review_state_check check (state in ('PENDING', 'PUBLISHED', 'REJECTED')),
    moderated_at timestamptz,
    moderated_by uuid constraint customer_review_moderated_by_fkey references person on delete set null,
    flagged_at timestamptz,
    reports integer not null default 0 constraint customer_review_reports_check check (reports >= 0),
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    customer_sha256 bytea
        constraint customer_review_customer_check check (octet_length(customer_sha256) = 32),
    shown_text_uuid uuid,
    waiting_text_uuid uuid,
    rejected_text_uuid uuid,
    reply_uuid uuid,
    written_at timestamptz,
    has_text boolean,
    language text generated always as (split_part(locale, '-', 1)) stored,
    waiting_since timestamptz,
    reported_at timestamptz,
    -- Order of moderation: a pending text, then flags of the partner, then reports of customers.
    priority integer not null generated always as (case
        when waiting_text_uuid is not null then 1 when flagged_at is not null then 2 when reports > 0 then 3 else 4
    end) stored,
    queued_at timestamptz not null generated always as
        (coalesce(waiting_since, flagged_at, reported_at, created_at)) stored,
    constraint customer_review_customer_key unique (app_uuid, customer_sha256),
    constraint customer_review_texts_check check (case state
        when 'PUBLISHED' then shown_text_uuid is not null and rejected_text_uuid is null
        when 'PENDING' then shown_text_uuid is null and waiting_text_uuid is not null and rejected_text_uuid is null
        else shown_text_uuid is null and waiting_text_uuid is null end),
    constraint customer_review_shown_check check (
        num_nonnulls(shown_text_uuid, rating, locale, written_at, has_text) in (0, 5)),
    constraint customer_review_waiting_check check ((waiting_text_uuid is null) = (waiting_since is null)),
    constraint customer_review_reported_check check ((reports = 0) = (reported_at is null))
);
create index customer_review_moderated_by_idx on customer_review (moderated_by) where moderated_by is not null;
call audit_watch('listing', 'app_uuid');
call audit_watch('customer_review', 'review_uuid');
grant select, insert on listing_change to labs_service;
create trigger listing_standing before insert or update of visible on listing
    for each row when (new.visible) execute function listing_standing();
create index listing_change_unsealed_idx on listing_change (transaction_id, position) where place is null;

-- Changes that affect a search; a rating does not.
create index listing_change_shown_idx on listing_change (position desc) where change <> 'RATED';

-- Listing data that its owner did not publish: ratings, names of categories and of the company.
create function listing_rated() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change) values (new.app_uuid, new.slug, 'RATED');
    return null;
end $$;
create trigger listing_rated after update of rating_count, rating_sum on listing for each row
    when (new.visible and (old.rating_count, old.rating_sum) is distinct from (new.rating_count, new.rating_sum))
    execute function listing_rated();

-- A name is shown at the listings of the category itself; the visibility of a category also affects the listings below
-- it.
create function listing_category_changed() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change)
    with recursive beneath as (
        select new.category_uuid as category_uuid
        union
        select c.category_uuid from public.category as c join beneath on c.parent_uuid = beneath.category_uuid
        where (old.state, old.parent_uuid) is distinct from (new.state, new.parent_uuid)
    )
    select distinct l.app_uuid, l.slug, 'CHANGED'
    from beneath
    join public.listing_category as lc on lc.category_uuid = beneath.category_uuid
    join public.listing as l on l.app_uuid = lc.app_uuid and l.visible;
    return null;
end $$;
create trigger listing_category_changed after update of slug, names, state, parent_uuid on category for each row
    when ((old.slug, old.names, old.state, old.parent_uuid) is distinct from (new.slug, new.names, new.state, new.parent_uuid))
    execute function listing_category_changed();

create function listing_vendor_changed() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change)
    select l.app_uuid, l.slug, 'CHANGED' from public.listing as l where l.partner_uuid = new.partner_uuid and l.visible;
    return null;
end $$;
create trigger listing_vendor_changed after update on partner for each row
    when ((old.slug, old.company_name, old.verified_at) is distinct from (new.slug, new.company_name, new.verified_at))
    execute function listing_vendor_changed();
grant update (place), delete on listing_change to labs_service;

-- A text as the customer submitted it; it never changes. The review states whether it is shown or pending.
create table customer_review_text (
    text_uuid uuid constraint customer_review_text_pkey primary key,
    review_uuid uuid not null constraint customer_review_text_review_fkey references customer_review on delete cascade,
    rating integer not null constraint customer_review_text_rating_check check (rating between 1 and 5),
    title text,
    body text,
    locale text not null,
    version_number text,
    rejected_because text constraint customer_review_text_rejected_because_check
        check (rejected_because ~ '^[A-Z][A-Z_]*$'),
    decision_note text,
    decided_at timestamptz,
    created_at timestamptz not null default labs_now(),
    constraint customer_review_text_decided_check check (rejected_because is null or decided_at is not null)
);
alter table customer_review
    add constraint customer_review_shown_fkey foreign key (shown_text_uuid) references customer_review_text;
alter table customer_review
    add constraint customer_review_waiting_fkey foreign key (waiting_text_uuid) references customer_review_text;
alter table customer_review
    add constraint customer_review_rejected_fkey foreign key (rejected_text_uuid) references customer_review_text;
create index customer_review_text_review_idx on customer_review_text (review_uuid, created_at desc, text_uuid desc);

-- Public replies of the partner. The current reply has no end time.
create table customer_review_reply (
    reply_uuid uuid constraint customer_review_reply_pkey primary key,
    review_uuid uuid not null constraint customer_review_reply_review_fkey references customer_review on delete cascade,
    text_uuid uuid not null,
    body text not null constraint customer_review_reply_body_check check (length(body) between 1 and 2000),
    author_kind text not null constraint customer_review_reply_author_kind_check
        check (author_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    author_uuid uuid,
    created_at timestamptz not null default labs_now(),
    ended_at timestamptz
);
alter table customer_review
    add constraint customer_review_reply_fkey foreign key (reply_uuid) references customer_review_reply;
create index customer_review_reply_review_idx on customer_review_reply (review_uuid, created_at desc, reply_uuid desc);
comment on column customer_review_reply.text_uuid is
    'Text of the review that was published when the reply was written.';

-- Flags of the partner. A review has at most one open flag.
create table customer_review_flag (
    flag_uuid uuid constraint customer_review_flag_pkey primary key,
    review_uuid uuid not null constraint customer_review_flag_review_fkey references customer_review on delete cascade,
    text_uuid uuid not null,
    reason text not null constraint customer_review_flag_reason_check check (reason ~ '^[A-Z][A-Z_]*$'),
    note text,
    outcome text not null default 'OPEN' constraint customer_review_flag_outcome_check
        check (outcome in ('OPEN', 'UPHELD', 'DISMISSED')),
    author_kind text not null constraint customer_review_flag_author_kind_check
        check (author_kind in ('PARTNER_USER', 'MACHINE_CLIENT')),
    author_uuid uuid,
    flagged_at timestamptz not null default labs_now(),
    decided_at timestamptz,
    constraint customer_review_flag_decided_check check ((outcome = 'OPEN') = (decided_at is null))
);
create unique index customer_review_flag_open_key on customer_review_flag (review_uuid) where outcome = 'OPEN';
create index customer_review_flag_review_idx on customer_review_flag (review_uuid, flagged_at desc, flag_uuid desc);
comment on column customer_review_flag.text_uuid is
    'Text to be checked: the newer one if the customer has replaced the text since.';

-- Reports of customers. Each customer counts once.
create table customer_review_report (
    review_uuid uuid not null constraint customer_review_report_review_fkey references customer_review on delete cascade,
    reporter_sha256 bytea not null constraint customer_review_report_reporter_check
        check (octet_length(reporter_sha256) = 32),
    text_uuid uuid not null,
    reason text not null constraint customer_review_report_reason_check check (reason ~ '^[A-Z][A-Z_]*$'),
    note text,
    outcome text not null default 'OPEN' constraint customer_review_report_outcome_check
        check (outcome in ('OPEN', 'UPHELD', 'DISMISSED')),
    reported_at timestamptz not null default labs_now(),
    decided_at timestamptz,
    constraint customer_review_report_pkey primary key (review_uuid, reporter_sha256),
    constraint customer_review_report_decided_check check ((outcome = 'OPEN') = (decided_at is null))
);
create index customer_review_report_review_idx on customer_review_report (review_uuid, reported_at desc);
comment on column customer_review.customer_sha256 is
    'HMAC of the app and the customer''s reference. Null after erasure.';
comment on column customer_review.rating is 'Rating, locale, version and time belong to the published text.';
comment on column customer_review.has_text is 'Whether the published text has a headline or a body: not only stars.';
comment on column customer_review.language is 'Primary language of the locale.';
create unique index customer_review_shown_key on customer_review (shown_text_uuid) where shown_text_uuid is not null;
create unique index customer_review_waiting_key on customer_review (waiting_text_uuid) where waiting_text_uuid is not null;
create unique index customer_review_rejected_key on customer_review (rejected_text_uuid)
    where rejected_text_uuid is not null;
create unique index customer_review_reply_key on customer_review (reply_uuid) where reply_uuid is not null;
create index customer_review_written_idx on customer_review (app_uuid, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_relevant_idx on customer_review
    (app_uuid, (has_text::integer) desc, written_at desc, review_uuid desc) where state = 'PUBLISHED';
create index customer_review_language_idx on customer_review
    (app_uuid, language, (has_text::integer) desc, written_at desc, review_uuid desc) where state = 'PUBLISHED';
create index customer_review_best_idx on customer_review (app_uuid, rating desc, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_worst_idx on customer_review (app_uuid, rating, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_queue_idx on customer_review (priority, queued_at, review_uuid);
create index customer_review_app_idx on customer_review (app_uuid, priority, queued_at, review_uuid);
create index listing_rating_idx on listing (rating_score desc, rating_count desc, app_uuid desc) where visible;

-- Reviews as moderators see them: with their texts, replies, flags and reports.
create view customer_review_moderated as
select
    r.review_uuid, r.app_uuid, a.partner_uuid, r.state, r.priority, r.queued_at, r.flagged_at, r.reports, r.moderated_at,
    r.created_at, r.updated_at, r.shown_text_uuid, r.waiting_text_uuid, r.rejected_text_uuid,
    coalesce((select w.name from app_translation as w
               where w.app_uuid = r.app_uuid and w.locale = a.default_locale), a.slug) as app_name,
    (select p.company_name from partner as p where p.partner_uuid = a.partner_uuid) as partner_name,
    (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.shown_text_uuid) as shown,
    (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.waiting_text_uuid) as waiting,
    (select to_jsonb(t) from customer_review_text as t where t.text_uuid = r.rejected_text_uuid) as rejected,
    (select coalesce(jsonb_agg(to_jsonb(t) order by t.created_at desc, t.text_uuid desc), '[]')
       from (select t.*, case
                     when t.text_uuid = r.shown_text_uuid then 'SHOWN'
                     when t.text_uuid = r.waiting_text_uuid then 'WAITING'
                     when t.rejected_because is not null then 'REJECTED'
                     else 'FORMER' end as outcome
               from customer_review_text as t where t.review_uuid = r.review_uuid
              order by t.created_at desc, t.text_uuid desc limit 10) as t) as texts,
    (select coalesce(jsonb_agg(to_jsonb(y) order by y.created_at desc, y.reply_uuid desc), '[]')
       from (select y.* from customer_review_reply as y where y.review_uuid = r.review_uuid
              order by y.created_at desc, y.reply_uuid desc limit 10) as y) as replies,
    (select coalesce(jsonb_agg(to_jsonb(f) order by f.flagged_at desc, f.flag_uuid desc), '[]')
       from (select f.* from customer_review_flag as f where f.review_uuid = r.review_uuid
              order by f.flagged_at desc, f.flag_uuid desc limit 10) as f) as flags,
    (select coalesce(jsonb_agg(to_jsonb(c) - 'reporter_sha256' order by c.reported_at desc), '[]')
       from (select c.* from customer_review_report as c where c.review_uuid = r.review_uuid
              order by c.reported_at desc limit 10) as c) as customer_reports
from customer_review as r join app as a using (app_uuid);
grant select, insert, update, delete on customer_review_text, customer_review_reply, customer_review_flag,
    customer_review_report to labs_service;
grant select on customer_review_moderated to labs_service;

-- A change of name or country ends the verification, regardless of who made it.
create function partner_verification_ends() returns trigger language plpgsql as $$
begin
    new.verified_at := null;
    return new;
end $$;
create trigger partner_verification_ends before update of company_name, country on partner for each row
    when (old.verified_at is not null
        and (old.company_name, old.country) is distinct from (new.company_name, new.country))
    execute function partner_verification_ends();

create table collection (
    collection_uuid uuid constraint collection_pkey primary key,
    slug text not null constraint collection_slug_key unique,
    titles jsonb not null,
    descriptions jsonb not null default '{}',
    position integer not null,
    shown_from timestamptz,
    shown_until timestamptz,
    created_at timestamptz not null default labs_now(),
    updated_at timestamptz not null default labs_now(),
    constraint collection_window_check check (shown_until > shown_from)
);
comment on column collection.titles is 'Titles by locale. English is always present.';
comment on column collection.shown_from is 'Time from which the collection is published. Null if it is not.';
comment on column collection.shown_until is 'End of the publication, exclusive. Null if it has no end.';

-- The order is the order of the positions, which may have gaps.
create table collection_listing (
    collection_uuid uuid not null constraint collection_listing_collection_fkey references collection on delete cascade,
    app_uuid uuid not null constraint collection_listing_listing_fkey references listing on delete cascade,
    position integer not null,
    constraint collection_listing_pkey primary key (collection_uuid, app_uuid)
);
create index collection_listing_app_idx on collection_listing (app_uuid);

-- Every slug that a collection has or had, as with categories. Slugs of a deleted collection stay reserved and redirect
-- to nothing.
create table collection_address (
    slug text constraint collection_address_pkey primary key,
    collection_uuid uuid constraint collection_address_collection_fkey references collection on delete set null,
    kept_at timestamptz not null default labs_now()
);
create index collection_address_collection_idx on collection_address (collection_uuid, kept_at desc);
comment on column collection_address.kept_at is 'Time at which the collection first had this slug.';

create function collection_address_keep() returns trigger language plpgsql as $$
begin
    insert into public.collection_address (slug, collection_uuid)
    values (new.slug, new.collection_uuid)
    on conflict (slug) do update set slug = excluded.slug
    where collection_address.collection_uuid = excluded.collection_uuid;
    if not found then
        raise exception 'the slug % belongs or belonged to another collection', new.slug
            using errcode = 'unique_violation', constraint = 'collection_address_pkey';
    end if;
    return null;
end $$;
create trigger collection_address after insert or update of slug on collection
    for each row execute function collection_address_keep();

-- Whether a collection with this window is visible now.
create function collection_on_show(shown_from timestamptz, shown_until timestamptz) returns boolean
    language sql stable parallel safe
    as $$
        select coalesce(shown_from <= public.labs_now(), false) and coalesce(public.labs_now() < shown_until, true)
    $$;
call audit_watch('collection', 'collection_uuid');
call audit_watch('collection_listing', 'collection_uuid');
grant select, insert, update, delete on collection, collection_listing to labs_service;
grant select, insert, update on collection_address to labs_service;

-- Media that are public now, by the app or partner that shows them.
create view picture_on_show as
select l.app_uuid as owner_uuid, m.renditions
from listing as l
join listing_media as lm on lm.app_uuid = l.app_uuid
join media as m on m.media_uuid = lm.media_uuid
where l.visible
union all
select p.partner_uuid, i.renditions
from partner as p
join partner_profile as f on f.partner_uuid = p.partner_uuid and f.state = 'PUBLISHED'
join partner_image as i on i.partner_uuid = p.partner_uuid
    and i.image_uuid in ((f.snapshot ->> 'logo_uuid')::uuid, (f.snapshot ->> 'banner_uuid')::uuid)
where p.state = 'ACTIVE';

-- Notifies replicas about the owner whose media changed; the argument names the column. No frequent event does this,
-- because a notifying commit waits for every other one.
create function picture_on_show_changed() returns trigger language plpgsql as $$
begin
    perform pg_catalog.pg_notify('pictures',
        (case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end) ->> tg_argv[0]);
    return null;
end $$;
create trigger partner_pictures after update of state on partner for each row
    when (old.state is distinct from new.state) execute function picture_on_show_changed('partner_uuid');
create trigger partner_profile_pictures after insert or update of state, snapshot or delete on partner_profile
    for each row execute function picture_on_show_changed('partner_uuid');
create trigger partner_image_pictures after update of renditions or delete on partner_image for each row
    execute function picture_on_show_changed('partner_uuid');
create trigger media_pictures after update of renditions on media for each row
    when (old.renditions is distinct from new.renditions) execute function picture_on_show_changed('app_uuid');
create trigger listing_pictures after update of visible on listing for each row
    when (old.visible is distinct from new.visible) execute function picture_on_show_changed('app_uuid');
create trigger listing_media_pictures after insert or update or delete on listing_media for each row
    execute function picture_on_show_changed('app_uuid');

-- Followers of the storefront store addresses, so new addresses count as a change.
create function listing_pictures_changed() returns trigger language plpgsql as $$
begin
    insert into public.listing_change (app_uuid, slug, change)
    select l.app_uuid, l.slug, 'CHANGED'
    from public.listing_media as lm
    join public.listing as l on l.app_uuid = lm.app_uuid and l.visible
    where lm.media_uuid = new.media_uuid;
    return null;
end $$;
create trigger media_listing_changed after update of renditions on media for each row
    when (old.renditions is distinct from new.renditions) execute function listing_pictures_changed();

-- The locale in which a reader finds a text: the best match, else English if the text exists in it.
create function locale_of(texts jsonb, wanted text) returns text language sql immutable parallel safe as $$
    select coalesce(
        (select stored from jsonb_object_keys(texts) as stored
          where locale_rank(stored, wanted) is not null order by locale_rank(stored, wanted), stored limit 1),
        (select 'en' where texts ? 'en'))
$$;
grant select on picture_on_show to labs_service;

create table listing_document (
    app_uuid uuid constraint listing_document_pkey primary key
        constraint listing_document_listing_fkey references listing on delete cascade,
    search tsvector not null
);
comment on column listing_document.search is
    'Plain words and, with a dot and the language before them, stems: of names and slug (A), of categories with their '
    'synonyms (B), of the vendor (C), of taglines and descriptions (D). A whole name or slug stands behind =, a '
    'vendor''s behind @, a category''s name or synonym behind #, the id of a collection that has the app behind %.';
alter table listing_document alter column search set storage external;
alter table listing_document set (toast_tuple_target = 8160);
create index listing_document_search_idx on listing_document using gin (search) with (fastupdate = off);
create index listing_document_name_idx on listing_document using gin (ts_filter(search, '{a}')) with (fastupdate = off);

-- Every word and stem that is or was in a document. A search drops the word forms that no document has, and finds
-- suggestions for mistyped words here.
create table listing_lexeme (
    lexeme text collate "C" constraint listing_lexeme_pkey primary key
);
create index listing_lexeme_near_idx on listing_lexeme (left(lexeme, 1), length(lexeme));
create index listing_lexeme_part_idx on listing_lexeme using gin (lexeme gin_trgm_ops);

-- Form of a text for comparison: words of lower-case letters and digits without accents, separated by one blank. Marks
-- above and below Thai and Lao letters are left out, as accents are.
create function search_folded(written text) returns text
    language plpgsql stable strict parallel safe
    as $$
    declare
        unspaced constant text := '\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff';
        folded text := lower(public.unaccent(normalize(written, nfkc)));
    begin
        if folded ~ ('[' || unspaced || ']') then
            folded := regexp_replace(folded, '[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece]', '', 'g');
            folded := (select string_agg(case when run[1] ~ ('^[' || unspaced || ']') then public.search_pairs(run[1]) else run[1] end,
                           ' ' order by place)
                         from regexp_matches(folded, '[' || unspaced || ']+|[^' || unspaced || ']+', 'g')
                              with ordinality as part (run, place));
        end if;
        return btrim(regexp_replace(coalesce(folded, ''),
            '[^[:alnum:]\u102b-\u103e\u17b6-\u17d3]+', ' ', 'g'));
    end $$;

-- A folded word in which ae, oe and ue are replaced by the vowels that they transcribe on other keyboards.
create function search_contracted(word text) returns text
    language sql immutable strict parallel safe
    as $$ select regexp_replace(word, '(?<![aeq])([aou])e', '\1', 'g') $$;

create aggregate search_all (tsvector) (sfunc = pg_catalog.tsvector_concat, stype = tsvector, initcond = '');

-- Words of a text, hyphenated ones also as one word; for languages with stems, the stems too, and a mark that a text in
-- this language exists.
create function search_vector(locale text, written text) returns tsvector
    language plpgsql stable strict parallel safe
    as $$
    declare
        folded text := public.search_folded(written);
        configuration regconfig := public.search_configuration(locale);
        stems tsvector := '';
    begin
        if configuration <> 'public.labs_simple'::regconfig then
            select concat_ws(' ', quote_literal('.' || split_part(locale, '-', 1)),
                string_agg(format('''.%s.%s'':%s', split_part(locale, '-', 1), word.lexeme,
                    array_to_string(word.positions, ',')), ' '))::tsvector
            into stems
            from unnest(to_tsvector(configuration, folded)) as word where length(word.lexeme) < 100;
        end if;
        return to_tsvector('public.labs_simple', concat_ws(' ', folded,
            (select string_agg(public.search_folded(replace(word[1], '-', '')), ' ')
             from regexp_matches(written, '[[:alnum:]]+(?:-[[:alnum:]]+)+', 'g') as word),
            (select string_agg(public.search_contracted(word), ' ')
             from string_to_table(folded, ' ') as word
             where word like any ('{%ae%,%oe%,%ue%}') and word <> public.search_contracted(word)))) || stems;
    end $$;

-- Term for a name or slug that a search may equal as a whole.
create function search_whole(sign text, written text) returns tsvector
    language sql stable strict parallel safe
    as $$ select format('''%s%s'':1', sign, left(public.search_folded(written), 200))::tsvector $$;

-- Names of a category and its synonyms, each with its locale.
create function category_called(names jsonb, also_called jsonb) returns table (locale text, name text)
    language sql immutable strict parallel safe
    as $$
        select key, value from jsonb_each_text(names)
        union all
        select key, word from jsonb_each(also_called) as synonyms cross join jsonb_array_elements_text(value) as word (word)
    $$;

-- Document of a listing. It covers a hundred thousand characters of the descriptions, shared among the locales: more
-- than one locale has, and less than the maximum size of a row. For each word only the position with the highest weight
-- is kept: repeating a word does not improve the rank.
create function listing_document_of(app uuid) returns tsvector
    language plpgsql stable strict parallel safe
    as $$
    begin
        return (select string_agg(format('%L:1%s', word.lexeme,
            (select min(weight) from unnest(word.weights) as weight)), ' ')
        from unnest((select public.search_all(part.words) from (
            select setweight(public.search_vector(t.locale, t.name) || public.search_whole('=', t.name), 'A')
                || setweight(public.search_vector(t.locale, t.tagline || E'\n' || left(t.description,
                       (100000 / count(*) over ())::integer)), 'D') as words
            from public.listing_translation as t where t.app_uuid = app
            union all
            select setweight(public.search_vector('', l.slug) || public.search_whole('=', l.slug)
                    || public.search_whole('@', p.company_name) || public.search_whole('@', p.slug), 'A')
                || setweight(public.search_vector('', p.company_name), 'C')
            from public.listing as l join public.partner as p using (partner_uuid) where l.app_uuid = app
            union all
            select setweight(case c.category_uuid when own.category_uuid
                then public.search_vector(called.locale, string_agg(called.name, E'\n')) else '' end
                || public.search_all(public.search_whole('#', called.name)) || public.search_whole('#', c.slug), 'B')
            from public.listing_category as own
            join public.category_place as place on place.category_uuid = own.category_uuid and place.shown
            join public.category as c on c.category_uuid = any (place.path)
            cross join public.category_called(c.names, c.also_called) as called where own.app_uuid = app
            group by own.category_uuid, c.category_uuid, c.slug, called.locale
            union all
            select setweight(format('''%%%s'':1', held.collection_uuid)::tsvector, 'D')
            from public.collection_listing as held where held.app_uuid = app
        ) as part)) as word)::tsvector;
    end $$;

-- Writes the documents of some listings. The function first locks the source rows against concurrent changes: the
-- statement that builds the documents then sees all earlier commits.
create function listing_document_write(apps uuid[]) returns void language plpgsql as $$
begin
    perform from public.partner as p where p.partner_uuid in (
        select l.partner_uuid from unnest(apps) as changed (app_uuid) join public.listing as l using (app_uuid))
        order by p.partner_uuid for share;
    perform from public.listing_document as d where d.app_uuid in (select unnest(apps)) order by d.app_uuid for update;
    insert into public.listing_document (app_uuid, search)
    select l.app_uuid, public.listing_document_of(l.app_uuid)
    from unnest(apps) as changed (app_uuid) join public.listing as l using (app_uuid) order by l.app_uuid
    on conflict (app_uuid) do update set search = excluded.search where listing_document.search <> excluded.search;
    insert into public.listing_lexeme (lexeme)
    select distinct word.lexeme collate "C" as lexeme
    from unnest(apps) as changed (app_uuid) join public.listing_document as d using (app_uuid)
    cross join unnest(tsvector_to_array(d.search)) as word (lexeme)
    where not exists (select from public.listing_lexeme as known where known.lexeme = word.lexeme collate "C")
    order by lexeme
    on conflict do nothing;
end $$;

-- Reacts to changed parts of a listing, per statement, because a publication writes many rows.
create function listing_parts_changed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array(select distinct changed.app_uuid from changed));
    return null;
end $$;
create trigger listing_filed after insert on listing_category
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_filed_elsewhere after update on listing_category
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_removed after delete on listing_category
    referencing old table as changed for each statement execute function listing_parts_changed();
create trigger listing_collected after insert on collection_listing
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_no_longer_collected after delete on collection_listing
    referencing old table as changed for each statement execute function listing_parts_changed();

create function listing_renamed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array[new.app_uuid]);
    return null;
end $$;
create trigger listing_renamed after update on listing for each row
    when ((old.slug, old.partner_uuid) is distinct from (new.slug, new.partner_uuid))
    execute function listing_renamed();

-- A partner's name may be a person's name: a lexeme that no other document contains is deleted with it.
create function vendor_renamed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array(
        select l.app_uuid from public.listing as l where l.partner_uuid = new.partner_uuid));
    delete from public.listing_lexeme as word
    where word.lexeme = any (tsvector_to_array(public.search_vector('', old.company_name)
            || public.search_whole('@', old.company_name) || public.search_whole('@', old.slug)) collate "C")
        and not exists (select from public.listing_document as d where d.search @@ quote_literal(word.lexeme)::tsquery);
    return null;
end $$;
create trigger vendor_renamed after update on partner for each row
    when ((old.slug, old.company_name) is distinct from (new.slug, new.company_name))
    execute function vendor_renamed();

-- Listings below a visible category are also found by the category's name and synonyms.
create function category_renamed() returns trigger language plpgsql as $$
begin
    perform public.listing_document_write(array(
        select distinct lc.app_uuid from public.category_place as place
        join public.listing_category as lc on lc.category_uuid = place.category_uuid
        where new.category_uuid = any (place.path)));
    return null;
end $$;
create trigger category_renamed after update on category for each row
    when ((old.slug, old.names, old.also_called, old.state, old.parent_uuid)
        is distinct from (new.slug, new.names, new.also_called, new.state, new.parent_uuid))
    execute function category_renamed();

-- Words of the titles of each collection. The documents of its listings have its id instead, because a title is public
-- only while the collection is.
create table collection_document (
    collection_uuid uuid constraint collection_document_pkey primary key
        constraint collection_document_collection_fkey references collection on delete cascade,
    search tsvector not null
);
create function collection_titled() returns trigger language plpgsql as $$
begin
    insert into public.collection_document (collection_uuid, search)
    select new.collection_uuid, public.search_all(public.search_vector(title.locale, title.written))
    from jsonb_each_text(new.titles) as title (locale, written)
    on conflict (collection_uuid) do update set search = excluded.search;
    insert into public.listing_lexeme (lexeme)
    select word.lexeme from public.collection_document as d cross join unnest(tsvector_to_array(d.search)) as word (lexeme)
    where d.collection_uuid = new.collection_uuid
    order by word.lexeme collate "C"
    on conflict do nothing;
    return null;
end $$;
create trigger collection_titled after insert or update of titles on collection
    for each row execute function collection_titled();
grant select, insert, update on collection_document to labs_service;
grant select, insert, update on listing_document to labs_service;
grant select, insert, delete on listing_lexeme to labs_service;

-- Languages with stems: the dictionaries of `search_configuration`, and the mark of each language in the documents.
create view listing_stemmer as
select language, dictionary, ('.' || language) collate "C" as mark
from unnest(
    array['da', 'nl', 'en', 'fi', 'fr', 'de', 'hu', 'it', 'nb', 'no', 'pt', 'ro', 'es', 'sv'],
    array['danish_stem'::regdictionary, 'dutch_stem'::regdictionary, 'english_stem'::regdictionary,
        'finnish_stem'::regdictionary, 'french_stem'::regdictionary, 'german_stem'::regdictionary,
        'hungarian_stem'::regdictionary, 'italian_stem'::regdictionary, 'norwegian_stem'::regdictionary,
        'norwegian_stem'::regdictionary, 'portuguese_stem'::regdictionary, 'romanian_stem'::regdictionary,
        'spanish_stem'::regdictionary, 'swedish_stem'::regdictionary]) as stemmer (language, dictionary);

-- Whether a folded word applies to every app (app, software, restaurant). A search does not require such a word.
create function search_is_generic(word text) returns boolean
    language sql immutable strict parallel safe
    as $$
        select word = any ('{
            app, apps, application, applications, management, manager, platform, program, programme, programmes,
            programs, restaurant, restaurants, software, solution, solutions, system, systems, tool, tools,
            anwendung, anwendungen, gastronomie, losung, losungen, programm, systeme, verwalten, verwaltung,
            appli, applis, gerer, gestion, logiciel, logiciels, outil, outils, restauration, systemes,
            aplicacion, aplicaciones, gestionar, herramienta, hosteleria, programa, programas, restaurante,
            restaurantes, sistema, sistemas,
            applicazione, applicazioni, gestionale, gestionali, gestione, gestire, programma, programmi, ristorante,
            ristoranti, ristorazione, sistemi, strumento,
            applicatie, applicaties, beheer, beheren, horeca, systeem, systemen,
            aplicativo, gestao}'::text[])
    $$;

-- Front of a compound that ends with a generic word (kassensystem, reservierungssoftware), without a linking s. Null for
-- any other word.
create function search_compound_front(word text) returns text
    language sql immutable strict parallel safe
    as $$
        select (regexp_match(word, '^(.{3,}?)s?'
            '(?:app|apps|beheer|losung|management|programm|programma|software|systeem|system|systeme|systemen|tool|verwaltung)$'))[1]
        where length(word) >= 9
    $$;

-- `words`: the words of the search term. `is_optional`: whether a listing may lack the word: a stop word of a language
-- (the, und), a generic word (app, software) or a single letter, if there are other words. `parts`: the existing forms of
-- each word. The last word is also the beginning of a word from two letters on, unless it is an abbreviation that a
-- category has as a synonym (POS, TPV). `terms`: every required part, or the whole name of an app, a vendor, a category
-- or its synonym, or words of the title of a visible collection. `ranked`: what counts for the rank of each required word.
-- `beginning`: the last word as a beginning. `named` and `offered`: the search term equals a name or slug of an app, or
-- of a partner. Without a word, the terms are null.
create function listing_terms(
    typed text, out words text[], out is_optional boolean[], out parts tsquery[], out terms tsquery,
    out ranked tsquery[], out beginning tsquery, out named tsquery, out offered tsquery)
    language plpgsql stable parallel safe set plan_cache_mode = force_generic_plan
    as $$
    declare
        folded text := coalesce(public.search_folded(typed), '');
        number integer;
        forms text[] := '{}';
        pairs text[] := '{}';
        required integer[];
        essence text;
        is_abbreviation boolean;
        filed tsquery;
        collected tsquery;
        half text;
        part record;
    begin
        words := string_to_array(folded, ' ');
        number := cardinality(words);
        is_optional := '{}';
        parts := '{}';
        ranked := '{}';
        if number = 0 then
            return;
        end if;
        for part in
            with spelled as materialized (
                select distinct said.place, said.written, form
                from (select place, case when place <= number then words[place]
                          else words[place - number] || words[place - number + 1] end as written
                      from generate_series(1, number + least(number - 1, 8)) as place) as said
                cross join unnest(array[said.written, public.search_contracted(said.written),
                    public.search_compound_front(said.written),
                    public.search_contracted(public.search_compound_front(said.written))]) as form
                where form is not null
            )
            select said.place, bool_or(said.is_stop) as is_stop,
                string_agg(quote_literal(said.lexeme), ' | ') filter (where exists (
                    select from public.listing_lexeme as known where known.lexeme = said.lexeme collate "C" offset 0))
                    as forms
            from (
                select place, sign || form as lexeme, false as is_stop from spelled cross join unnest(array['', '#']) as sign
                union all
                select place, '.' || language || '.' || stem[1], stem = '{}' and form = written
                from public.listing_stemmer as stemmer
                cross join spelled
                cross join lateral ts_lexize(stemmer.dictionary, form) as stem
                where exists (select from public.listing_lexeme as spoken where spoken.lexeme = stemmer.mark offset 0)
            ) as said
            group by said.place order by said.place
        loop
            if part.place <= number then
                forms[part.place] := part.forms;
                is_optional[part.place] := part.is_stop or words[part.place] ~ '^[[:alpha:]]$'
                    or public.search_is_generic(words[part.place]);
            else
                pairs[part.place - number] := part.forms;
            end if;
        end loop;
        if true = all (is_optional) then
            is_optional := array_fill(false, array[number]);
        end if;
        required := array(select place from generate_series(1, number) as place where not is_optional[place] order by place);
        essence := (select string_agg(words[place], ' ' order by place) from unnest(required) as place);
        select (string_agg(quote_literal(lexeme), ' | ') filter (where left(lexeme, 1) = '='))::tsquery,
            (string_agg(quote_literal(lexeme), ' | ') filter (where left(lexeme, 1) = '@'))::tsquery,
            (string_agg(quote_literal(lexeme), ' | ') filter (where left(lexeme, 1) = '#'))::tsquery,
            coalesce(bool_or(lexeme = '#' || essence), false) and length(essence) <= 4
        into named, offered, filed, is_abbreviation
        from public.listing_lexeme
        where lexeme = any (array(select sign || written from unnest(array['=', '@', '#']) as sign
            cross join unnest(array[folded, public.search_contracted(folded), essence, public.search_contracted(essence)])
                as written) collate "C");
        if is_abbreviation and length(essence) <= 3 then
            forms[required[1]] := concat_ws(' | ', quote_literal(essence), quote_literal('#' || essence));
        end if;
        if not is_optional[number] and not is_abbreviation and length(words[number]) > 1 then
            half := format('''%s'':*', words[number]);
            if public.search_contracted(words[number]) <> words[number] then
                half := half || format(' | ''%s'':*', public.search_contracted(words[number]));
            end if;
            beginning := half::tsquery;
        end if;
        parts := array(select concat_ws(' | ', case place when number then half end,
                coalesce(forms[place], quote_literal(words[place])))::tsquery
            from generate_series(1, number) as place order by place);
        terms := (select string_agg('(' || parts[place]::text || ')', ' & ') from unnest(required) as place)::tsquery;
        select string_agg(format('''%%%s''', c.collection_uuid), ' | ')::tsquery into collected
        from public.collection as c join public.collection_document as d using (collection_uuid)
        where public.collection_on_show(c.shown_from, c.shown_until) and d.search @@ terms
            and (cardinality(required) > 1 or length(essence) >= 6);
        for place in 1 .. coalesce(array_upper(pairs, 1), 0) loop
            if pairs[place] is not null then
                terms := terms || (select concat_ws(' & ', '(' || pairs[place] || ')',
                    string_agg('(' || parts[other]::text || ')', ' & '))
                    from unnest(required) as other where other not in (place, place + 1))::tsquery;
            end if;
        end loop;
        terms := coalesce(terms || named, terms);
        terms := coalesce(terms || offered, terms);
        terms := coalesce(terms || filed, terms);
        terms := coalesce(terms || collected, terms);
        ranked := array(select nullif(concat_ws(' | ', forms[place], pairs[place - 1], pairs[place], filed::text,
                collected::text), '')::tsquery
            from unnest(required) as place order by place limit 8);
    end $$;

-- Value of a word in a document by the first place that has it: name, category, vendor, text. Eight words in one place
-- are worth less than one in the place before. The weights of `ts_rank` are so far apart that the number of matching
-- forms of the word does not matter. `ts_rank` divides a weight by 1.645 and by the number of forms in the query.
create function listing_points(search tsvector, word tsquery) returns double precision
    language sql immutable parallel safe
    as $$
        select power(64::double precision, 3 + floor(ln(greatest(1e-30, 0.85::double precision * (numnode(word) + 1)
            * ts_rank('{0.000000001, 0.000001, 0.001, 1}', search, word))) / ln(1000::double precision)))
    $$;

-- Rank of a document; an equal app name first, then an equal partner name, then by the values of the words. A whole word
-- counts more than a beginning. The values are added up, so that a new word form that appears between two pages changes
-- nothing.
create function listing_fit(search tsvector, ranked tsquery[], beginning tsquery, named tsquery, offered tsquery)
    returns integer
    language sql immutable parallel safe
    as $$
        select (case when search @@ named then 200000000 when search @@ offered then 100000000 else 0 end
            + 2 * (listing_points(search, ranked[1]) + listing_points(search, ranked[2])
                + listing_points(search, ranked[3]) + listing_points(search, ranked[4])
                + listing_points(search, ranked[5]) + listing_points(search, ranked[6])
                + listing_points(search, ranked[7]) + listing_points(search, ranked[8]))
            + listing_points(search, beginning))::integer
    $$;
grant select on listing_stemmer to labs_service;

-- Immutable as long as the rules of unaccent stay as the extension installs them. After an update of the rules, `update
-- listing_translation set name = name` computes the column again.
create function listing_sort_name(name text) returns text
    language sql immutable strict parallel safe
    as $$ select lower(public.unaccent('public.unaccent', name)) $$;

create table listing_translation (
    app_uuid uuid not null constraint listing_translation_listing_fkey references listing on delete cascade,
    locale text not null,
    name text not null,
    tagline text not null,
    description text not null,
    search tsvector not null generated always as (listing_search(locale, name, tagline, description)) stored,
    sort_name text collate "C" not null generated always as (public.listing_sort_name(name)) stored,
    constraint listing_translation_pkey primary key (app_uuid, locale)
);
create index listing_translation_name_idx on listing_translation using gin (name gin_trgm_ops)
    with (fastupdate = off);
grant select, insert, update, delete on listing, listing_translation, listing_category, listing_media, customer_review
    to labs_service;
create index listing_translation_search_name_idx on listing_translation using gin (ts_filter(search, '{a}')) with (fastupdate = off);
create trigger listing_text_added after insert on listing_translation
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_text_changed after update on listing_translation
    referencing new table as changed for each statement execute function listing_parts_changed();
create trigger listing_text_removed after delete on listing_translation
    referencing old table as changed for each statement execute function listing_parts_changed();
comment on column listing_translation.sort_name is 'Form of the name for comparison: lower case, without accents.';

-- Rank of a stored tag; 1 is best, null means no match. A tag that is not listed matches by its language and script, or
-- by its language alone, if these are listed, and last if it has the language of the first tag.
create function locale_rank(stored text, preference text) returns integer language sql immutable parallel safe as $$
    select coalesce(
        array_position(string_to_array(preference, ' '), stored),
        100 + array_position(string_to_array(preference, ' '), split_part(stored, '-', 1) || '-' || split_part(stored, '-', 2)),
        200 + array_position(string_to_array(preference, ' '), split_part(stored, '-', 1)),
        case when split_part(stored, '-', 1) = split_part(split_part(preference, ' ', 1), '-', 1)
             then case when stored like '%-%' then 401 else 400 end end)
$$;

-- The text itself; null if none fits. Strict, so that it costs nothing if the reader named no language.
create function locale_text(texts jsonb, preference text) returns text language sql immutable strict parallel safe as $$
    select coalesce(
        texts ->> split_part(preference, ' ', 1),
        (select value from jsonb_each_text(texts) as kept (stored, value)
          where locale_rank(stored, preference) is not null
          order by locale_rank(stored, preference), stored limit 1))
$$;

create function name_order(name text) returns text
    language sql immutable strict parallel safe
    as $$ select lower(public.unaccent('public.unaccent'::regdictionary, name)) $$;
create index machine_client_name_order_idx on machine_client ((name_order(name) collate "C"), client_uuid);
create index person_staff_name_order_idx on person ((name_order(name) collate "C"), person_uuid) where kind = 'STAFF_USER';
create index person_name_order_idx on person ((name_order(name) collate "C"), person_uuid);
create index partner_company_name_order_idx on partner ((name_order(company_name) collate "C"), partner_uuid);

-- The pairs of neighbouring letters of a run; a single letter stays as it is.
create function search_pairs(run text) returns text
    language sql immutable strict parallel safe
    as $$
        select string_agg(substr(run, place, 2), ' ' order by place)
        from generate_series(1, greatest(length(run) - 1, 1)) as place
    $$;

-- Customer reviews that moderators look for, in the order of their queue, and those that partners and readers look for.
-- Published customer reviews without a mark are nearly all.
create index customer_review_unpublished_idx on customer_review (priority, queued_at, review_uuid)
    where state <> 'PUBLISHED';
create index customer_review_flagged_idx on customer_review (priority, queued_at, review_uuid)
    where flagged_at is not null;
create index customer_review_reported_idx on customer_review (priority, queued_at, review_uuid) where reports > 0;
create index customer_review_unanswered_idx on customer_review (app_uuid, written_at desc, review_uuid desc)
    where state = 'PUBLISHED' and reply_uuid is null;
create index customer_review_app_flagged_idx on customer_review (app_uuid, written_at desc, review_uuid desc)
    where state = 'PUBLISHED' and flagged_at is not null;
create index customer_review_locale_idx on customer_review (app_uuid, locale, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';
create index customer_review_version_idx on customer_review (app_uuid, version_number, written_at desc, review_uuid desc)
    where state = 'PUBLISHED';

-- Search of customer reviews for moderators.
create index customer_review_text_contains_idx on customer_review_text
    using gin ((folded(coalesce(title, '') || E'\n' || coalesce(body, '')) collate "C") gin_trgm_ops);

-- The revision of a topic is the sum of its rows. A transaction that changes public content adds one to a row that no
-- other transaction has locked, so writers do not wait for each other.
create table public_revision (
    revision_id bigint generated always as identity constraint public_revision_pkey primary key,
    topic text not null,
    changes bigint not null default 1 constraint public_revision_changes_check check (changes > 0)
) with (fillfactor = 50);
create index public_revision_topic_idx on public_revision (topic);
comment on table public_revision is 'Counters of the changes of public content by topic. Triggers maintain them.';

insert into public_revision (topic) values ('storefront'), ('publication'), ('tiers');

-- Counts a change of the topic that the trigger names, once per transaction.
create function public_changed() returns trigger language plpgsql as $$
declare
    topic_changed constant text := tg_argv[0];
    marker constant text := 'labs.changed_' || topic_changed;
    own_id constant text := pg_current_xact_id()::text;
begin
    if current_setting(marker, true) is not distinct from own_id then
        return null;
    end if;
    perform set_config(marker, own_id, true);
    -- A transaction with one snapshot fails if it updates a row that changed since; it adds a row instead.
    if current_setting('transaction_isolation') = 'read committed' then
        update public.public_revision set changes = changes + 1
         where revision_id = (select revision_id from public.public_revision
                               where topic = topic_changed order by revision_id limit 1 for no key update skip locked);
        if found then
            return null;
        end if;
    end if;
    insert into public.public_revision (topic) values (topic_changed);
    return null;
end $$;
create trigger partner_public after update on partner for each row
    when ((old.slug, old.company_name, old.verified_at, old.state)
        is distinct from (new.slug, new.company_name, new.verified_at, new.state))
    execute function public_changed('storefront');

-- A post may show its author.
create trigger person_public after update on person for each row
    when (old.kind = 'STAFF_USER' and old.name is distinct from new.name) execute function public_changed('publication');
create trigger partner_image_public after update on partner_image
    for each row execute function public_changed('storefront');
create trigger partner_profile_public after insert or update or delete on partner_profile
    for each row execute function public_changed('storefront');
create trigger tier_public after insert or update or delete on tier
    for each row execute function public_changed('tiers');
create trigger tier_feature_public after insert or update or delete on tier_feature
    for each row execute function public_changed('tiers');
create trigger feature_public after insert or update or delete on feature
    for each row execute function public_changed('tiers');
create trigger tier_catalogue_public after insert or update or delete on tier_catalogue
    for each row execute function public_changed('tiers');
create trigger media_public after update on media
    for each row execute function public_changed('storefront');
create trigger app_version_public after update on app_version for each row
    when (new.published_at is not null) execute function public_changed('storefront');
create trigger category_public after insert or update or delete on category
    for each row execute function public_changed('storefront');
create trigger category_address_public after insert or update or delete on category_address
    for each row execute function public_changed('storefront');
grant select, insert, update, delete on public_revision to labs_service;
create trigger listing_public after insert or update or delete on listing
    for each row execute function public_changed('storefront');
create trigger listing_translation_public after insert or update or delete on listing_translation
    for each row execute function public_changed('storefront');
create trigger listing_category_public after insert or update or delete on listing_category
    for each row execute function public_changed('storefront');
create trigger listing_media_public after insert or update or delete on listing_media
    for each row execute function public_changed('storefront');
create trigger collection_public after insert or update or delete on collection
    for each row execute function public_changed('storefront');
create trigger collection_address_public after insert or update or delete on collection_address
    for each row execute function public_changed('storefront');
create trigger collection_listing_public after insert or update or delete on collection_listing
    for each row execute function public_changed('storefront');

-- Only published reviews are public.
create trigger customer_review_public after insert on customer_review for each row
    when (new.state = 'PUBLISHED') execute function public_changed('storefront');
create trigger customer_review_public_update after update on customer_review for each row
    when (old.state = 'PUBLISHED' or new.state = 'PUBLISHED') execute function public_changed('storefront');
create trigger customer_review_public_delete after delete on customer_review for each row
    when (old.state = 'PUBLISHED') execute function public_changed('storefront');
create trigger customer_review_text_public after insert or update or delete on customer_review_text
    for each row execute function public_changed('storefront');
create trigger customer_review_reply_public after insert or update or delete on customer_review_reply
    for each row execute function public_changed('storefront');

reset check_function_bodies;
reset lock_timeout;
reset timezone;
