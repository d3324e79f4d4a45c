//! Every statement about categories.

use std::collections::{BTreeMap, HashMap};

use ::dataloader::BatchFn;
use ::dataloader::cached::Loader;
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::Parent;
use crate::batch::by_key;
use crate::db::Db;
use crate::fault::{Fault, FieldError, constraint_of};
use crate::page::{Keys, Window};
use crate::paged;
use crate::time::Time;

/// Texts by locale.
pub(super) type Texts = BTreeMap<String, String>;

/// A category with its use.
#[derive(Clone, Debug)]
pub(crate) struct CategoryRow {
    pub(super) category_uuid: Uuid,
    pub(super) parent_uuid: Option<Uuid>,
    pub(super) slug: String,
    pub(super) names: Json<Texts>,
    pub(super) descriptions: Json<Texts>,
    pub(super) icon: Option<String>,
    pub(super) position: i32,
    pub(super) state: String,
    pub(super) depth: i32,
    pub(super) apps_count: i32,
    pub(super) listings_count: i32,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// What a list is narrowed to.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pub(super) states: Option<Vec<String>>,
    pub(super) parent_uuid: Option<Uuid>,
    pub(super) q: Option<String>,
}

/// The orders a list can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Level by level from the root, in each by position.
    Position,
    Slug,
    NewestFirst,
}

impl CategoryRow {
    /// The cursor's keys under this order.
    pub(super) fn keys(&self, order: Order) -> Keys {
        match order {
            Order::Position => vec![json!(self.depth), json!(self.position), json!(self.category_uuid)],
            Order::Slug => vec![json!(self.slug)],
            Order::NewestFirst => vec![json!(self.created_at), json!(self.category_uuid)],
        }
    }
}

/// One statement of the list; the keys of its order follow the filter.
macro_rules! category_page {
    ($window:expr, $db:expr, $filter:expr, $after:literal, $order:literal $(, $key:expr)*) => {
        paged!(
            $window,
            $db,
            CategoryRow,
            r#"select c.category_uuid, c.parent_uuid, c.slug, c.names as "names: _", c.descriptions as "descriptions: _",
                   c.icon, c.position, c.state, place.depth as "depth!", c.created_at, c.updated_at,
                   (select count(*) from app_category as a where a.category_uuid = c.category_uuid)::integer
                       as "apps_count!",
                   (select count(*) from listing_category as lc join listing as l on l.app_uuid = lc.app_uuid
                     where lc.category_uuid = c.category_uuid and l.visible)::integer as "listings_count!"
              from category as c
              join category_place as place on place.category_uuid = c.category_uuid
             where ($1::text[] is null or c.state = any($1))
               and ($2::uuid is null or c.parent_uuid = $2)
               and ($3::text is null or strpos(c.slug, lower($3)) > 0 or exists (
                   select from jsonb_each_text(c.names) as name where strpos(lower(name.value), lower($3)) > 0))
               and "# + $after + " order by " + $order,
            $filter.states.as_deref(),
            $filter.parent_uuid,
            $filter.q
            $(, $key)*
        )
    };
}

/// A page of categories, deactivated ones included.
pub(super) async fn page(db: &Db, filter: &Filter, order: Order, window: &Window) -> Result<Vec<CategoryRow>, Fault> {
    let rows = match order {
        Order::Position => category_page!(
            window,
            db,
            filter,
            "($4::integer is null or (place.depth, c.position, c.category_uuid) > ($4, $5::integer, $6::uuid))",
            "place.depth, c.position, c.category_uuid",
            window.key::<i32>(0)?,
            window.key::<i32>(1)?,
            window.key::<Uuid>(2)?
        ),
        Order::Slug => category_page!(
            window,
            db,
            filter,
            r#"($4::text is null or c.slug collate "C" > $4)"#,
            r#"c.slug collate "C""#,
            window.key::<String>(0)?
        ),
        Order::NewestFirst => category_page!(
            window,
            db,
            filter,
            "($4::timestamptz is null or (c.created_at, c.category_uuid) < ($4, $5::uuid))",
            "c.created_at desc, c.category_uuid desc",
            window.key::<Time>(0)? as Option<Time>,
            window.key::<Uuid>(1)?
        ),
    };
    Ok(rows?)
}

/// How many categories the filter finds.
pub(super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!"
             from category as c
            where ($1::text[] is null or c.state = any($1))
              and ($2::uuid is null or c.parent_uuid = $2)
              and ($3::text is null or strpos(c.slug, lower($3)) > 0 or exists (
                  select from jsonb_each_text(c.names) as name where strpos(lower(name.value), lower($3)) > 0))"#,
        filter.states.as_deref(),
        filter.parent_uuid,
        filter.q
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

/// The state of a category, which stays so until the transaction ends.
pub(super) async fn state_lock(db: &Db, category_uuid: Uuid) -> Result<Option<String>, Fault> {
    Ok(sqlx::query_scalar!("select state from category where category_uuid = $1 for no key update", category_uuid)
        .fetch_optional(&mut *db.conn().await?)
        .await?)
}

/// Gives a category another state and answers it as it is then.
pub(super) async fn set_state(db: &Db, category_uuid: Uuid, state: &str) -> Result<CategoryRow, Fault> {
    Ok(sqlx::query_as!(
        CategoryRow,
        r#"update category as c
              set state = $2, updated_at = labs_now()
            where c.category_uuid = $1
        returning c.category_uuid, c.parent_uuid, c.slug, c.names as "names: _", c.descriptions as "descriptions: _",
                  c.icon, c.position, c.state, c.created_at, c.updated_at,
                  (select depth from category_place as place where place.category_uuid = c.category_uuid) as "depth!",
                  (select count(*) from app_category as a where a.category_uuid = c.category_uuid)::integer
                      as "apps_count!",
                  (select count(*) from listing_category as lc join listing as l on l.app_uuid = lc.app_uuid
                    where lc.category_uuid = c.category_uuid and l.visible)::integer as "listings_count!""#,
        category_uuid,
        state
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
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
    pub(super) depth: i32,
}

/// Adds a category; its siblings from its place on move down.
///
/// # Errors
/// [`crate::Code::Conflict`] when its slug is taken.
pub(super) async fn insert(db: &Db, new: NewCategory) -> Result<CategoryRow, Fault> {
    let inserted = sqlx::query_as!(
        CategoryRow,
        r#"with moved as (
               update category set position = position + 1, updated_at = labs_now()
                where parent_uuid is not distinct from $2 and position >= $7
           )
           insert into category as c (category_uuid, parent_uuid, slug, names, descriptions, icon, position)
           values ($1, $2, $3, $4, $5, $6, $7)
           returning c.category_uuid, c.parent_uuid, c.slug, c.names as "names: _",
                     c.descriptions as "descriptions: _", c.icon, c.position, c.state, c.created_at, c.updated_at,
                     $8::integer as "depth!", 0 as "apps_count!", 0 as "listings_count!""#,
        new.category_uuid,
        new.parent_uuid,
        new.slug,
        Json(new.names) as _,
        Json(new.descriptions) as _,
        new.icon,
        new.position,
        new.depth
    )
    .fetch_one(&mut *db.conn().await?)
    .await;
    inserted.map_err(|error| match constraint_of(&error) {
        Some("category_slug_key") => slug_taken(&new.slug),
        _ => error.into(),
    })
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
pub(crate) type CategoryLoader = Loader<CategoryKey, Result<Option<CategoryRow>, Fault>, CategoryBatch>;

/// The statement behind [`CategoryLoader`].
pub(crate) struct CategoryBatch(Db);

/// A loader for one request.
pub(crate) fn loader(db: Db) -> CategoryLoader {
    Loader::new(CategoryBatch(db))
}

impl BatchFn<CategoryKey, Result<Option<CategoryRow>, Fault>> for CategoryBatch {
    async fn load(&mut self, keys: &[CategoryKey]) -> HashMap<CategoryKey, Result<Option<CategoryRow>, Fault>> {
        let wanted: Vec<Uuid> = keys.iter().map(|key| key.0).collect();
        by_key(keys, many(&self.0, &wanted).await, |row| CategoryKey(row.category_uuid))
    }
}

async fn many(db: &Db, categories: &[Uuid]) -> Result<Vec<CategoryRow>, Fault> {
    Ok(sqlx::query_as!(
        CategoryRow,
        r#"select c.category_uuid, c.parent_uuid, c.slug, c.names as "names: _", c.descriptions as "descriptions: _",
                  c.icon, c.position, c.state, place.depth as "depth!", c.created_at, c.updated_at,
                  (select count(*) from app_category as a where a.category_uuid = c.category_uuid)::integer
                      as "apps_count!",
                  (select count(*) from listing_category as lc join listing as l on l.app_uuid = lc.app_uuid
                    where lc.category_uuid = c.category_uuid and l.visible)::integer as "listings_count!"
             from category as c
             join category_place as place on place.category_uuid = c.category_uuid
            where c.category_uuid = any($1)"#,
        categories
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}
