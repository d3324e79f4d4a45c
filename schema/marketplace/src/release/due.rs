//! Job that publishes scheduled versions.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use sqlx::PgPool;
use uuid::Uuid;

use super::store;

/// Delay before the next attempt for a version that could not be published, in seconds.
const PUT_OFF_SECONDS: i64 = 60;

/// Publishes every scheduled version whose time has come, each in a separate transaction, and returns their number.
///
/// The job reads the state and takes no input, so a missed run has no effect. Several replicas may run it at the same
/// time. A failed version does not block the others; the job retries it a minute later (docs/decisions/engine.md#jobs).
///
/// # Errors
/// If the database does not answer.
pub async fn publish_due(pool: &PgPool, put_off: &PostponedVersions, now: Time) -> Result<u64, Fault> {
    let mut published = 0;
    for version_uuid in store::due_page(&Db::from_pool(pool.clone()), &put_off.at(now)).await? {
        match publish_one(pool, version_uuid).await {
            Ok(true) => published += 1,
            Ok(false) => {}
            Err(fault) => {
                put_off.add(version_uuid, now);
                tracing::warn!(%version_uuid, cause = fault.for_log(), "a scheduled app version was not published; \
                                                                        the service retries in a minute");
            }
        }
    }
    Ok(published)
}

/// Versions that could not be published, each with the time of the next attempt. Every replica has a separate list,
/// which starts empty.
#[derive(Debug, Default)]
pub struct PostponedVersions(Mutex<HashMap<Uuid, Time>>);

impl PostponedVersions {
    /// Returns the versions whose next attempt is in the future, and removes the others.
    fn at(&self, now: Time) -> Vec<Uuid> {
        let mut held = self.held();
        held.retain(|_, again_at| *again_at > now);
        held.keys().copied().collect()
    }

    fn add(&self, version_uuid: Uuid, now: Time) {
        self.held().insert(version_uuid, now.plus_seconds(PUT_OFF_SECONDS));
    }

    fn held(&self) -> MutexGuard<'_, HashMap<Uuid, Time>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Publishes one version, unless another transaction has locked it or it is not due any more.
async fn publish_one(pool: &PgPool, version_uuid: Uuid) -> Result<bool, Fault> {
    let db = Db::own_transaction(pool.clone());
    let outcome = publish_locked(&db, version_uuid).await;
    db.settle(outcome).await
}

/// Repeats the check for obstacles under the lock, because one may have appeared since the page was read.
async fn publish_locked(db: &Db, version_uuid: Uuid) -> Result<bool, Fault> {
    let Some(app_uuid) = store::lock_due(db, version_uuid).await? else { return Ok(false) };
    if store::get_conflicting(db, version_uuid).await?.is_some() {
        return Ok(false);
    }
    store::publish(db, Actor::SYSTEM, app_uuid, version_uuid).await?;
    Ok(true)
}
