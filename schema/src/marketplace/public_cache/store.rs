//! The one statement about the shop window as a whole.

use crate::core::db::Db;
use crate::core::fault::Fault;

/// Tells one state of the shop window from another: the last change of a listing, and who last wrote each category.
pub(in crate::marketplace) async fn stamp_get(db: &Db) -> Result<String, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select concat_ws('.', (select max(position) from listing_change where change <> 'RATED'), count(*), sum(xmin::text::bigint)) as "stamp!"
             from category"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
