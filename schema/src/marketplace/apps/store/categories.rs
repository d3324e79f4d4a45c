//! What an app may choose of the category tree, and what it has chosen.

use uuid::Uuid;

use super::{CategoryRow, Event};
use crate::core::db::Db;
use crate::core::fault::Fault;

/// Those of these categories that an app may choose, named in the locale. The positions are without meaning. None of them is
/// deleted until the transaction ends.
pub(crate) async fn selectable_get(db: &Db, locale: &str, uuids: &[Uuid]) -> Result<Vec<CategoryRow>, Fault> {
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

/// Makes these an app's categories, the primary one first, and notes it in the history.
pub(crate) async fn categories_put(db: &Db, app_uuid: Uuid, uuids: &[Uuid], event: Event) -> Result<(), Fault> {
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
