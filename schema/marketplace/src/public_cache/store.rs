//! SQL statements about the whole storefront.

use labs_core::db::Db;
use labs_core::fault::Fault;

/// Returns a stamp that identifies the state of the storefront: the last change of a listing, and the transaction that
/// last wrote each category.
pub(crate) async fn get_stamp(db: &Db) -> Result<String, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select concat_ws('.', (select max(position) from listing_change where change <> 'RATED'), count(*), sum(xmin::text::bigint)) as "stamp!"
             from category"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
