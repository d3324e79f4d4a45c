//! SQL statements of categories for readers.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Visible category.
#[derive(Clone, Debug)]
pub(super) struct ShownRow {
    pub(super) category_uuid: Uuid,
    pub(super) parent_uuid: Option<Uuid>,
    pub(super) slug: String,
    pub(super) name: String,
    /// Locale of the name; `None` if the slug replaces a missing name.
    pub(super) locale: Option<String>,
    pub(super) description: Option<String>,
    pub(super) icon: Option<String>,
    /// Visible listings in the subtree, each counted once.
    pub(super) listings_count: i32,
}

/// Returns the current slug of the category that formerly had this slug; `None` if the category still has it, or if no
/// category had it.
pub(super) async fn get_current_slug(db: &Db, former: &str) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!(
        "select category.slug from category_address as address
           join category on category.category_uuid = address.category_uuid and category.slug <> address.slug
          where address.slug = $1",
        former
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Loads the whole tree as a flat list, siblings in order, in the best locale: the requested one, else its language,
/// else English. A description without a text in these locales is omitted.
pub(super) async fn tree(db: &Db, locale: Option<&str>) -> Result<Vec<ShownRow>, Fault> {
    Ok(sqlx::query_as!(
        ShownRow,
        r#"with place as materialized (select category_uuid, path from category_place where shown),
           counted as (
               select above.category_uuid, count(distinct l.app_uuid)::integer as listings
                 from place
                cross join unnest(place.path) as above (category_uuid)
                 join listing_category as lc on lc.category_uuid = place.category_uuid
                 join listing as l on l.app_uuid = lc.app_uuid and l.visible
                group by above.category_uuid)
           select c.category_uuid, c.parent_uuid, c.slug, c.icon, coalesce(counted.listings, 0) as "listings_count!",
               coalesce(locale_text(c.names, $1::text), c.names ->> 'en', c.slug) as "name!",
               locale_of(c.names, $1) as locale,
               coalesce(locale_text(c.descriptions, $1), c.descriptions ->> 'en')
                   as description
             from place
             join category as c using (category_uuid)
             left join counted using (category_uuid)
            order by c.position, c.category_uuid"#,
        locale
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
