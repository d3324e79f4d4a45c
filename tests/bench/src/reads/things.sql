-- Values for the path parameters of the reads, by parameter name: for each, the object of the measured partner with the
-- most content.
with own as materialized (
    select partner_uuid from partner where slug = 'elbkontor'
), listed as materialized (
    select l.app_uuid, l.slug, l.version_uuid,
           (select min(m.media_uuid::text) from listing_media as m where m.app_uuid = l.app_uuid) as media_uuid
      from listing as l join app using (app_uuid) join own on own.partner_uuid = app.partner_uuid
     where l.visible and app.slug not like 'app-%'
     order by (select count(*) from app_version as v where v.app_uuid = l.app_uuid) desc, l.app_uuid limit 1
)
select 'partner_uuid' as name, partner_uuid::text as value from own
union all select 'app_uuid', app_uuid::text from listed
union all select 'listing_slug', slug from listed
union all select 'version_uuid', version_uuid::text from listed
union all select 'media_uuid', media_uuid from listed
union all (select 'category_uuid', category_uuid::text from listing_category
            group by category_uuid order by count(*) desc, category_uuid limit 1)
union all (select 'category_slug', slug from listing_category join category using (category_uuid)
            group by slug order by count(*) desc, slug limit 1)
union all (select 'collection_slug', slug from collection
            where collection_on_show(shown_from, shown_until) order by position limit 1)
union all select 'partner_slug', 'elbkontor'
union all select 'q', 'kas'
union all select 'kind', 'LOGO'
union all select 'method', 'GET'
union all select 'path', '/v1/marketplace/apps'
union all select 'recorded_at_until', to_char(labs_now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
union all select 'tier_code', 'SCALE'
union all select 'tier_uuid', tier_uuid::text from tier where code = 'SCALE'
union all (select 'submission_uuid', submission_uuid::text from submission join own using (partner_uuid)
            order by (select count(*) from submission_finding as f where f.submission_uuid = submission.submission_uuid) desc,
                     submission_uuid limit 1)
union all (select 'export_uuid', export_uuid::text from data_export join own using (partner_uuid)
            where state = 'SUCCEEDED' limit 1)
union all (select 'ticket_uuid', ticket_uuid::text from support_ticket join own using (partner_uuid)
            order by messages_count desc, ticket_uuid limit 1)
union all (select 'user_uuid', person_uuid::text from person join own using (partner_uuid)
            where email like '%@people.example' order by person_uuid limit 1)
union all (select 'staff_uuid', person_uuid::text from person where kind = 'STAFF_USER' order by person_uuid limit 1)
union all (select 'client_uuid', client_uuid::text from machine_client where client_id = 'own-client-1')
union all (select 'record_uuid', record_uuid::text from audit_log where request_id like 'seeded-%' limit 1)
union all (select 'request_uuid', request_uuid::text from tier_change_request join own using (partner_uuid)
            where state = 'PENDING')
