//! Resolvers of comments for partners.

use std::sync::Arc;

use labs_core::context::RequestContext;
use labs_core::describe::{Created, InputType};
use labs_core::fault::Fault;
use labs_core::list::{PageRequest, Rows};
use labs_core::markdown::{COMMENT, RenderedText};
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use serde::Deserialize;
use uuid::Uuid;

use super::list::{FeatureComment, ON_BOARD, OWN, TOGETHER};
use super::rules::{self, CommentStatus};
use super::store::{self, LockedComment};
use crate::board_texts;
use crate::feature_requests::rules::check_text;
use crate::feature_requests::store::lock;
use crate::people::{self, BoardDaily, Person};
use crate::votes;

/// A new comment.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureCommentAdd {
    /// Text in Markdown.
    body: String,
}

/// Changes to a comment.
#[derive(Deserialize, InputType)]
pub(super) struct FeatureCommentEdit {
    /// New text in Markdown.
    body: Option<String>,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] =
    operations![engagement_comments_list, engagement_comments_get, engagement_comments_add, engagement_comments_edit];

/// List a feature request's comments.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_comments_list(
    cx: &RequestContext,
    request_uuid: Uuid,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<FeatureComment>, Fault> {
    let request = PageRequest::new(None, limit, cursor);
    let found = store::thread(&cx.db, request_uuid).await?;
    let thread = found.ok_or_else(|| Fault::not_found("feature request"))?;
    let Rows { rows, page } = if thread.has_parts {
        TOGETHER.page(cx, &request_uuid, &request).await?
    } else {
        OWN.page(cx, &request_uuid, &request).await?
    };
    let person = Person::of_caller(cx);
    let mut data = Vec::with_capacity(rows.len());
    for row in rows {
        data.push(row.into_view(cx, person.as_ref()).await?);
    }
    Ok(List { data, page })
}

/// Get a comment.
#[operation(query, access = "engagement.feature-requests")]
async fn engagement_comments_get(cx: &RequestContext, comment_uuid: Uuid) -> Result<FeatureComment, Fault> {
    load(cx, comment_uuid).await
}

/// Create a comment on a feature request.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_comments_add(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: FeatureCommentAdd,
) -> Result<Created<FeatureComment>, Fault> {
    let person = Person::require_caller(cx)?;
    let text = check(cx, &body.body).await?;
    lock_open(cx, request_uuid).await?;
    people::spend(cx, &person, BoardDaily::Comments).await?;
    let comment_uuid = store::insert(cx, &person, request_uuid, (&body.body, &text.rendered.html)).await?;
    Ok(Created::new(comment_uuid, load(cx, comment_uuid).await?))
}

/// Update a comment.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_comments_edit(
    cx: &RequestContext,
    comment_uuid: Uuid,
    body: FeatureCommentEdit,
) -> Result<FeatureComment, Fault> {
    let person = Person::require_caller(cx)?;
    let locked = lock_editable(cx, &person, comment_uuid).await?;
    if let Some(text) = body.body.filter(|text| *text != locked.body) {
        let shown = check(cx, &text).await?;
        store::set_body(cx, comment_uuid, (&text, &shown.rendered.html)).await?;
    }
    load(cx, comment_uuid).await
}

/// Loads the comment as the caller sees it.
async fn load(cx: &RequestContext, comment_uuid: Uuid) -> Result<FeatureComment, Fault> {
    let found = ON_BOARD.fetch_one(&cx.db, [comment_uuid.into()]).await?;
    let row = found.ok_or_else(|| Fault::not_found("comment"))?;
    row.into_view(cx, Person::of_caller(cx).as_ref()).await
}

/// Renders a text and rejects it if it breaks a rule.
async fn check(cx: &RequestContext, body: &str) -> Result<Arc<RenderedText>, Fault> {
    let (text, mut errors) = (board_texts::show(cx, body, COMMENT).await?, Vec::new());
    check_text(("/body", body), (COMMENT, text.error), &mut errors);
    if errors.is_empty() { Ok(text) } else { Err(Fault::invalid(errors)) }
}

/// Locks a feature request that accepts comments.
async fn lock_open(cx: &RequestContext, request_uuid: Uuid) -> Result<(), Fault> {
    let found = lock(&cx.db, request_uuid).await?.filter(|locked| !locked.marks().is_suspended);
    let marks = found.ok_or_else(|| Fault::not_found("feature request"))?.marks();
    if marks.is_merged {
        let is_there = store::thread(&cx.db, request_uuid).await?.is_some();
        let refusal =
            if is_there { votes::err_merged(&cx.db, request_uuid).await? } else { Fault::not_found("feature request") };
        return Err(refusal);
    }
    rules::ensure_open(marks.is_locked)
}

/// Locks a comment that the user may edit.
async fn lock_editable(cx: &RequestContext, person: &Person, comment_uuid: Uuid) -> Result<LockedComment, Fault> {
    let found = store::lock_comment(&cx.db, comment_uuid).await?.filter(LockedComment::is_on_board);
    let locked = found.ok_or_else(|| Fault::not_found("comment"))?;
    rules::ensure_editable(CommentStatus {
        is_own: locked.author_uuid == Some(person.uuid),
        is_removed: locked.is_suspended,
        is_locked: locked.is_locked(),
    })?;
    Ok(locked)
}
