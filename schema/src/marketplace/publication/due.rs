//! The job that puts scheduled versions on the storefront.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sqlx::PgPool;
use uuid::Uuid;

use super::store;
use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::time::Time;

/// How long a version that could not be published is left alone.
const PUT_OFF_SECONDS: i64 = 60;

/// Publishes every scheduled version whose time has come, each in a transaction of its own, and answers how many.
///
/// It looks at the state and takes no input, so that a missed run never matters; several replicas may run it at
/// once. One that fails keeps none of the others waiting, and is tried again a minute later (docs/decisions.md#states).
///
/// # Errors
/// When the database is away.
pub(crate) async fn publish_due(pool: &PgPool, put_off: &PutOff, now: Time) -> Result<u64, Fault> {
    let mut published = 0;
    for version_uuid in store::due_page(&Db::pooled(pool.clone()), &put_off.at(now)).await? {
        match publish_one(pool, version_uuid).await {
            Ok(true) => published += 1,
            Ok(false) => {}
            Err(fault) => {
                put_off.add(version_uuid, now);
                tracing::warn!(%version_uuid, cause = fault.for_log(), "a scheduled version was not published; \
                                                                        publication is retried in a minute");
            }
        }
    }
    Ok(published)
}

/// The versions that could not be published, each with the moment from which it is tried again. Every replica keeps its
/// own, and a new one begins without any.
#[derive(Debug, Default)]
pub(crate) struct PutOff(Mutex<HashMap<Uuid, Time>>);

impl PutOff {
    /// Those whose moment is still to come; the others are forgotten.
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
