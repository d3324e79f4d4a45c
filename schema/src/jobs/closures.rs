//! The job that closes due accounts.

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use sqlx::PgPool;
use uuid::Uuid;

use labs_identity::partner::lifecycle;

/// Closes every partner whose closing period has ended, each in a separate transaction. Returns the number of closed
/// partners.
///
/// Several replicas may run it at once. A failure delays no other partner, and the next run retries it
/// (docs/decisions/engine.md#jobs).
///
/// # Errors
/// If the database does not answer.
pub(super) async fn close_due(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let mut closed = 0;
    for partner_uuid in lifecycle::due_page(&Db::from_pool(pool.clone())).await? {
        match close_one(pool, services, partner_uuid).await {
            Ok(true) => closed += 1,
            Ok(false) => {}
            Err(fault) => {
                tracing::warn!(%partner_uuid, cause = fault.for_log(), "a partner was not closed; the next run retries");
            }
        }
    }
    Ok(closed)
}

async fn close_one(pool: &PgPool, services: &Services, partner_uuid: Uuid) -> Result<bool, Fault> {
    let db = Db::own_transaction(pool.clone());
    let outcome = lifecycle::close_due(&db, services, services.clock.now(), partner_uuid).await;
    db.settle(outcome).await
}
