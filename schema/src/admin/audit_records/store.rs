//! What the database says of the log's time.

use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::time::Time;

/// The database's time: in a transaction, that of its beginning, which is also when its audit record was recorded.
pub(super) async fn now(db: &Db) -> Result<Time, Fault> {
    Ok(sqlx::query_scalar!(r#"select labs_now() as "now!: Time""#).fetch_one(&mut *db.conn().await?).await?)
}

/// Up to when, at most up to a moment, every record is there: what was begun before may still be open and leave one.
pub(super) async fn settled_until(db: &Db, wanted: Time) -> Result<Time, Fault> {
    Ok(sqlx::query_scalar!(r#"select audit_settled($1) as "settled!: Time""#, wanted as Time)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}
