//! SQL statements that merge feature requests, and undo it.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

use crate::people::staff;

/// Locks two feature requests.
pub(in crate::moderation) async fn lock_both(db: &Db, one: Uuid, other: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "select from feature_request where request_uuid = any($1) order by request_uuid for update",
        &[one, other]
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Locks the root of a feature request.
pub(in crate::moderation) async fn lock_root(db: &Db, request_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "select from feature_request
          where request_uuid = (select root_uuid from feature_request where request_uuid = $1) for update",
        request_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Moves a feature request, with those merged into it, to another root.
pub(super) async fn set_root(db: &Db, request_uuid: Uuid, into_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update feature_request
            set root_uuid = $2, rooted_at = labs_now(), pinned_at = null,
                merged_into_uuid = case when request_uuid = $1 then $2 else merged_into_uuid end,
                active_at = case when request_uuid = $1 then labs_now() else active_at end
          where root_uuid = $1",
        request_uuid,
        into_uuid,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Marks a feature request as active now.
pub(super) async fn set_active(db: &Db, request_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!("update feature_request set active_at = labs_now() where request_uuid = $1", request_uuid)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Makes a merged feature request a root again, of those merged into it.
pub(super) async fn unset_root(db: &Db, request_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "with recursive part as (
             select request_uuid from feature_request where request_uuid = $1
             union
             select d.request_uuid from part join feature_request as d on d.merged_into_uuid = part.request_uuid)
         update feature_request as r
            set root_uuid = $1, rooted_at = labs_now(),
                merged_into_uuid = case when r.request_uuid = $1 then null else r.merged_into_uuid end,
                active_at = case when r.request_uuid = $1 then labs_now() else r.active_at end
          where r.request_uuid = any(array(select request_uuid from part))",
        request_uuid,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Returns the authors that voted for their feature requests below a root.
pub(super) async fn list_voting_authors(db: &Db, root_uuid: Uuid) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        "select distinct author_uuid from feature_request where root_uuid = $1 and author_voted_on is not null",
        root_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Recounts the voters below a root. Each author has the pseudonym at the same place.
pub(super) async fn recount(db: &Db, root_uuid: Uuid, authors: &[Uuid], pseudonyms: &[Vec<u8>]) -> Result<(), Fault> {
    sqlx::query!("select board_recount($1, $2, $3)", root_uuid, authors, pseudonyms)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Inserts the event of a merge or of its undoing.
pub(super) async fn insert_event(
    cx: &RequestContext,
    (request_uuid, other_uuid): (Uuid, Uuid),
    kind: &str,
    note: Option<&str>,
) -> Result<(), Fault> {
    sqlx::query!(
        "insert into feature_event (event_uuid, request_uuid, other_uuid, kind, note, actor_uuid)
         values ($1, $2, $3, $4, $5, $6)",
        cx.new_uuid(),
        request_uuid,
        other_uuid,
        kind,
        note,
        staff(cx)?,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    Ok(())
}
