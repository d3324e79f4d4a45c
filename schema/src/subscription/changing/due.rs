//! The job that does to subscriptions what waited for its time.

use std::sync::Arc;

use sqlx::PgPool;
use uuid::Uuid;

use super::steps::SubscriptionChange;
use super::store;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::services::Services;

/// Does what is due, each partner's in a transaction of its own, and answers for how many partners.
///
/// It looks at the state and takes no input, so that a missed run never matters; several replicas may run it at once,
/// and each thing is done by one of them. Whoever has more than one thing due has the next done by the next run. One
/// that fails keeps none of the others waiting, and is tried again (docs/decisions.md#tiers).
///
/// # Errors
/// When the database is away.
pub(crate) async fn apply_due(pool: &PgPool, services: &Arc<Services>) -> Result<u64, Fault> {
    let mut done = 0;
    for partner_uuid in store::due_page(&Db::pooled(pool.clone())).await? {
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

/// Does what is due to one, unless somebody else has it or it is due no longer.
async fn apply_one(pool: &PgPool, services: &Arc<Services>, partner_uuid: Uuid) -> Result<bool, Fault> {
    let db = Db::apart(pool.clone());
    let outcome = SubscriptionChange::by_time(&db, services).pass(partner_uuid).await;
    db.settle(outcome).await
}
