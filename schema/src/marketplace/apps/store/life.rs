//! The statement that takes an app from one state to another.

use uuid::Uuid;

use super::Event;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::marketplace::apps::rules::AppState;

/// Gives an app another state, and notes it in its history. Its listing, where it has one, is on the storefront exactly while
/// the app is listed, which the caches are told.
pub(crate) async fn set_state(db: &Db, app_uuid: Uuid, state: AppState, kind: &str, event: Event) -> Result<(), Fault> {
    sqlx::query!(
        "with moved as (
             update app set state = $2, state_reason = null, state_changed_at = labs_now(), updated_at = labs_now()
              where app_uuid = $1
         ), shown as (
             update listing set visible = ($2 = 'LISTED'), updated_at = labs_now()
              where app_uuid = $1 and visible <> ($2 = 'LISTED')
             returning app_uuid, slug, visible
         ), noted as (
             insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid) values ($3, $1, $4, $5, $6)
         )
         insert into listing_change (app_uuid, slug, change)
         select app_uuid, slug, case when visible then 'PUBLISHED' else 'GONE' end from shown",
        app_uuid,
        state as AppState,
        event.event_uuid,
        kind,
        event.actor_kind,
        event.actor_uuid,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
