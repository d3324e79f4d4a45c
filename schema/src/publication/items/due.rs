//! The job that releases what is scheduled.

use sqlx::PgPool;
use uuid::Uuid;

use super::list::BY_ID;
use super::proof;
use super::rules::PublicationState::{Released, Scheduled};
use super::store::{self, Step};
use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::fault::{Code, Fault};
use crate::core::services::Services;

/// Releases every item whose time has come, each in a transaction of its own, and answers how many. Several replicas may
/// run it at once.
///
/// # Errors
/// When the database is away; [`Code::Conflict`], after all others were released, when an entry is withheld because the
/// contract has changed since it was scheduled in something that no entry names. It is tried again.
pub(crate) async fn release_due(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let (mut released, mut withheld) = (0, None);
    for item_uuid in store::due_list(&Db::pooled(pool.clone())).await? {
        let db = Db::apart(pool.clone());
        let outcome = release_locked(&db, services, item_uuid).await;
        match db.settle(outcome).await {
            Ok(is_released) => released += u64::from(is_released),
            Err(fault) if fault.code() == Code::Conflict => withheld = Some(fault),
            Err(fault) => return Err(fault),
        }
    }
    withheld.map_or(Ok(released), Err)
}

async fn release_locked(db: &Db, services: &Services, item_uuid: Uuid) -> Result<bool, Fault> {
    if !store::due_lock(db, item_uuid).await? {
        return Ok(false);
    }
    let item = BY_ID.one(db, [item_uuid.into()]).await?.ok_or_else(|| Fault::not_found("publication item"))?;
    proof::prove(db, services, &item).await?;
    store::set_state(db, item_uuid, Released, None).await?;
    store::insert_transition(db, item_uuid, Actor::SYSTEM, (Scheduled, Released), &Step::default()).await?;
    proof::keep(db, &services.settings.contract, &item).await?;
    Ok(true)
}
