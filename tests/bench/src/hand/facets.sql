-- Facets of a search: counts of the whole result. Each facet ignores its own filter.
with query as materialized (select terms from listing_terms($2::text)),
place as materialized (select category_uuid, path from category_place where shown),
chosen as materialized (
    select place.category_uuid from place join category as c on c.category_uuid = any(place.path)
     where c.slug = any($3::text[])),
base as materialized (
    select l.app_uuid, l.partner_uuid, l.rating_average as average, p.verified_at is not null as verified,
        $4::text is null or p.slug = $4 as offered,
        $7::boolean is null or (p.verified_at is not null) = $7 as vouched,
        $3 is null or l.app_uuid in (select app_uuid from listing_category join chosen using (category_uuid))
            as categorised,
        $5::float8 is null or (l.rating_count > 0 and l.rating_average >= $5) as rated,
        $6::text[] is null or l.app_uuid in (
            select t.app_uuid from listing_translation as t join unnest($6) as language
                on t.locale = language or starts_with(t.locale, language || '-')) as spoken
      from listing as l
      join partner as p on p.partner_uuid = l.partner_uuid
     where l.visible
       and ($2 is null or l.app_uuid in (
           select d.app_uuid from query join listing_document as d on d.search @@ query.terms)))
select (select count(*) from base where categorised and offered and vouched and rated and spoken)::integer
        as total,
    (select json_agg(json_build_object('slug', c.slug, 'count', counted.listings, 'parent_slug',
            (select parent.slug from category as parent where parent.category_uuid = c.parent_uuid), 'name',
            coalesce(locale_text(c.names, $1), c.names ->> 'en', c.slug))
            order by counted.listings desc, c.slug)
       from (select above.category_uuid, count(distinct base.app_uuid) as listings
               from base join listing_category as lc using (app_uuid) join place using (category_uuid)
              cross join unnest(place.path) as above (category_uuid)
              where offered and vouched and rated and spoken group by above.category_uuid) as counted
       join category as c using (category_uuid)) as categories,
    (select json_agg(json_build_object('locale', locale, 'count', listings) order by listings desc, locale)
       from (select t.locale, count(*) as listings from base join listing_translation as t using (app_uuid)
              where categorised and offered and vouched and rated group by t.locale) as counted) as languages,
    (select array[count(*) filter (where average >= 4), count(*) filter (where average >= 3),
                count(*) filter (where average >= 2), count(*) filter (where average >= 1)]::integer[]
       from base where categorised and offered and vouched and spoken) as ratings,
    (select json_agg(json_build_object('slug', p.slug, 'name', p.company_name, 'count', counted.listings,
            'verified', p.verified_at is not null) order by counted.listings desc, p.slug)
       from (select partner_uuid, count(*) as listings from base
              where categorised and vouched and rated and spoken
              group by partner_uuid order by listings desc, partner_uuid limit 20) as counted
       join partner as p using (partner_uuid)) as vendors,
    (select count(*) from base where verified and categorised and offered and rated and spoken)::integer
        as verified
