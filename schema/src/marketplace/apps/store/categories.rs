//! What an app may choose of the category tree, and what it has chosen.

use uuid::Uuid;

use super::{CategoryRow, Event};
use crate::db::Db;
use crate::fault::Fault;
use crate::page::Window;
use crate::paged;

/// A place in the tree of active categories, in one locale.
pub(crate) struct SelectableRow {
    pub(crate) category_uuid: Uuid,
    pub(crate) parent_uuid: Option<Uuid>,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) icon: Option<String>,
    pub(crate) path: Vec<String>,
    pub(crate) depth: i32,
    pub(crate) selectable: bool,
    /// Sorts as the tree does: a parent, then what is beneath it.
    pub(crate) place: String,
}

/// A page of the tree of active categories, each parent before what is beneath it. Texts come in the locale, else its
/// language, else English.
pub(crate) async fn selectable_page(
    db: &Db,
    locale: Option<&str>,
    window: &Window,
) -> Result<Vec<SelectableRow>, Fault> {
    Ok(paged!(
        window,
        db,
        SelectableRow,
        r#"with recursive word as (
             select category_uuid, parent_uuid, slug, icon,
                    coalesce(names ->> $1, names ->> split_part($1, '-', 1), names ->> 'en', slug) as name,
                    coalesce(descriptions ->> $1, descriptions ->> split_part($1, '-', 1), descriptions ->> 'en') as description,
                    lpad((position::bigint + 2147483648)::text, 10, '0') || category_uuid as place
               from category where state = 'ACTIVE'),
           tree as (
             select word.*, array[name] as path, 0 as depth from word where parent_uuid is null
             union all
             select word.category_uuid, word.parent_uuid, word.slug, word.icon, word.name, word.description,
                    tree.place || word.place, tree.path || word.name, tree.depth + 1
               from word join tree on word.parent_uuid = tree.category_uuid)
           select category_uuid as "category_uuid!", parent_uuid, slug as "slug!", name as "name!", description, icon,
                  path as "path!", depth as "depth!", place as "place!",
                  not exists (select from word as beneath where beneath.parent_uuid = tree.category_uuid) as "selectable!"
             from tree
            where place collate "C" > coalesce($2, '')
            order by place collate "C""#,
        locale,
        window.key::<String>(0)?,
    )?)
}

/// Those of these categories that an app may choose, named in the locale. The positions are without meaning.
pub(crate) async fn selectable_get(db: &Db, locale: &str, uuids: &[Uuid]) -> Result<Vec<CategoryRow>, Fault> {
    Ok(sqlx::query_as!(
        CategoryRow,
        r#"select category.category_uuid, category.slug, 0 as "position!",
                  coalesce(names ->> $1, names ->> split_part($1, '-', 1), names ->> 'en', category.slug) as "name!"
             from category
             join category_place as place on place.category_uuid = category.category_uuid and place.shown
            where category.category_uuid = any($2)
              and not exists (
                  select from category as beneath
                   where beneath.parent_uuid = category.category_uuid and beneath.state = 'ACTIVE')"#,
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
