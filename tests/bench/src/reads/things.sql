-- Values for the parameters of the reads, by parameter name: for each, the object of the measured partner with the
-- most content. A name may begin with the operation or the domain to which the value is limited, and a dot.
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
union all select 'engagement.request_uuid', request_uuid::text from (
    select request_uuid from feature_request as r where r.shown and r.request_uuid::text not like '0198b0a0-%'
     order by r.comments desc, r.request_uuid limit 1) as commented
union all (select 'comment_uuid', comment_uuid::text from feature_comment
            where suspended_at is null and comment_uuid::text not like '%-b0d000000000' order by comment_uuid limit 1)
union all select 'title', 'Split%20the%20bill'
union all (select 'entry_uuid', item_uuid::text from publication_item where kind = 'CHANGELOG_ENTRY' and state = 'RELEASED'
            order by released_at desc, item_uuid limit 1)
union all (select 'item_uuid', item_uuid::text from publication_item where state = 'RELEASED' order by item_uuid limit 1)
union all (select 'publication_public_changelog_get.slug', slug from publication_item
            where kind = 'CHANGELOG_ENTRY' and state = 'RELEASED' order by released_at desc, item_uuid limit 1)
union all (select 'publication_public_blog_posts_get.slug', slug from publication_item
            where kind = 'BLOG_POST' and state = 'RELEASED' order by released_at desc, item_uuid limit 1)
union all (select name, slug from publication_item
            cross join unnest(array['publication_developer_resources_get.slug', 'publication_developer_resources_download.slug',
                       'publication_public_developer_resources_get.slug',
                       'publication_public_developer_resources_download.slug']) as name
            where item_uuid = (select item_uuid from publication_item
                                where kind = 'DEVELOPER_RESOURCE' and state = 'RELEASED' and audience = 'PUBLIC'
                                order by released_at desc, item_uuid limit 1))
union all select 'channel', 'changelog'
union all (select 'job_code', job from job_run group by job order by count(*) desc, job limit 1)
union all select 'import_uuid', import_uuid::text from (select import_uuid from statistic_import limit 1) as imported
union all select 'deprecation_uuid', deprecation_uuid::text from (select deprecation_uuid from deprecation limit 1) as named
union all select name, case when name like '%media_uuid' then media_uuid else submission_uuid end from (
    select submission_uuid::text, snapshot -> 'media' -> 0 ->> 'media_uuid' as media_uuid
      from submission join own using (partner_uuid) join media as m using (app_uuid)
     where m.media_uuid::text = snapshot -> 'media' -> 0 ->> 'media_uuid' order by submission_uuid limit 1) as shown
 cross join unnest(array['marketplace_submissions_get_media_content.submission_uuid',
            'marketplace_submissions_get_media_content.media_uuid']) as name
