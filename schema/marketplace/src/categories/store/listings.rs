//! SQL statements of listings that lose their categories.

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

/// Listing, visible or not.
pub(in crate::categories) struct AffectedListing {
    pub(in crate::categories) app_uuid: Uuid,
    pub(in crate::categories) slug: String,
}

/// Returns the listings, by slug, that have a visible category only among the given ones, and locks them until the
/// transaction ends. If a publication is in progress, the statement waits for it and reads the result.
pub(in crate::categories) async fn lock_visible(db: &Db, hidden: &[Uuid]) -> Result<Vec<AffectedListing>, Fault> {
    let filed = sqlx::query_scalar!(
        "select app_uuid from listing
          where app_uuid = any(array(select app_uuid from listing_category where category_uuid = any($1)))
          order by app_uuid
            for no key update",
        hidden
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(sqlx::query_as!(
        AffectedListing,
        "select l.app_uuid, l.slug from listing as l
          where l.app_uuid = any($2)
            and (select true from listing_category as own
                  where own.app_uuid = l.app_uuid and own.category_uuid = any($1) limit 1) is true
            and (select true from listing_category as other
                  where other.app_uuid = l.app_uuid and other.category_uuid <> all($1)
                    and other.category_uuid = any(array(select category_uuid from category_place where shown))
                  limit 1) is not true
          order by l.slug",
        hidden,
        &filed
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Moves the listings of these apps from the hidden categories to another one, at the lowest position of the removed
/// ones. Adds an entry to the history of each app and records the change for the caches.
pub(in crate::categories) async fn move_all(
    db: &Db,
    apps: &[Uuid],
    hidden: &[Uuid],
    target_uuid: Uuid,
    actor: Actor,
) -> Result<(), Fault> {
    sqlx::query!(
        "with gone as (
             delete from listing_category where app_uuid = any($1) and category_uuid = any($2)
             returning app_uuid, category_uuid, position
         ), filed as (
             insert into listing_category (app_uuid, category_uuid, position)
             select app_uuid, $3, min(position) from gone group by app_uuid
         ), touched as (
             update listing set updated_at = labs_now() where app_uuid = any($1) returning app_uuid, slug, visible
         ), noted as (
             insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
             select labs_uuid(), app_uuid, 'CATEGORIES_MOVED', $4, $5,
                    jsonb_build_object('from_category_uuids', jsonb_agg(category_uuid order by position),
                        'to_category_uuid', $3::uuid)
               from gone
              group by app_uuid
         )
         insert into listing_change (app_uuid, slug, change)
         select app_uuid, slug, 'CHANGED' from touched where visible",
        apps,
        hidden,
        target_uuid,
        actor.kind,
        actor.uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
