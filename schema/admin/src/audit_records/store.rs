//! Statements that read the database time for the audit log.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;

/// Returns the database time. Inside a transaction this is the start of the transaction, which is also the
/// `recorded_at` time of its audit record.
pub(super) async fn now(db: &Db) -> Result<Time, Fault> {
    Ok(sqlx::query_scalar!(r#"select labs_now() as "now!: Time""#).fetch_one(&mut *db.conn().await?).await?)
}

/// Returns the time up to which the log is complete, at most `wanted`. A transaction that started earlier may still be
/// open and add a record.
pub(super) async fn complete_until(db: &Db, wanted: Time) -> Result<Time, Fault> {
    Ok(sqlx::query_scalar!(r#"select audit_settled($1) as "settled!: Time""#, wanted as Time)
        .fetch_one(&mut *db.conn().await?)
        .await?)
}
