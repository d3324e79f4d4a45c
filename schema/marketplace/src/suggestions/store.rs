//! SQL statement of the names.

use labs_core::db::Db;
use labs_core::fault::Fault;

use super::rules::{Name, SuggestionKind};

/// Loads all names of the storefront in a locale, and the taglines of the listings. Listings are weighted by rating,
/// partners and categories by the number of their listings.
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
                       limit 1) as t
                where l.visible)
           select 'LISTING' as "kind!: SuggestionKind", name as "text!", slug as "slug!",
                  rating_score::bigint as "weight!", tagline, locale
             from shown
           union all
           select 'VENDOR', p.company_name, p.slug, count(*), null, null
             from shown join partner as p using (partner_uuid) group by p.partner_uuid
           union all
           select 'CATEGORY', coalesce(locale_text(c.names, $1), c.names ->> 'en', c.slug),
                  c.slug, count(shown.app_uuid), null, locale_of(c.names, $1)
             from category as c
             join category_place as place on place.category_uuid = c.category_uuid and place.shown
             left join listing_category as lc on lc.category_uuid = c.category_uuid
             left join shown on shown.app_uuid = lc.app_uuid
            group by c.category_uuid"#,
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
            slug: Some(row.slug),
            weight: row.weight,
            locale: row.locale,
        });
    }
    Ok((names, taglines))
}
