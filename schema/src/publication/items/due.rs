//! The job that releases what is scheduled.

use sqlx::PgPool;
use uuid::Uuid;

use super::rules::PublicationState::{Released, Scheduled};
use super::store::{self, Step};
use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::fault::Fault;

/// Releases every item whose time has come, each in a transaction of its own, and answers how many. Several replicas may
/// run it at once.
///
/// # Errors
/// When the database is away.
pub(crate) async fn release_due(pool: &PgPool) -> Result<u64, Fault> {
    let mut released = 0;
    for item_uuid in store::due_list(&Db::pooled(pool.clone())).await? {
        let db = Db::apart(pool.clone());
        let outcome = release_locked(&db, item_uuid).await;
        released += u64::from(db.settle(outcome).await?);
    }
    Ok(released)
}

async fn release_locked(db: &Db, item_uuid: Uuid) -> Result<bool, Fault> {
    if !store::due_lock(db, item_uuid).await? {
        return Ok(false);
    }
    store::set_state(db, item_uuid, Released, None).await?;
    store::insert_transition(db, item_uuid, Actor::SYSTEM, (Scheduled, Released), &Step::default()).await?;
    Ok(true)
}
