//! Resolvers of comments for staff: view, answer, and remove comments.

use async_graphql::{Context, InputObject, Object};
use labs_core::access::{access, audit_partner, audit_target, partner_reads};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, RequestContextExt, Target};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::markdown::COMMENT;
use labs_core::page::CountedList;
use labs_mail::message::{BoardNews, BoardNotice, MailContent, Notice};
use labs_mail::outbox;
use uuid::Uuid;

use super::comments_list::{
    MODERATED, ModeratedFeatureComment, ModeratedFeatureCommentFilter, ModeratedFeatureCommentSort, ONE,
    comment_actions,
};
use super::comments_store;
use super::resolvers::lock_for;
use crate::engagement::board_texts;
use crate::engagement::comments::store::{LockedComment, lock_comment};
use crate::engagement::feature_requests::rules::{BoardAction, check_text};

/// Answer by staff.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct FeatureRequestAnswer {
    /// Public text in Markdown.
    body: String,
}

/// Reason for the removal of a comment.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct FeatureCommentSuspend {
    /// Reason, sent to the author.
    reason: String,
}

/// Queries of comments by staff.
#[derive(Default)]
pub(in crate::engagement) struct BoardCommentModerationQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl BoardCommentModerationQuery {
    /// List comments for moderation.
    #[graphql(
        directive = access::apply("labs.admin.engagement".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn engagement_moderation_list_comments(
        &self,
        ctx: &Context<'_>,
        filter: Option<ModeratedFeatureCommentFilter>,
        sort: Option<ModeratedFeatureCommentSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<ModeratedFeatureComment>>, Fault> {
        let (cx, mut filter) = (ctx.cx(), filter.unwrap_or_default());
        if let Some(q) = &filter.q {
            filter.is_common_text = comments_store::is_common_text(&cx.db, q).await?;
        }
        let rows = MODERATED.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let total = MODERATED.total(&cx.db, &filter, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(row.for_caller(cx)))?.counted_list(total))
    }
}

/// Mutations of comments by staff.
#[derive(Default)]
pub(in crate::engagement) struct BoardCommentModerationMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl BoardCommentModerationMutation {
    /// Post an official answer to a feature request.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::FeatureRequest, "request_uuid".into())
    )]
    async fn engagement_moderation_answer(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: FeatureRequestAnswer,
    ) -> Result<Option<ModeratedFeatureComment>, Fault> {
        let cx = ctx.cx();
        lock_for(cx, request_uuid, BoardAction::Answer).await?;
        let (text, mut errors) = (board_texts::show(cx, &body.body, COMMENT).await?, Vec::new());
        check_text(("/body", &body.body), (COMMENT, text.error), &mut errors);
        if !errors.is_empty() {
            return Err(Fault::invalid(errors));
        }
        let comment_uuid = comments_store::answer(cx, request_uuid, (&body.body, &text.rendered.html)).await?;
        cx.answer_created(comment_uuid, find(cx, comment_uuid).await?)
    }

    /// Suspend a comment.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::FeatureComment, "comment_uuid".into()),
        directive = partner_reads::apply("reason".into())
    )]
    async fn engagement_moderation_suspend_comment(
        &self,
        ctx: &Context<'_>,
        comment_uuid: Uuid,
        body: FeatureCommentSuspend,
    ) -> Result<Option<ModeratedFeatureComment>, Fault> {
        let cx = ctx.cx();
        let locked = lock_comment_for(cx, comment_uuid, "suspend").await?;
        let reason = body.reason.trim();
        if reason.is_empty() {
            return Err(Fault::field("/reason", "BLANK", "Send a reason. The author receives it."));
        }
        cx.note_reason(reason);
        comments_store::suspend(cx, &locked, reason).await?;
        notify_author(cx, &locked, BoardNews::CommentSuspended { reason: reason.to_owned() }).await?;
        cx.answer(find(cx, comment_uuid).await?)
    }

    /// Reinstate a comment.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::FeatureComment, "comment_uuid".into())
    )]
    async fn engagement_moderation_reinstate_comment(
        &self,
        ctx: &Context<'_>,
        comment_uuid: Uuid,
    ) -> Result<Option<ModeratedFeatureComment>, Fault> {
        let cx = ctx.cx();
        let locked = lock_comment_for(cx, comment_uuid, "reinstate").await?;
        comments_store::reinstate(&cx.db, &locked).await?;
        notify_author(cx, &locked, BoardNews::CommentReinstated).await?;
        cx.answer(find(cx, comment_uuid).await?)
    }
}

/// Loads the current comment.
async fn find(cx: &RequestContext, comment_uuid: Uuid) -> Result<ModeratedFeatureComment, Fault> {
    let found = ONE.fetch_one(&cx.db, [comment_uuid.into()]).await?;
    Ok(found.ok_or_else(|| Fault::not_found("comment"))?.for_caller(cx))
}

/// Locks a comment for an action and names it in the audit record.
async fn lock_comment_for(cx: &RequestContext, comment_uuid: Uuid, action: &str) -> Result<LockedComment, Fault> {
    let locked = lock_comment(&cx.db, comment_uuid).await?.ok_or_else(|| Fault::not_found("comment"))?;
    cx.note_target(Target {
        kind: Some(AuditTargetKind::FeatureComment),
        uuid: Some(comment_uuid),
        label: Some(locked.request.title.clone()),
        partner_uuid: locked.partner_uuid,
    });
    let allowed = comment_actions(locked.is_suspended);
    if allowed.iter().any(|allowed| allowed == action) {
        return Ok(locked);
    }
    let stands = if locked.is_suspended { "SUSPENDED" } else { "SHOWN" };
    Err(Fault::illegal("comment", stands, action, allowed))
}

/// Notifies the author, if a user of a partner wrote it.
async fn notify_author(cx: &RequestContext, locked: &LockedComment, news: BoardNews) -> Result<(), Fault> {
    let Some(author_uuid) = locked.author_uuid.filter(|_| !locked.is_answer) else { return Ok(()) };
    let title = locked.request.title.clone();
    outbox::queue_to_person(cx, author_uuid, |name| {
        MailContent::Telling(Notice::Board(BoardNotice { name, title, news }))
    })
    .await
}
