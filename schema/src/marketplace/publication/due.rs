//! The job that puts scheduled versions on the storefront.

use sqlx::PgPool;
use uuid::Uuid;

use super::store;
use crate::actor::Actor;
use crate::db::Db;
use crate::fault::Fault;

/// Publishes every scheduled version whose time has come, each in a transaction of its own, and answers how many.
///
/// It looks at the state and takes no input, so that a missed run never matters; several replicas may run it at
/// once. One that fails keeps none of the others waiting, and is tried again by the next run (specification:
/// decisions, States).
///
/// # Errors
/// When the database is away.
pub(crate) async fn publish_due(pool: &PgPool) -> Result<u64, Fault> {
    let mut published = 0;
    for version_uuid in store::due_page(&Db::pooled(pool.clone())).await? {
        match publish_one(pool, version_uuid).await {
            Ok(true) => published += 1,
            Ok(false) => {}
            Err(fault) => {
                tracing::warn!(%version_uuid, cause = %fault, "a scheduled version was not published; the next run tries again");
            }
        }
    }
    Ok(published)
}

/// Publishes one, unless somebody else has it or it is due no longer.
async fn publish_one(pool: &PgPool, version_uuid: Uuid) -> Result<bool, Fault> {
    let db = Db::apart(pool.clone());
    let outcome = publish_locked(&db, version_uuid).await;
    db.settle(outcome).await
}

/// What stands in the way is looked for once more under the lock: it may have come since the page was read.
async fn publish_locked(db: &Db, version_uuid: Uuid) -> Result<bool, Fault> {
    let Some(app_uuid) = store::due_lock(db, version_uuid).await? else { return Ok(false) };
    if store::rival_get(db, version_uuid).await?.is_some() {
        return Ok(false);
    }
    store::publish(db, Actor::SYSTEM, app_uuid, version_uuid).await?;
    Ok(true)
}
