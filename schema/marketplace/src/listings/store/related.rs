//! SQL statements for related listings.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use crate::listings::rules::RelatedReason;

/// Returns the listings related to a visible listing, at most fifty for each reason, best first: a shared primary
/// category before another shared category, more shared words before fewer. Equal results are ordered randomly, with a
/// new order every UTC day, so that each listing is seen.
///
/// The statement considers a bounded set: the newest listings of a category and three hundred texts for the words. It
/// ignores a word if more than two thousand names contain it, estimated from the newest two hundred names and the total
/// number.
pub(in crate::listings) async fn related_page(db: &Db, slug: &str) -> Result<Vec<(RelatedReason, Uuid)>, Fault> {
    let rows = sqlx::query!(
        r#"with own as materialized (
               select l.app_uuid, l.partner_uuid, search_configuration(t.locale) as language,
                   to_char(labs_now() at time zone 'utc', 'YYYY-MM-DD') as day, t.name || ' ' || t.tagline as words
                 from listing as l
                 join listing_translation as t on t.app_uuid = l.app_uuid and t.locale = l.default_locale
                where l.slug = $1 and l.visible),
           common as materialized (
               select word from (
                      select t.search from listing as l join listing_translation as t using (app_uuid)
                       where l.visible order by l.published_at desc, l.app_uuid desc, t.locale limit 200) as newest
                cross join unnest(tsvector_to_array(ts_filter(newest.search, '{a}'))) as word
                group by word having count(*) * greatest(1, (
                      select reltuples from pg_class where oid = 'listing_translation'::regclass)) > 200 * 2000),
           query as materialized (
               select string_agg(
                          format('''%s''', replace(replace(word.lexeme, '\', '\\'), '''', '''''')), ' | ')::tsquery as terms
                 from own cross join unnest(to_tsvector(own.language, own.words)) as word
                where word.lexeme not in (select word from common))
           select found.reason as "reason!: RelatedReason", found.app_uuid as "app_uuid!"
             from own cross join lateral (
                  (select 'SAME_CATEGORY' as reason, near.app_uuid, -mine.position::real as likeness
                     from listing_category as mine
                     join category_place as place on place.category_uuid = mine.category_uuid and place.shown
                    cross join lateral (
                          select other.app_uuid from listing_category as other
                           cross join lateral (select from listing as l
                                                where l.app_uuid = other.app_uuid and l.visible offset 0) as l
                           where other.category_uuid = mine.category_uuid and other.app_uuid <> own.app_uuid
                           order by other.app_uuid desc limit 50) as near
                    where mine.app_uuid = own.app_uuid)
                  union all
                  (select 'SAME_VENDOR', l.app_uuid, 0
                     from listing as l
                    where l.partner_uuid = own.partner_uuid and l.visible and l.app_uuid <> own.app_uuid
                    order by l.published_at desc, l.app_uuid desc limit 50)
                  union all
                  (select 'SIMILAR_TEXT', near.app_uuid, ts_rank(near.search, query.terms) as likeness
                     from query
                    cross join lateral (
                          select t.app_uuid, t.search from listing_translation as t
                           where ts_filter(t.search, '{a}') @@ query.terms and t.app_uuid <> own.app_uuid limit 300) as near
                    cross join lateral (select from listing as l
                                         where l.app_uuid = near.app_uuid and l.visible offset 0) as l
                    order by likeness desc, near.app_uuid desc limit 50)) as found
            order by found.reason, found.likeness desc, md5(own.day || own.app_uuid || found.app_uuid), found.app_uuid"#,
        slug
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(rows.into_iter().map(|row| (row.reason, row.app_uuid)).collect())
}
