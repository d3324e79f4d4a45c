//! Marks that staff set on feature requests in addition to the status: pinned, locked, merged.

use async_graphql::{Context, InputObject, Object};
use labs_core::access::{access, audit_target, partner_reads};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::RequestContextExt;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::list::ModeratedFeatureRequestDetails;
use super::resolvers::{load, lock_for};
use super::{merging, store};
use crate::engagement::feature_requests::rules::BoardAction;

/// Target of a merge, and the public note.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct FeatureRequestMerge {
    /// UUID of the target feature request.
    into_uuid: Uuid,
    /// Public note, shown at both feature requests.
    note: String,
}

/// Public note on the end of a merge.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct FeatureRequestUnmerge {
    /// Public note, shown at both feature requests.
    note: Option<String>,
}

/// Mutations of marks on feature requests.
#[derive(Default)]
pub(in crate::engagement) struct BoardMarksMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl BoardMarksMutation {
    /// Pin a feature request.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::FeatureRequest, "request_uuid".into())
    )]
    async fn engagement_moderation_pin(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<ModeratedFeatureRequestDetails>, Fault> {
        let cx = ctx.cx();
        lock_for(cx, request_uuid, BoardAction::Pin).await?;
        store::set_pinned(&cx.db, request_uuid, true).await?;
        cx.answer(load(cx, request_uuid).await?)
    }

    /// Unpin a feature request.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::FeatureRequest, "request_uuid".into())
    )]
    async fn engagement_moderation_unpin(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<ModeratedFeatureRequestDetails>, Fault> {
        let cx = ctx.cx();
        lock_for(cx, request_uuid, BoardAction::Unpin).await?;
        store::set_pinned(&cx.db, request_uuid, false).await?;
        cx.answer(load(cx, request_uuid).await?)
    }

    /// Lock comments on a feature request.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::FeatureRequest, "request_uuid".into())
    )]
    async fn engagement_moderation_lock_comments(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<ModeratedFeatureRequestDetails>, Fault> {
        let cx = ctx.cx();
        lock_for(cx, request_uuid, BoardAction::Lock).await?;
        store::set_locked(&cx.db, request_uuid, true).await?;
        cx.answer(load(cx, request_uuid).await?)
    }

    /// Unlock comments on a feature request.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::FeatureRequest, "request_uuid".into())
    )]
    async fn engagement_moderation_unlock_comments(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
    ) -> Result<Option<ModeratedFeatureRequestDetails>, Fault> {
        let cx = ctx.cx();
        lock_for(cx, request_uuid, BoardAction::Unlock).await?;
        store::set_locked(&cx.db, request_uuid, false).await?;
        cx.answer(load(cx, request_uuid).await?)
    }

    /// Merge a feature request into another.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::FeatureRequest, "request_uuid".into()),
        directive = partner_reads::apply("note".into())
    )]
    async fn engagement_moderation_merge(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: FeatureRequestMerge,
    ) -> Result<Option<ModeratedFeatureRequestDetails>, Fault> {
        let cx = ctx.cx();
        let note = body.note.trim();
        if note.is_empty() {
            return Err(Fault::field("/note", "BLANK", "Send the public reason why both are the same."));
        }
        merging::lock_both(&cx.db, request_uuid, body.into_uuid).await?;
        let source = lock_for(cx, request_uuid, BoardAction::Merge).await?;
        merging::ensure_target(cx, request_uuid, body.into_uuid).await?;
        cx.note_reason(note);
        merging::merge(cx, &source, body.into_uuid, note).await?;
        cx.answer(load(cx, request_uuid).await?)
    }

    /// Unmerge a feature request.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::FeatureRequest, "request_uuid".into()),
        directive = partner_reads::apply("note".into())
    )]
    async fn engagement_moderation_unmerge(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: Option<FeatureRequestUnmerge>,
    ) -> Result<Option<ModeratedFeatureRequestDetails>, Fault> {
        let cx = ctx.cx();
        let note = body.and_then(|body| body.note).map(|note| note.trim().to_owned()).filter(|note| !note.is_empty());
        merging::lock_root(&cx.db, request_uuid).await?;
        let locked = lock_for(cx, request_uuid, BoardAction::Unmerge).await?;
        if let Some(note) = &note {
            cx.note_reason(note);
        }
        merging::unmerge(cx, &locked, note.as_deref()).await?;
        cx.answer(load(cx, request_uuid).await?)
    }
}
