//! SQL statements of categories.

pub(super) mod listings;

use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::slug::err_taken;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::{CategoryContent, CategoryState, CategoryUse, TreePosition};

/// Locks the category tree against other writers until the transaction ends, because positions are read before they are
/// changed. Reads, and apps that choose a category, are not blocked.
pub(super) async fn lock_tree(db: &Db) -> Result<(), Fault> {
    sqlx::query!("lock table category in share row exclusive mode").execute(&mut *db.conn().await?).await?;
    Ok(())
}

/// Loads the position of a category in the tree.
pub(super) async fn get_tree_position(db: &Db, category_uuid: Uuid) -> Result<Option<TreePosition>, Fault> {
    Ok(sqlx::query_as!(
        TreePosition,
        r#"select path as "path!", depth as "depth!", shown as "shown!" from category_place where category_uuid = $1"#,
        category_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Returns the greatest depth in the subtree of a category, counted from the root.
pub(super) async fn get_lowest_depth(db: &Db, category_uuid: Uuid) -> Result<i32, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select coalesce(max(depth), 0) as "depth!" from category_place where $1 = any(path)"#,
        category_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Returns the visible categories of a subtree, including its root.
pub(super) async fn list_visible_below(db: &Db, category_uuid: Uuid) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select category_uuid as "category_uuid!" from category_place where shown and $1 = any(path)"#,
        category_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the last position below a parent, or at the root; 0 without children.
pub(super) async fn get_last_position(db: &Db, parent_uuid: Option<Uuid>) -> Result<i32, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select coalesce(max(position), 0) as "last!" from category where parent_uuid is not distinct from $1"#,
        parent_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Values of a new category.
pub(super) struct NewCategory {
    pub(super) category_uuid: Uuid,
    pub(super) parent_uuid: Option<Uuid>,
    pub(super) content: CategoryContent,
    pub(super) position: i32,
}

/// Inserts a category; siblings from its position on move down.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another category has or had the slug.
pub(super) async fn insert(db: &Db, new: &NewCategory) -> Result<(), Fault> {
    let content = &new.content;
    let inserted = sqlx::query!(
        "with moved as (
             update category set position = position + 1, updated_at = labs_now()
             where parent_uuid is not distinct from $2 and position >= $8
         )
         insert into category (category_uuid, parent_uuid, slug, names, descriptions, also_called, icon, position)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        new.category_uuid,
        new.parent_uuid,
        content.slug,
        Json(&content.names) as _,
        Json(&content.descriptions) as _,
        Json(&content.also_called) as _,
        content.icon,
        new.position
    )
    .execute(&mut *db.conn().await?)
    .await;
    inserted.map_err(|error| err_slug_taken(error, &content.slug))?;
    Ok(())
}

/// Updates the slug, texts and icon of a category.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another category has or had the slug.
pub(super) async fn set_content(db: &Db, category_uuid: Uuid, content: CategoryContent) -> Result<(), Fault> {
    let written = sqlx::query!(
        "update category
            set slug = $2, names = $3, descriptions = $4, also_called = $5, icon = $6, updated_at = labs_now()
          where category_uuid = $1",
        category_uuid,
        content.slug,
        Json(content.names) as _,
        Json(content.descriptions) as _,
        Json(content.also_called) as _,
        content.icon
    )
    .execute(&mut *db.conn().await?)
    .await;
    written.map_err(|error| err_slug_taken(error, &content.slug))?;
    Ok(())
}

fn err_slug_taken(error: sqlx::Error, slug: &str) -> Fault {
    if !matches!(constraint_of(&error), Some("category_slug_key" | "category_address_pkey")) {
        return error.into();
    }
    let errors = vec![err_taken("This slug belongs or belonged to another category.")];
    Fault::conflict(format!("The slug {slug} belongs or belonged to another category. Send another slug."))
        .with_errors(errors)
}

/// Moves a category below a parent, or to the root, to a position among its siblings or to the end. The siblings at the
/// old and the new parent are renumbered from 1.
pub(super) async fn set_place(
    db: &Db,
    category_uuid: Uuid,
    parent_uuid: Option<Uuid>,
    position: Option<i32>,
) -> Result<(), Fault> {
    sqlx::query!(
        "with moving as (select parent_uuid from category where category_uuid = $1),
         others as (
             select c.category_uuid, c.parent_uuid,
                    row_number() over (partition by c.parent_uuid order by c.position, c.category_uuid)::integer as place
               from category as c
              cross join moving
              where c.category_uuid <> $1
                and (c.parent_uuid is not distinct from $2 or c.parent_uuid is not distinct from moving.parent_uuid)),
         own as (
             select least(coalesce($3::integer, 2147483647), 1 + count(*))::integer as place
               from others
              where parent_uuid is not distinct from $2),
         placed as (
             select others.category_uuid, others.parent_uuid, others.place + case
                        when others.parent_uuid is not distinct from $2 and others.place >= own.place then 1
                        else 0
                    end as place
               from others
              cross join own
             union all
             select $1, $2, place from own)
         update category as c
            set parent_uuid = placed.parent_uuid, position = placed.place, updated_at = labs_now()
           from placed
          where c.category_uuid = placed.category_uuid
            and (c.parent_uuid, c.position) is distinct from (placed.parent_uuid, placed.place)",
        category_uuid,
        parent_uuid,
        position
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the state of a category.
pub(super) async fn set_state(db: &Db, category_uuid: Uuid, state: CategoryState) -> Result<(), Fault> {
    sqlx::query!(
        "update category set state = $2, updated_at = labs_now() where category_uuid = $1",
        category_uuid,
        state as CategoryState
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Counts the rows that refer to a category.
pub(super) async fn get_usage(db: &Db, category_uuid: Uuid) -> Result<CategoryUse, Fault> {
    Ok(sqlx::query_as!(
        CategoryUse,
        r#"select (select count(*) from category where parent_uuid = $1) as "children!",
                  (select count(*) from app_category where category_uuid = $1) as "apps!",
                  (select count(*) from listing_category where category_uuid = $1) as "listings!""#,
        category_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// Deletes a category; later siblings move up.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another transaction started to use the category after the check.
pub(super) async fn delete(db: &Db, category_uuid: Uuid) -> Result<(), Fault> {
    let deleted = sqlx::query!(
        "with gone as (delete from category where category_uuid = $1 returning parent_uuid, position)
         update category as c
            set position = c.position - 1, updated_at = labs_now()
           from gone
          where c.parent_uuid is not distinct from gone.parent_uuid and c.position > gone.position",
        category_uuid
    )
    .execute(&mut *db.conn().await?)
    .await;
    match deleted {
        Err(error) if constraint_of(&error).is_some_and(|name| USES.contains(&name)) => Err(Fault::conflict(
            "An app or listing has just started to use this category. Deactivate it instead, which hides it.",
        )),
        Err(error) => Err(error.into()),
        Ok(_) => Ok(()),
    }
}

/// Foreign keys that prevent the deletion of a category in use.
const USES: [&str; 3] = ["category_parent_fkey", "app_category_category_fkey", "listing_category_category_fkey"];
