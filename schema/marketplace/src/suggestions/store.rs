//! SQL statement of the names.

use labs_core::db::Db;
use labs_core::fault::Fault;

use super::rules::{Name, SuggestionKind};

/// Loads all names of the storefront in a locale, or in all locales, and the taglines of the listings. Synonyms of
/// categories are in all locales. Listings are weighted by rating, the others by the number of their listings.
pub(super) async fn names_all(db: &Db, locale: Option<&str>) -> Result<(Vec<Name>, Vec<String>), Fault> {
    let rows = sqlx::query!(
        r#"with shown as materialized (
               select l.app_uuid, l.slug, l.partner_uuid, l.rating_score, t.name, t.tagline, t.locale
                 from listing as l
                cross join lateral (
                      select o.name, o.tagline, o.locale from listing_translation as o
                       where o.app_uuid = l.app_uuid
                       order by locale_rank(o.locale, $1::text),
                                o.locale = l.default_locale desc
                       limit case when $1 is not null then 1 end) as t
                where l.visible)
           select 'LISTING' as "kind!: SuggestionKind", name as "text!", null as synonym, slug as "slug!",
                  rating_score::bigint as "weight!", tagline, locale
             from shown
           union all
           select 'VENDOR', p.company_name, null, p.slug, count(distinct shown.app_uuid), null, null
             from shown join partner as p using (partner_uuid) group by p.partner_uuid
           union all
           select 'COLLECTION', coalesce(c.titles ->> of.locale, c.slug), null, c.slug,
                  (select count(*) from collection_listing as held join listing as l using (app_uuid)
                    where held.collection_uuid = c.collection_uuid and l.visible), null, of.locale
             from collection as c
            cross join lateral (
                  select key as locale from jsonb_each_text(c.titles) where $1 is null
                  union all
                  select locale_of(c.titles, $1) where $1 is not null) as of
            where collection_on_show(c.shown_from, c.shown_until)
           union all
           select 'CATEGORY', coalesce(c.names ->> of.locale, c.slug), of.synonym, c.slug,
                  (select count(*) from listing_category as lc join listing as l using (app_uuid)
                    where lc.category_uuid = c.category_uuid and l.visible), null, of.locale
             from category as c
             join category_place as place on place.category_uuid = c.category_uuid and place.shown
            cross join lateral (
                  select key as locale, null as synonym from jsonb_each_text(c.names) where $1 is null
                  union all
                  select locale_of(c.names, $1), null where $1 is not null
                  union all
                  select locale_of(c.names, coalesce($1, called.locale)), called.name
                    from category_called('{}', c.also_called) as called) as of"#,
        locale
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let mut taglines = Vec::new();
    let mut names = Vec::with_capacity(rows.len());
    for row in rows {
        taglines.extend(row.tagline.filter(|tagline| !tagline.is_empty()));
        names.push(Name {
            kind: row.kind,
            text: row.text,
            synonym: row.synonym,
            slug: Some(row.slug),
            weight: row.weight,
            locale: row.locale,
        });
    }
    Ok((names, taglines))
}
