//! Merging of feature requests, and undoing it. Each keeps its own votes, follows and comments. `root_uuid` says which
//! belong together, and the votes of the root are recounted.
//!
//! A change to the members of a root locks the root first. Two roots are locked in the order of their ids.

mod store;

use labs_core::context::RequestContext;
use labs_core::fault::{Fault, FieldError};
use uuid::Uuid;

use crate::feature_requests::store::{LockedFeatureRequest, lock};
use crate::pseudonym;

pub(super) use store::{lock_both, lock_root};

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
    store::set_root(&cx.db, source.request_uuid, into_uuid).await?;
    recount(cx, into_uuid).await?;
    store::set_active(&cx.db, into_uuid).await?;
    store::insert_event(cx, (source.request_uuid, into_uuid), "MERGE", Some(note)).await
}

/// Undoes the merge of a feature request, which keeps those merged into it.
pub(super) async fn unmerge(
    cx: &RequestContext,
    locked: &LockedFeatureRequest,
    note: Option<&str>,
) -> Result<(), Fault> {
    store::unset_root(&cx.db, locked.request_uuid).await?;
    recount(cx, locked.request_uuid).await?;
    recount(cx, locked.root_uuid).await?;
    let into_uuid = locked.merged_into_uuid.unwrap_or(locked.root_uuid);
    store::insert_event(cx, (locked.request_uuid, into_uuid), "UNMERGE", note).await
}

/// Recounts the voters of a feature request and of those merged into it. This is the only place that needs the
/// pseudonym of an author.
async fn recount(cx: &RequestContext, root_uuid: Uuid) -> Result<(), Fault> {
    let authors = store::list_voting_authors(&cx.db, root_uuid).await?;
    let key = &cx.services.key;
    let pseudonyms: Vec<Vec<u8>> = authors.iter().map(|author| pseudonym::voter(key, *author).to_vec()).collect();
    store::recount(&cx.db, root_uuid, &authors, &pseudonyms).await
}
