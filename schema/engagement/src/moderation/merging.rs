//! Merging of feature requests, and undoing it. Each keeps its own votes, follows and comments. `root_uuid` says which
//! belong together, and the votes of the root are recounted.
//!
//! A change to the members of a root locks the root first. Two roots are locked in the order of their ids.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::{Fault, FieldError};
use uuid::Uuid;

use crate::feature_requests::store::{LockedFeatureRequest, lock};
use crate::people::staff;
use crate::pseudonym;

/// Locks two feature requests.
pub(super) async fn lock_both(db: &Db, one: Uuid, other: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "select from feature_request where request_uuid = any($1) order by request_uuid for update",
        &[one, other]
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Locks the root of a feature request.
pub(super) async fn lock_root(db: &Db, request_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "select from feature_request
          where request_uuid = (select root_uuid from feature_request where request_uuid = $1) for update",
        request_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Rejects a merge of a feature request into itself, into a target that is not on the board, or into a target that is
/// itself merged.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], or [`labs_core::Code::Conflict`] naming the root of the target.
pub(super) async fn ensure_target(cx: &RequestContext, request_uuid: Uuid, into_uuid: Uuid) -> Result<(), Fault> {
    if request_uuid == into_uuid {
        return Err(Fault::field("/into_uuid", "SAME", "A feature request cannot be merged into itself."));
    }
    let found = lock(&cx.db, into_uuid).await?.filter(|target| !target.marks().is_suspended);
    let Some(target) = found else {
        return Err(Fault::field("/into_uuid", "UNKNOWN", "This feature request is not on the board."));
    };
    if target.merged_into_uuid.is_none() {
        return Ok(());
    }
    let errors = vec![FieldError::at("/into_uuid", "MERGED", format!("It was merged into {}.", target.root_uuid))];
    let detail = if target.root_uuid == request_uuid {
        "The other feature request was merged into this one. Undo that merge first, then merge this one into it."
            .to_owned()
    } else {
        format!("The other feature request was merged into {}. Merge into that one.", target.root_uuid)
    };
    Err(Fault::conflict(detail).with_errors(errors))
}

/// Merges a feature request, with those merged into it, into another.
pub(super) async fn merge(
    cx: &RequestContext,
    source: &LockedFeatureRequest,
    into_uuid: Uuid,
    note: &str,
) -> Result<(), Fault> {
    sqlx::query!(
        "update feature_request
            set root_uuid = $2, rooted_at = labs_now(), pinned_at = null,
                merged_into_uuid = case when request_uuid = $1 then $2 else merged_into_uuid end,
                active_at = case when request_uuid = $1 then labs_now() else active_at end
          where root_uuid = $1",
        source.request_uuid,
        into_uuid,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    recount(cx, into_uuid).await?;
    sqlx::query!("update feature_request set active_at = labs_now() where request_uuid = $1", into_uuid)
        .execute(&mut *cx.db.conn().await?)
        .await?;
    insert_event(cx, (source.request_uuid, into_uuid), "MERGE", Some(note)).await
}

/// Undoes the merge of a feature request, which keeps those merged into it.
pub(super) async fn unmerge(
    cx: &RequestContext,
    locked: &LockedFeatureRequest,
    note: Option<&str>,
) -> Result<(), Fault> {
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
        locked.request_uuid,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    recount(cx, locked.request_uuid).await?;
    recount(cx, locked.root_uuid).await?;
    let into_uuid = locked.merged_into_uuid.unwrap_or(locked.root_uuid);
    insert_event(cx, (locked.request_uuid, into_uuid), "UNMERGE", note).await
}

/// Recounts the voters of a feature request and of those merged into it. This is the only place that needs the
/// pseudonym of an author.
async fn recount(cx: &RequestContext, root_uuid: Uuid) -> Result<(), Fault> {
    let authors = sqlx::query_scalar!(
        "select distinct author_uuid from feature_request where root_uuid = $1 and author_voted_on is not null",
        root_uuid
    )
    .fetch_all(&mut *cx.db.conn().await?)
    .await?;
    let key = &cx.services.key;
    let pseudonyms: Vec<Vec<u8>> = authors.iter().map(|author| pseudonym::voter(key, *author).to_vec()).collect();
    sqlx::query!("select board_recount($1, $2, $3)", root_uuid, &authors, &pseudonyms)
        .execute(&mut *cx.db.conn().await?)
        .await?;
    Ok(())
}

async fn insert_event(
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
