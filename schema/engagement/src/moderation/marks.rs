//! Marks that staff set on feature requests in addition to the status: pinned, locked, merged.

use labs_core::context::RequestContext;
use labs_core::describe::InputType;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use serde::Deserialize;
use uuid::Uuid;

use super::list::ModeratedFeatureRequestDetails;
use super::resolvers::{load, lock_for};
use super::{merging, store};
use crate::feature_requests::rules::BoardAction;

/// Target of a merge.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureRequestMerge {
    /// UUID of the target feature request.
    into_uuid: Uuid,
    /// Public note, which readers of both feature requests see.
    note: String,
}

/// Public note on an unmerge.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureRequestUnmerge {
    /// Public note, which readers of both feature requests see.
    note: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    engagement_moderation_pin,
    engagement_moderation_unpin,
    engagement_moderation_lock_comments,
    engagement_moderation_unlock_comments,
    engagement_moderation_merge,
    engagement_moderation_unmerge,
];

/// Pin a feature request.
#[operation(mutation, access = "labs.admin.engagement:write", audit_target(FeatureRequest, "request_uuid"))]
async fn engagement_moderation_pin(
    cx: &RequestContext,
    request_uuid: Uuid,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    lock_for(cx, request_uuid, BoardAction::Pin).await?;
    store::set_pinned(&cx.db, request_uuid, true).await?;
    load(cx, request_uuid).await
}

/// Unpin a feature request.
#[operation(mutation, access = "labs.admin.engagement:write", audit_target(FeatureRequest, "request_uuid"))]
async fn engagement_moderation_unpin(
    cx: &RequestContext,
    request_uuid: Uuid,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    lock_for(cx, request_uuid, BoardAction::Unpin).await?;
    store::set_pinned(&cx.db, request_uuid, false).await?;
    load(cx, request_uuid).await
}

/// Lock comments on a feature request.
#[operation(mutation, access = "labs.admin.engagement:write", audit_target(FeatureRequest, "request_uuid"))]
async fn engagement_moderation_lock_comments(
    cx: &RequestContext,
    request_uuid: Uuid,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    lock_for(cx, request_uuid, BoardAction::Lock).await?;
    store::set_locked(&cx.db, request_uuid, true).await?;
    load(cx, request_uuid).await
}

/// Unlock comments on a feature request.
#[operation(mutation, access = "labs.admin.engagement:write", audit_target(FeatureRequest, "request_uuid"))]
async fn engagement_moderation_unlock_comments(
    cx: &RequestContext,
    request_uuid: Uuid,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    lock_for(cx, request_uuid, BoardAction::Unlock).await?;
    store::set_locked(&cx.db, request_uuid, false).await?;
    load(cx, request_uuid).await
}

/// Merge a feature request into another.
#[operation(
    mutation,
    access = "labs.admin.engagement:write",
    audit_target(FeatureRequest, "request_uuid"),
    partner_reads = "note"
)]
async fn engagement_moderation_merge(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: FeatureRequestMerge,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    let note = body.note.trim();
    if note.is_empty() {
        return Err(Fault::field("/note", "BLANK", "Send the public reason why both are the same."));
    }
    merging::lock_both(&cx.db, request_uuid, body.into_uuid).await?;
    let source = lock_for(cx, request_uuid, BoardAction::Merge).await?;
    merging::ensure_target(cx, request_uuid, body.into_uuid).await?;
    cx.note_reason(note);
    merging::merge(cx, &source, body.into_uuid, note).await?;
    load(cx, request_uuid).await
}

/// Unmerge a feature request.
#[operation(
    mutation,
    access = "labs.admin.engagement:write",
    audit_target(FeatureRequest, "request_uuid"),
    partner_reads = "note"
)]
async fn engagement_moderation_unmerge(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: Option<FeatureRequestUnmerge>,
) -> Result<ModeratedFeatureRequestDetails, Fault> {
    let note = body.and_then(|body| body.note).map(|note| note.trim().to_owned()).filter(|note| !note.is_empty());
    merging::lock_root(&cx.db, request_uuid).await?;
    let locked = lock_for(cx, request_uuid, BoardAction::Unmerge).await?;
    if let Some(note) = &note {
        cx.note_reason(note);
    }
    merging::unmerge(cx, &locked, note.as_deref()).await?;
    load(cx, request_uuid).await
}
