//! Job that releases scheduled items.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::{Code, Fault};
use labs_core::services::Services;
use sqlx::PgPool;
use uuid::Uuid;

use super::coverage;
use super::list::BY_ID;
use super::rules::PublicationState::{Released, Scheduled};
use super::store::{self, Step};

/// Releases every due item, each in a separate transaction, and returns their number. Several replicas may run it at
/// once.
///
/// # Errors
/// If the database does not answer; [`Code::Conflict`], after all others were released, if an entry is withheld because
/// a contract change since its scheduling is not named by any entry. The job retries it.
pub async fn release_due(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let (mut released, mut withheld) = (0, None);
    for (item_uuid, kind) in store::list_due(&Db::from_pool(pool.clone())).await? {
        coverage::prepare(&Db::from_pool(pool.clone()), services, kind).await?;
        let db = Db::own_transaction(pool.clone());
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
    if !store::lock_due(db, item_uuid).await? {
        return Ok(false);
    }
    let item = BY_ID.fetch_one(db, [item_uuid.into()]).await?.ok_or_else(|| Fault::not_found("publication item"))?;
    coverage::prove(db, services, &item).await?;
    store::set_state(db, item_uuid, Released, None).await?;
    store::insert_transition(db, item_uuid, Actor::SYSTEM, (Scheduled, Released), &Step::default()).await?;
    coverage::keep(db, &services.settings.contract, &item).await?;
    Ok(true)
}
