//! SQL statements that change the state of an app.

use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::principal::Owner;
use labs_shared::states::AppState;
use uuid::Uuid;

use super::Event;

/// Sets the state of an app and adds an entry to its history. The listing, if there is one, is visible exactly while
/// the app is listed; the statement records the change for the caches. An app that is archived before it was ever
/// published frees its slug.
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

/// Reserves a slug for an archived app that freed its previous one. Returns `None` if another app has the slug.
pub(crate) async fn take_slug(db: &Db, app_uuid: Uuid, slug: &str) -> Result<Option<()>, Fault> {
    let taken = sqlx::query!("update app set slug = $2, slug_freed = false where app_uuid = $1", app_uuid, slug)
        .execute(&mut *db.conn().await?)
        .await;
    match taken {
        Ok(_) => Ok(Some(())),
        Err(error) if constraint_of(&error) == Some("app_slug_key") => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Counts the partner's archived apps that were never published.
pub(crate) async fn count_archived_drafts(db: &Db, owner: Owner) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from app where partner_uuid = $1 and state = 'ARCHIVED' and slug_freed"#,
        owner.uuid()
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
