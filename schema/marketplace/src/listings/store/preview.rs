//! Listing built from a snapshot instead of the published rows.

use labs_core::db::Db;
use labs_core::fault::Fault;
use sqlx::types::Json;
use uuid::Uuid;

use super::ListingRow;
use crate::release::Snapshot;

/// Whether a snapshot is published. The times of the listing depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListingStage {
    /// Published: the times are the publication times.
    Live,
    /// Not published: the time is the scheduled publication, or the last change of the app or version.
    Preview,
}

/// Builds the listing of an app from a snapshot, in the form that readers of the locale would see. It corresponds to
/// the statement for published listings ([`super::get_each`]), but reads the snapshot instead of the published copies.
pub(crate) async fn listing_of(
    db: &Db,
    app_uuid: Uuid,
    snapshot: &Snapshot,
    locale: Option<&str>,
    stage: ListingStage,
) -> Result<Option<ListingRow>, Fault> {
    Ok(sqlx::query_as!(
        ListingRow,
        r#"with taken as (select $2::jsonb as kept, $2::jsonb ->> 'default_locale' as own, $3::text as asked),
           texts as (
               select t.* from taken cross join jsonb_to_recordset(kept -> 'texts') as t
                   (locale text, name text, tagline text, description text))
           select 1::bigint as "place!", asked as reader, coalesce(kept ->> 'slug', a.slug) as "slug!", a.app_uuid, t.name as "name!",
               t.tagline as "tagline!", t.description as "description!", t.locale as "locale!",
               array(select locale from texts order by locale <> own, locale) as "locales!",
               p.slug as vendor_slug, p.company_name as vendor_name,
               p.verified_at is not null as "vendor_verified!", kept #>> '{version,number}' as "version_number!",
               v.published_at as version_published_at, kept #> '{version,manifest,permissions}' as "permissions: _",
               coalesce(locale_text(kept #> '{version,release_notes}', asked),
                   kept #>> array['version', 'release_notes', own]) as release_notes,
               (select json_agg(json_build_object('slug', c.slug, 'primary', chosen.place = 1, 'name',
                           coalesce(locale_text(c.names, asked), c.names ->> 'en', c.slug))
                       order by chosen.place)
                  from jsonb_array_elements_text(kept -> 'categories') with ordinality as chosen (uuid, place)
                  join category as c on c.category_uuid = chosen.uuid::uuid
                  join category_place as place on place.category_uuid = c.category_uuid and place.shown
               ) as "categories: _",
               (select json_agg(json_build_object('media_uuid', m.media_uuid, 'kind', lm.kind,
                           'position', lm.position,
                           'alt_text', coalesce(locale_text(lm.alt_texts, asked), nullif(lm.alt_text, '')),
                           'caption', coalesce(locale_text(lm.captions, asked), nullif(lm.caption, '')),
                           'media_type', m.media_type,
                           'width', m.width, 'height', m.height, 'variants', m.variants,
                           'renditions', m.renditions)
                       order by lm.kind, lm.position)
                  from jsonb_to_recordset(kept -> 'media') as lm
                       (media_uuid uuid, kind text, position integer, alt_text text, caption text, alt_texts jsonb,
                        captions jsonb)
                  join media as m on m.app_uuid = $1 and m.media_uuid = lm.media_uuid) as "media: _",
               coalesce(l.rating_average, 0) as "rating_average!", coalesce(l.rating_count, 0) as "rating_count!",
               links.support_url, links.support_email, links.privacy_url, links.website_url, links.terms_url,
               coalesce(l.first_published_at, moment.published) as "first_published_at!",
               case when $4 then coalesce(l.published_at, moment.published) else moment.published end as "published_at!"
          from taken
          join app as a on a.app_uuid = $1
          join partner as p on p.partner_uuid = a.partner_uuid
          left join listing as l on l.app_uuid = a.app_uuid
          left join app_version as v on v.version_uuid = (kept #>> '{version,version_uuid}')::uuid
         cross join lateral (select coalesce(v.publish_at, greatest(a.updated_at, v.updated_at)) as published) as moment
         cross join jsonb_to_record(kept -> 'links') as links
               (support_url text, support_email text, privacy_url text, website_url text, terms_url text)
         cross join lateral (
               select * from texts
                order by locale_rank(locale, asked), locale = own desc
                limit 1) as t"#,
        app_uuid,
        Json(snapshot) as _,
        locale,
        stage == ListingStage::Live,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
