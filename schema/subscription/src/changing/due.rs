//! Job that executes due subscription changes.

use std::sync::Arc;

use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::services::Services;
use sqlx::PgPool;
use uuid::Uuid;

use super::steps::SubscriptionChange;
use super::store;

/// Executes due changes, each partner in a separate transaction, and returns the number of partners.
///
/// The job looks at the state and takes no input, so a missed run never matters. Several replicas may run it at once;
/// each change is executed by one of them. If a partner has several due changes, the next run executes the next one. A
/// failed change does not block the others and is retried
/// (docs/decisions/partners.md#pending-changes-of-a-subscription).
///
/// # Errors
/// If the database does not answer.
pub async fn apply_due(pool: &PgPool, services: &Arc<Services>) -> Result<u64, Fault> {
    let mut done = 0;
    for partner_uuid in store::due_page(&Db::from_pool(pool.clone())).await? {
        match apply_one(pool, services, partner_uuid).await {
            Ok(true) => done += 1,
            Ok(false) => {}
            Err(fault) => {
                tracing::warn!(%partner_uuid, cause = fault.for_log(), "a due change of a subscription was not \
                                                                        applied; the next run retries");
            }
        }
    }
    Ok(done)
}

/// Executes the due change of one partner, unless another transaction has locked it, or it is not due any more.
async fn apply_one(pool: &PgPool, services: &Arc<Services>, partner_uuid: Uuid) -> Result<bool, Fault> {
    let db = Db::own_transaction(pool.clone());
    let outcome = SubscriptionChange::by_time(&db, services).apply_due(partner_uuid).await;
    db.settle(outcome).await
}
