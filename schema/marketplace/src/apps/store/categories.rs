//! SQL statements for selectable and chosen categories of an app.

use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::{CategoryRow, Event};

/// Returns the selectable categories among the given ones, named in the locale. Their positions have no meaning. The
/// rows are locked, so that no category is deleted until the transaction ends.
pub(crate) async fn get_selectable(db: &Db, locale: &str, uuids: &[Uuid]) -> Result<Vec<CategoryRow>, Fault> {
    Ok(sqlx::query_as!(
        CategoryRow,
        r#"select category.category_uuid, category.slug, 0 as "position!",
                  coalesce(locale_text(names, $1), names ->> 'en', category.slug) as "name!"
             from category
             join category_place as place on place.category_uuid = category.category_uuid and place.shown
            where category.category_uuid = any($2)
              and not exists (
                  select from category as beneath
                   where beneath.parent_uuid = category.category_uuid and beneath.state = 'ACTIVE')
              for key share of category"#,
        locale,
        uuids
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Replaces an app's categories, the primary category first, and adds an entry to the history.
pub(crate) async fn put_categories(db: &Db, app_uuid: Uuid, uuids: &[Uuid], event: Event) -> Result<(), Fault> {
    sqlx::query!(
        r#"with gone as (
             delete from app_category where app_uuid = $1 and category_uuid <> all($2)),
           chosen as (
             insert into app_category (app_uuid, category_uuid, position)
             select $1, category_uuid, place - 1 from unnest($2::uuid[]) with ordinality as choice (category_uuid, place)
                 on conflict on constraint app_category_pkey do update set position = excluded.position),
           touched as (
             update app set updated_at = labs_now() where app_uuid = $1)
           insert into app_event (event_uuid, app_uuid, kind, actor_kind, actor_uuid, detail)
           values ($3, $1, 'CATEGORIES_CHANGED', $4, $5, jsonb_build_object('category_uuids', $2::uuid[]))"#,
        app_uuid,
        uuids,
        event.event_uuid,
        event.actor_kind,
        event.actor_uuid,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
