//! SQL statements that write collections.

use labs_core::db::Db;
use labs_core::fault::{Fault, constraint_of};
use labs_core::slug::err_taken;
use labs_core::time::Time;
use sqlx::types::Json;
use uuid::Uuid;

use super::rules::{CollectionContent, KnownListing};

/// Locks collections against other writers until the transaction ends. Reads are not blocked.
pub(super) async fn lock(db: &Db) -> Result<(), Fault> {
    sqlx::query!("lock table collection in share row exclusive mode").execute(&mut *db.conn().await?).await?;
    Ok(())
}

/// Returns the existing listings among the given slugs and app ids, including hidden ones.
pub(super) async fn list_known(db: &Db, named: &[String]) -> Result<Vec<KnownListing>, Fault> {
    let apps: Vec<Uuid> = named.iter().filter_map(|name| name.parse().ok()).collect();
    Ok(sqlx::query_as!(
        KnownListing,
        "select app_uuid, slug from listing where slug = any($1) or app_uuid = any($2)",
        named,
        &apps
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Inserts an empty collection at the end.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another collection has or had the slug.
pub(super) async fn insert(db: &Db, collection_uuid: Uuid, content: &CollectionContent) -> Result<(), Fault> {
    let inserted = sqlx::query!(
        "insert into collection (collection_uuid, slug, titles, descriptions, shown_from, shown_until, position)
         select $1, $2, $3, $4, $5, $6, coalesce(max(position), 0) + 1 from collection",
        collection_uuid,
        content.slug,
        Json(&content.titles) as _,
        Json(&content.descriptions) as _,
        content.shown_from as Option<Time>,
        content.shown_until as Option<Time>
    )
    .execute(&mut *db.conn().await?)
    .await;
    inserted.map_err(|error| err_slug_taken(error, &content.slug))?;
    Ok(())
}

/// Updates the texts, slug and window of a collection.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if another collection has or had the slug.
pub(super) async fn set_content(db: &Db, collection_uuid: Uuid, content: CollectionContent) -> Result<(), Fault> {
    let written = sqlx::query!(
        "update collection
            set slug = $2, titles = $3, descriptions = $4, shown_from = $5, shown_until = $6, updated_at = labs_now()
          where collection_uuid = $1",
        collection_uuid,
        content.slug,
        Json(content.titles) as _,
        Json(content.descriptions) as _,
        content.shown_from as Option<Time>,
        content.shown_until as Option<Time>
    )
    .execute(&mut *db.conn().await?)
    .await;
    written.map_err(|error| err_slug_taken(error, &content.slug))?;
    Ok(())
}

fn err_slug_taken(error: sqlx::Error, slug: &str) -> Fault {
    if !matches!(constraint_of(&error), Some("collection_slug_key" | "collection_address_pkey")) {
        return error.into();
    }
    let errors = vec![err_taken("This slug belongs or belonged to another collection.")];
    Fault::conflict(format!("The slug {slug} belongs or belonged to another collection. Send another slug."))
        .with_errors(errors)
}

/// Replaces the listings of a collection with the listings of these apps, in this order.
pub(super) async fn set_listings(db: &Db, collection_uuid: Uuid, apps: &[Uuid]) -> Result<(), Fault> {
    sqlx::query!(
        "with gone as (delete from collection_listing where collection_uuid = $1 and app_uuid <> all($2))
         insert into collection_listing as held (collection_uuid, app_uuid, position)
         select $1, app_uuid, place from unnest($2::uuid[]) with ordinality as chosen (app_uuid, place)
             on conflict (collection_uuid, app_uuid) do update set position = excluded.position
          where held.position <> excluded.position",
        collection_uuid,
        apps
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Moves a collection to a position, or to the end, and renumbers all collections from 1.
pub(super) async fn set_position(db: &Db, collection_uuid: Uuid, position: i32) -> Result<(), Fault> {
    sqlx::query!(
        "with others as (
             select collection_uuid, row_number() over (order by position, collection_uuid) as place
               from collection where collection_uuid <> $1),
         placed as (
             select collection_uuid, place + case when place >= $2::integer then 1 else 0 end as place from others
             union all
             select $1, least($2, 1 + count(*)) from others)
         update collection as c
            set position = placed.place, updated_at = labs_now()
           from placed
          where c.collection_uuid = placed.collection_uuid and c.position <> placed.place",
        collection_uuid,
        position
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Deletes a collection; later ones move up.
pub(super) async fn delete(db: &Db, collection_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with gone as (delete from collection where collection_uuid = $1 returning position)
         update collection as c
            set position = c.position - 1, updated_at = labs_now()
           from gone
          where c.position > gone.position",
        collection_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}
