//! Resolvers of comments for staff: view, answer, and remove comments.

mod store;

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{RequestContext, Target};
use labs_core::describe::{Created, InputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::markdown::COMMENT;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use labs_mail::message::{BoardNews, BoardNotice, MailContent, Notice};
use labs_mail::outbox;
use serde::Deserialize;
use uuid::Uuid;

use super::comments_list::{
    MODERATED, ModeratedFeatureComment, ModeratedFeatureCommentFilter, ModeratedFeatureCommentSort, ONE,
    comment_actions,
};
use super::resolvers::lock_for;
use crate::board_texts;
use crate::comments::store::{LockedComment, lock_comment};
use crate::feature_requests::rules::{BoardAction, check_text};

/// Official answer of staff to a feature request.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureRequestAnswer {
    /// Public text in Markdown.
    body: String,
}

/// Reason for suspending a comment.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureCommentSuspend {
    /// Reason for the suspension. The service sends it to the author.
    reason: String,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    engagement_moderation_list_comments,
    engagement_moderation_answer,
    engagement_moderation_suspend_comment,
    engagement_moderation_reinstate_comment,
];

/// List comments for moderation.
#[operation(query, access = "labs.admin.engagement", audit_partner = "partner_uuid")]
async fn engagement_moderation_list_comments(
    cx: &RequestContext,
    filter: Option<ModeratedFeatureCommentFilter>,
    sort: Option<ModeratedFeatureCommentSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<ModeratedFeatureComment>, Fault> {
    let mut filter = filter.unwrap_or_default();
    if let Some(q) = &filter.q {
        filter.is_common_text = store::is_common_text(&cx.db, q).await?;
    }
    let rows = MODERATED.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = MODERATED.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(row.for_caller(cx)))?.counted_list(total))
}

/// Post an official answer to a feature request.
#[operation(mutation, access = "labs.admin.engagement:write", audit_target(FeatureRequest, "request_uuid"))]
async fn engagement_moderation_answer(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: FeatureRequestAnswer,
) -> Result<Created<ModeratedFeatureComment>, Fault> {
    lock_for(cx, request_uuid, BoardAction::Answer).await?;
    let (text, mut errors) = (board_texts::show(cx, &body.body, COMMENT).await?, Vec::new());
    check_text(("/body", &body.body), (COMMENT, text.error), &mut errors);
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let comment_uuid = store::answer(cx, request_uuid, (&body.body, &text.rendered.html)).await?;
    Ok(Created::new(comment_uuid, find(cx, comment_uuid).await?))
}

/// Suspend a comment.
#[operation(
    mutation,
    access = "labs.admin.engagement:write",
    audit_target(FeatureComment, "comment_uuid"),
    partner_reads = "reason"
)]
async fn engagement_moderation_suspend_comment(
    cx: &RequestContext,
    comment_uuid: Uuid,
    body: FeatureCommentSuspend,
) -> Result<ModeratedFeatureComment, Fault> {
    let locked = lock_comment_for(cx, comment_uuid, "suspend").await?;
    let reason = body.reason.trim();
    if reason.is_empty() {
        return Err(Fault::field("/reason", "BLANK", "Send a reason. The author receives it."));
    }
    cx.note_reason(reason);
    store::suspend(cx, &locked, reason).await?;
    notify_author(cx, &locked, BoardNews::CommentSuspended { reason: reason.to_owned() }).await?;
    find(cx, comment_uuid).await
}

/// Reinstate a comment.
#[operation(mutation, access = "labs.admin.engagement:write", audit_target(FeatureComment, "comment_uuid"))]
async fn engagement_moderation_reinstate_comment(
    cx: &RequestContext,
    comment_uuid: Uuid,
) -> Result<ModeratedFeatureComment, Fault> {
    let locked = lock_comment_for(cx, comment_uuid, "reinstate").await?;
    store::reinstate(&cx.db, &locked).await?;
    notify_author(cx, &locked, BoardNews::CommentReinstated).await?;
    find(cx, comment_uuid).await
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
