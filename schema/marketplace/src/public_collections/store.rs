//! SQL statement of one collection for readers.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Visible collection.
pub(super) struct FoundCollection {
    pub(super) collection_uuid: Uuid,
    pub(super) slug: String,
    pub(super) title: String,
    /// Locale of the title; `None` if the slug replaces a missing title.
    pub(super) locale: Option<String>,
    pub(super) description: Option<String>,
    /// Visible listings in the collection.
    pub(super) listings_count: i32,
}

/// Loads the visible collection with this current or former slug, in the best locale: the requested one, else its
/// language, else English.
pub(super) async fn get_visible(db: &Db, slug: &str, locale: Option<&str>) -> Result<Option<FoundCollection>, Fault> {
    Ok(sqlx::query_as!(
        FoundCollection,
        r#"select c.collection_uuid, c.slug,
               coalesce(locale_text(c.titles, $2::text), c.titles ->> 'en', c.slug) as "title!",
               locale_of(c.titles, $2) as locale,
               coalesce(locale_text(c.descriptions, $2), c.descriptions ->> 'en')
                   as description,
               (select count(*) from collection_listing as held join listing as l using (app_uuid)
                 where held.collection_uuid = c.collection_uuid and l.visible)::integer as "listings_count!"
          from collection_address as address
          join collection as c using (collection_uuid)
         where address.slug = $1 and collection_on_show(c.shown_from, c.shown_until)"#,
        slug,
        locale
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}
