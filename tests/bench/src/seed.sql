-- Grows the tables to `:apps` apps, distributed evenly over `:partners` partners. Each app is listed and has categories, an
-- icon, two screenshots and five versions. Can run again with a larger number.
set synchronous_commit = off;
insert into partner (partner_uuid, slug, company_name, country)
select ('0198bbbb-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'partner-' || n, 'Partner ' || n, 'DE'
  from generate_series(1, :partners) as n on conflict do nothing;
insert into subscription (partner_uuid, tier_uuid)
select partner_uuid, '01980000-0000-7000-8000-000000000003' from partner where slug like 'partner-%'
    on conflict do nothing;
insert into category (category_uuid, slug, names, position)
select ('0198cccc-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'category-' || n,
       jsonb_build_object('en', 'Category ' || n, 'de', 'Kategorie ' || n), n
  from generate_series(1, 30) as n on conflict do nothing;

create temporary table new_app as
select n, ('0198aaaa-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as app_uuid,
       ('0198bbbb-0000-7000-8000-' || lpad(to_hex(1 + n % :partners), 12, '0'))::uuid as partner_uuid,
       timestamptz '2026-01-01' + n * interval '1 minute' as made
  from generate_series((select count(*) + 1 from app where slug like 'app-%'), :apps) as n;
insert into app (app_uuid, partner_uuid, slug, default_locale, state, support_email, privacy_url, created_at, updated_at)
select app_uuid, partner_uuid, 'app-' || n, 'en', 'LISTED', 'help@partner.example', 'https://partner.example/privacy',
       made, made from new_app;
insert into app_translation (app_uuid, locale, name, tagline, description)
select app_uuid, locale, 'App ' || n || ' in ' || locale, 'Takes orders at the table number ' || n,
       repeat('Waiters take orders on a phone and the kitchen sees them at once. ', 8)
  from new_app cross join unnest(array['en', 'de']) as locale;
insert into app_category (app_uuid, category_uuid, position)
select app_uuid, ('0198cccc-0000-7000-8000-' || lpad(to_hex(1 + (n + place * 7) % 30), 12, '0'))::uuid, place
  from new_app cross join generate_series(0, 1) as place;
insert into app_version (version_uuid, app_uuid, number, major, minor, patch, release_notes, state, published_at, created_at)
select ('0198dddd-' || lpad(to_hex(minor), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, app_uuid,
       '1.' || minor || '.0', 1, minor, 0, '{"en": "Faster, and mended here and there."}',
       case when minor = 4 then 'PUBLISHED' else 'SUPERSEDED' end, made + minor * interval '1 day',
       made + minor * interval '1 day'
  from new_app cross join generate_series(0, 4) as minor;
insert into media (media_uuid, app_uuid, kind, position, alt_text, media_type, width, height, size_bytes, sha256,
                   object_key, variants)
select ('0198eeee-' || lpad(to_hex(place), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, app_uuid,
       case when place = 0 then 'ICON' else 'SCREENSHOT' end, greatest(place, 1), 'What the picture shows', 'image/png',
       1280, 800, 40000, sha256((n || '/' || place)::bytea), 'none', jsonb_build_object('MEDIUM', jsonb_build_object(
           'object_key', 'none', 'media_type', 'image/webp', 'width', 640, 'height', 400, 'size_bytes', 9000))
  from new_app cross join generate_series(0, 2) as place;
insert into listing (app_uuid, partner_uuid, slug, version_uuid, version_number, default_locale, support_email,
                     privacy_url, published_at, first_published_at, rating_count, rating_sum)
select app_uuid, partner_uuid, 'app-' || n, ('0198dddd-0004-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, '1.4.0', 'en',
       'help@partner.example', 'https://partner.example/privacy', made + interval '4 days', made, 10, 30 + n % 20
  from new_app;
alter table listing_translation disable trigger user;
insert into listing_translation (app_uuid, locale, name, tagline, description)
select app_uuid, locale, name, tagline, description from app_translation join new_app using (app_uuid);
alter table listing_translation enable trigger user;
-- Writes the search documents once, for texts and categories. The statements run per listing, so the planner needs current
-- statistics of the tables.
analyze listing, listing_translation, category, partner, app, app_category;
insert into listing_category select app_uuid, category_uuid, position from app_category join new_app using (app_uuid);
insert into listing_media
select app_uuid, media_uuid, kind, position, alt_text, caption from media join new_app using (app_uuid);
insert into machine_client (client_uuid, client_id, name, allowed_scopes)
select ('0198ffff-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'client-' || n, 'Client ' || n, array['storefront']
  from generate_series(1, 200) as n on conflict do nothing;
drop table new_app;
update tier set burst_per_second = 1000000, daily_requests = 1000000000;
