//! SQL statements about the whole storefront.

use super::KnownValues;
use crate::core::db::Db;
use crate::core::fault::Fault;

/// Returns a stamp that identifies the state of the storefront: the last change of a listing, and the transaction that
/// last wrote each category.
pub(in crate::marketplace) async fn get_stamp(db: &Db) -> Result<String, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select concat_ws('.', (select max(position) from listing_change where change <> 'RATED'), count(*), sum(xmin::text::bigint)) as "stamp!"
             from category"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns every value of the storefront that a reader can name. It reads all listings, once per stamp.
pub(super) async fn get_known(db: &Db) -> Result<KnownValues, Fault> {
    let row = sqlx::query!(
        r#"select array(select distinct locale from listing_translation
                        union select jsonb_object_keys(names) from category
                        union select jsonb_object_keys(descriptions) from category) as "locales!",
                  array(select slug from category) as "categories!",
                  array(select p.slug from (select distinct partner_uuid from listing where visible) as named
                          join partner as p using (partner_uuid)) as "vendors!""#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?;
    let set = |values: Vec<String>| values.into_iter().collect();
    Ok(KnownValues { locales: set(row.locales), categories: set(row.categories), vendors: set(row.vendors) })
}
