//! The statements that take an app from one state to another.

use uuid::Uuid;

use super::Event;
use crate::core::db::Db;
use crate::core::fault::{Fault, constraint_of};
use crate::core::principal::Owner;
use crate::marketplace::apps::rules::AppState;

/// Gives an app another state, and notes it in its history. Its listing, where it has one, is on the storefront exactly while
/// the app is listed, which the caches are told. An app that is archived before it was ever published frees its slug.
pub(crate) async fn set_state(db: &Db, app_uuid: Uuid, state: AppState, kind: &str, event: Event) -> Result<(), Fault> {
    sqlx::query!(
        "with moved as (
             update app set state = $2, state_reason = null, state_changed_at = labs_now(), updated_at = labs_now(),
                            slug_freed = ($2 = 'ARCHIVED' and not exists (
                                select from app_version where app_uuid = $1 and published_at is not null))
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

/// Reserves a slug for an archived app that freed its own. `None` when another app has it.
pub(crate) async fn slug_take(db: &Db, app_uuid: Uuid, slug: &str) -> Result<Option<()>, Fault> {
    let taken = sqlx::query!("update app set slug = $2, slug_freed = false where app_uuid = $1", app_uuid, slug)
        .execute(&mut *db.conn().await?)
        .await;
    match taken {
        Ok(_) => Ok(Some(())),
        Err(error) if constraint_of(&error) == Some("app_slug_key") => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Number of the partner's archived apps that were never published.
pub(crate) async fn archived_draft_count(db: &Db, owner: Owner) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from app where partner_uuid = $1 and state = 'ARCHIVED' and slug_freed"#,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
