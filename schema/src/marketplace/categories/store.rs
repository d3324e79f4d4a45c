//! Every statement about categories.

use std::collections::{BTreeMap, HashMap};

use ::dataloader::BatchFn;
use ::dataloader::cached::Loader;
use sqlx::types::Json;
use uuid::Uuid;

use super::list::BY_ID;
use super::resolvers::Category;
use super::rules::{CategoryState, Parent};
use crate::core::batch::by_key;
use crate::core::db::Db;
use crate::core::fault::{Fault, FieldError, constraint_of};
use crate::core::list::Bound;

/// Texts by locale.
pub(super) type Texts = BTreeMap<String, String>;

/// The state of a category, which stays so until the transaction ends.
pub(super) async fn state_lock(db: &Db, category_uuid: Uuid) -> Result<Option<CategoryState>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select state as "state: CategoryState" from category where category_uuid = $1 for no key update"#,
        category_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Gives a category another state and answers it as it is then.
pub(super) async fn set_state(db: &Db, category_uuid: Uuid, state: CategoryState) -> Result<Category, Fault> {
    sqlx::query!(
        "update category set state = $2, updated_at = labs_now() where category_uuid = $1",
        category_uuid,
        state as CategoryState
    )
    .execute(&mut *db.conn().await?)
    .await?;
    load_written(db, category_uuid).await
}

/// A category that was just written.
async fn load_written(db: &Db, category_uuid: Uuid) -> Result<Category, Fault> {
    let category = BY_ID.one(db, [Bound::Ids(vec![category_uuid])]).await?;
    category.ok_or_else(|| Fault::internal("a category that was just written is gone"))
}

/// Keeps everybody else from changing the tree until the transaction ends: places are counted before they are
/// taken. Readers, and apps that choose a category, go on.
pub(super) async fn tree_lock(db: &Db) -> Result<(), Fault> {
    sqlx::query!("lock table category in share row exclusive mode").execute(&mut *db.conn().await?).await?;
    Ok(())
}

/// Where a category stands.
pub(super) async fn parent_get(db: &Db, category_uuid: Uuid) -> Result<Option<Parent>, Fault> {
    Ok(sqlx::query_as!(
        Parent,
        r#"select depth as "depth!", shown as "shown!" from category_place where category_uuid = $1"#,
        category_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// The place of the last category beneath a parent, or at the root; 0 when there is none.
pub(super) async fn last_position_get(db: &Db, parent_uuid: Option<Uuid>) -> Result<i32, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select coalesce(max(position), 0) as "last!" from category where parent_uuid is not distinct from $1"#,
        parent_uuid
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// What a new category is made of.
pub(super) struct NewCategory {
    pub(super) category_uuid: Uuid,
    pub(super) parent_uuid: Option<Uuid>,
    pub(super) slug: String,
    pub(super) names: Texts,
    pub(super) descriptions: Texts,
    pub(super) icon: Option<String>,
    pub(super) position: i32,
}

/// Adds a category; its siblings from its place on move down.
///
/// # Errors
/// [`crate::Code::Conflict`] when its slug is taken.
pub(super) async fn insert(db: &Db, new: NewCategory) -> Result<Category, Fault> {
    let inserted = sqlx::query!(
        "with moved as (
             update category set position = position + 1, updated_at = labs_now()
             where parent_uuid is not distinct from $2 and position >= $7
         )
         insert into category (category_uuid, parent_uuid, slug, names, descriptions, icon, position)
         values ($1, $2, $3, $4, $5, $6, $7)",
        new.category_uuid,
        new.parent_uuid,
        new.slug,
        Json(new.names) as _,
        Json(new.descriptions) as _,
        new.icon,
        new.position
    )
    .execute(&mut *db.conn().await?)
    .await;
    inserted.map_err(|error| match constraint_of(&error) {
        Some("category_slug_key") => slug_taken(&new.slug),
        _ => error.into(),
    })?;
    load_written(db, new.category_uuid).await
}

fn slug_taken(slug: &str) -> Fault {
    let errors = vec![FieldError::at("/slug", "TAKEN", "This slug belongs to another category.")];
    Fault::conflict(format!("The slug {slug} belongs to another category. Send a slug of your own choice."))
        .with_errors(errors)
}

/// Names a category to its loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CategoryKey(pub(crate) Uuid);

/// Fetches categories many at a time; one that does not exist is `None`.
pub(crate) type CategoryLoader = Loader<CategoryKey, Result<Option<Category>, Fault>, CategoryBatch>;

/// The statement behind [`CategoryLoader`].
pub(crate) struct CategoryBatch(Db);

/// A loader for one request.
pub(crate) fn loader(db: Db) -> CategoryLoader {
    Loader::new(CategoryBatch(db))
}

impl BatchFn<CategoryKey, Result<Option<Category>, Fault>> for CategoryBatch {
    async fn load(&mut self, keys: &[CategoryKey]) -> HashMap<CategoryKey, Result<Option<Category>, Fault>> {
        let wanted = keys.iter().map(|key| key.0).collect();
        by_key(keys, BY_ID.all(&self.0, [Bound::Ids(wanted)]).await, |category| CategoryKey(category.uuid))
    }
}
