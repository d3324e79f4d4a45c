-- Grows the reviews to `:reviews` in all, every one of them shown: one in a hundred is of the app with the number
-- `:favourite`, the others are spread evenly over all apps, and every third has a reply. Ten collections are on show, and
-- every vendor has a page. The changelog has two pages. It may be run again with larger numbers.
set synchronous_commit = off;
-- A review and its text name each other, and nothing that triggers would do is wanted.
set session_replication_role = replica;
create temporary table new_review as
select n, lpad(to_hex(n), 12, '0') as hex, timestamptz '2026-01-01' + n * interval '3 seconds' as written,
       1 + n * 31 / 7 % 5 as rating,
       ('0198aaaa-0000-7000-8000-' || lpad(to_hex(case when n % 100 = 0 then :favourite
           else 1 + (n::bigint * 7919 % :apps)::integer end), 12, '0'))::uuid as app_uuid
  from generate_series((select count(*)::integer + 1 from customer_review), :reviews) as n;
insert into customer_review_text (text_uuid, review_uuid, rating, title, body, locale, version_number, decided_at, created_at)
select ('0198eded-0000-7000-8000-' || hex)::uuid, ('0198efef-0000-7000-8000-' || hex)::uuid, rating, 'Number ' || n,
       repeat('The kitchen sees an order before the guest has closed the menu. ', 2), (array['en', 'de'])[1 + n % 2], '1.4.0',
       written, written
  from new_review;
insert into customer_review_reply (reply_uuid, review_uuid, text_uuid, body, author_kind, created_at)
select ('0198ecec-0000-7000-8000-' || hex)::uuid, ('0198efef-0000-7000-8000-' || hex)::uuid,
       ('0198eded-0000-7000-8000-' || hex)::uuid, 'Thank you, we pass it on to those who made it.', 'PARTNER_USER', written
  from new_review where n % 3 = 0;
insert into customer_review (review_uuid, app_uuid, rating, locale, version_number, state, moderated_at, created_at,
                             updated_at, customer_sha256, shown_text_uuid, reply_uuid, written_at, has_text)
select ('0198efef-0000-7000-8000-' || hex)::uuid, app_uuid, rating, (array['en', 'de'])[1 + n % 2], '1.4.0', 'PUBLISHED',
       written, written, written, sha256(hex::bytea), ('0198eded-0000-7000-8000-' || hex)::uuid,
       case when n % 3 = 0 then ('0198ecec-0000-7000-8000-' || hex)::uuid end, written, true
  from new_review;
insert into customer_rating as known (app_uuid, version_number, rating, number, last_written_at)
select app_uuid, '1.4.0', rating, count(*), max(written) from new_review group by app_uuid, rating
    on conflict (app_uuid, version_number, rating) do update
   set number = known.number + excluded.number, last_written_at = excluded.last_written_at;
insert into customer_rating_day as known (app_uuid, day, rating, number)
select app_uuid, (written at time zone 'UTC')::date, rating, count(*) from new_review group by 1, 2, 3
    on conflict (app_uuid, day, rating) do update set number = known.number + excluded.number;
reset session_replication_role;
drop table new_review;
insert into collection (collection_uuid, slug, titles, position, shown_from)
select ('0198caca-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'collection-' || n,
       jsonb_build_object('en', 'Collection ' || n), n, timestamptz '2026-01-01'
  from generate_series(1, 10) as n on conflict do nothing;
insert into collection_listing (collection_uuid, app_uuid, position)
select collection_uuid, ('0198aaaa-0000-7000-8000-' || lpad(to_hex(collection.position * 40 + place), 12, '0'))::uuid, place
  from collection cross join generate_series(1, 20) as place where slug like 'collection-%' on conflict do nothing;
insert into partner_profile (partner_uuid, state, texts, languages, regions, snapshot, first_published_at, published_at)
select partner_uuid, 'PUBLISHED', page -> 'texts', '{en}', '{DE}', page, timestamptz '2026-01-01', timestamptz '2026-01-01'
  from partner cross join jsonb_build_object('default_locale', 'en', 'website_url', null, 'languages', '["en"]'::jsonb,
           'regions', '["DE"]'::jsonb, 'texts', jsonb_build_object('en', jsonb_build_object('tagline', 'Tills that last',
           'description', 'Tills and kitchen screens for harbour towns.'))) as page
 where slug like 'partner-%' on conflict do nothing;
insert into publication_item (item_uuid, kind, state, slug, title, summary, body, tags, version, change, operations,
                              created_by_kind, first_released_at, released_at)
select ('0198cece-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'CHANGELOG_ENTRY', 'RELEASED', 'entry-' || n,
       'A filter for the list of apps, number ' || n, 'The list of apps takes a further filter, and answers faster.',
       'The list of apps takes a further filter.', '{apps,lists}', '1.' || n || '.0', 'ADDED', '{marketplace_apps_list}',
       'SYSTEM', released_at, released_at
  from generate_series(1, 40) as n cross join lateral (select timestamptz '2026-01-01' + n * interval '1 day') as at (released_at)
    on conflict do nothing;
