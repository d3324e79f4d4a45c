//! All other SQL statements about comments.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::markdown::RENDERER;
use uuid::Uuid;

use crate::feature_requests::store::{LockedFeatureRequest, lock};
use crate::people::Person;

/// A feature request on the board.
pub(crate) struct CommentedRequest {
    /// Whether other feature requests are merged into it.
    pub(crate) has_parts: bool,
}

/// Returns a feature request on the board; `None` if it or its merge target is suspended.
pub(crate) async fn thread(db: &Db, request_uuid: Uuid) -> Result<Option<CommentedRequest>, Fault> {
    Ok(sqlx::query_as!(
        CommentedRequest,
        r#"select exists (select from feature_request as part
                           where part.root_uuid = r.request_uuid and part.request_uuid <> r.request_uuid) as "has_parts!"
             from feature_request as r join feature_request as root on root.request_uuid = r.root_uuid
            where r.request_uuid = $1 and r.suspended_at is null and root.suspended_at is null"#,
        request_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// A comment that is locked, with its feature request, until the transaction ends.
pub(crate) struct LockedComment {
    /// UUID of the comment.
    pub(crate) comment_uuid: Uuid,
    /// Feature request on which it was written.
    pub(crate) request: LockedFeatureRequest,
    /// Partner of the author; none for an answer by staff.
    pub(crate) partner_uuid: Option<Uuid>,
    /// Author, including staff members.
    pub(crate) author_uuid: Option<Uuid>,
    /// Whether it is an answer by staff.
    pub(crate) is_answer: bool,
    /// Whether staff removed its text.
    pub(crate) is_suspended: bool,
    pub(super) body: String,
    /// Whether the merge target of the feature request is suspended.
    is_root_suspended: bool,
    /// Whether the comments of the merge target are locked.
    is_root_locked: bool,
}

impl LockedComment {
    /// Whether partners can see the comment or its removed marker.
    pub(super) fn is_on_board(&self) -> bool {
        !self.is_root_suspended && !self.request.marks().is_suspended
    }

    /// Whether the comments of its feature request are locked.
    pub(super) fn is_locked(&self) -> bool {
        self.is_root_locked || self.request.marks().is_locked
    }
}

/// Locks a comment, suspended or not, after its feature request.
pub(crate) async fn lock_comment(db: &Db, comment_uuid: Uuid) -> Result<Option<LockedComment>, Fault> {
    let request_uuid =
        sqlx::query_scalar!("select request_uuid from feature_comment where comment_uuid = $1", comment_uuid)
            .fetch_optional(&mut *db.conn().await?)
            .await?;
    let Some(request_uuid) = request_uuid else { return Ok(None) };
    let Some(request) = lock(db, request_uuid).await? else { return Ok(None) };
    let row = sqlx::query!(
        r#"select c.partner_uuid, c.author_uuid, c.is_answer, c.body, c.suspended_at is not null as "is_suspended!",
                  root.suspended_at is not null as "is_root_suspended!", root.locked_at is not null as "is_root_locked!"
             from feature_comment as c join feature_request as root on root.request_uuid = $2
            where c.comment_uuid = $1 for update of c"#,
        comment_uuid,
        request.root_uuid,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(row.map(|row| LockedComment {
        comment_uuid,
        request,
        partner_uuid: row.partner_uuid,
        author_uuid: row.author_uuid,
        is_answer: row.is_answer,
        is_suspended: row.is_suspended,
        body: row.body,
        is_root_suspended: row.is_root_suspended,
        is_root_locked: row.is_root_locked,
    }))
}

/// Inserts a comment, as Markdown and HTML, on a locked feature request.
pub(super) async fn insert(
    cx: &RequestContext,
    person: &Person,
    request_uuid: Uuid,
    (body, html): (&str, &str),
) -> Result<Uuid, Fault> {
    let comment_uuid = cx.new_uuid();
    sqlx::query!(
        "with said as (
             insert into feature_comment (comment_uuid, request_uuid, partner_uuid, author_uuid, body, body_html,
                                          body_renderer)
             values ($1, $2, $3, $4, $5, $6, $7))
         update feature_request set comments = comments + 1, active_at = labs_now() where request_uuid = $2",
        comment_uuid,
        request_uuid,
        person.partner_uuid,
        person.uuid,
        body,
        html,
        RENDERER,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    Ok(comment_uuid)
}

/// Archives the old text of a comment and sets the new one.
pub(super) async fn set_body(cx: &RequestContext, comment_uuid: Uuid, (body, html): (&str, &str)) -> Result<(), Fault> {
    sqlx::query!(
        "with kept as (
             insert into board_earlier_text (text_uuid, comment_uuid, body)
             select $2, comment_uuid, body from feature_comment where comment_uuid = $1)
         update feature_comment set body = $3, body_html = $4, body_renderer = $5, edited_at = labs_now()
          where comment_uuid = $1",
        comment_uuid,
        cx.new_uuid(),
        body,
        html,
        RENDERER,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    Ok(())
}
