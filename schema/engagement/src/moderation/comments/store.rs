//! SQL statements with which staff answer feature requests and remove comments.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::markdown::RENDERER;
use uuid::Uuid;

use crate::comments::store::LockedComment;
use crate::people::staff;
use crate::reports::rules::BoardReportDecision;
use crate::reports::{self, store::Target};

/// Inserts an answer, as Markdown and HTML, on a locked feature request, and notifies its followers and voters.
pub(super) async fn answer(cx: &RequestContext, request_uuid: Uuid, (body, html): (&str, &str)) -> Result<Uuid, Fault> {
    let comment_uuid = cx.new_uuid();
    sqlx::query!(
        "with said as (
             insert into feature_comment (comment_uuid, request_uuid, author_uuid, is_answer, body, body_html,
                                          body_renderer)
             values ($1, $2, $3, true, $4, $6, $7)
         ), event as (
             insert into feature_event (event_uuid, request_uuid, kind, comment_uuid, actor_uuid)
             values ($5, $2, 'ANSWER', $1, $3))
         update feature_request
            set comments = comments + 1, active_at = labs_now(), answered_at = coalesce(answered_at, labs_now())
          where request_uuid = $2",
        comment_uuid,
        request_uuid,
        staff(cx)?,
        body,
        cx.new_uuid(),
        html,
        RENDERER,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    Ok(comment_uuid)
}

/// Hides the text of a comment and upholds the reports on it.
pub(super) async fn suspend(cx: &RequestContext, locked: &LockedComment, reason: &str) -> Result<(), Fault> {
    sqlx::query!(
        "with hidden as (
             update feature_comment set suspended_at = labs_now(), suspension_reason = $3 where comment_uuid = $1)
         update feature_request set comments = comments - 1 where request_uuid = $2",
        locked.comment_uuid,
        locked.request.request_uuid,
        reason,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    let target = Target { request_uuid: None, comment_uuid: Some(locked.comment_uuid) };
    reports::store::resolve(cx, target, BoardReportDecision::Upheld, Some(reason)).await?;
    Ok(())
}

/// Shows the text of a comment again.
pub(super) async fn reinstate(db: &Db, locked: &LockedComment) -> Result<(), Fault> {
    sqlx::query!(
        "with shown as (
             update feature_comment set suspended_at = null, suspension_reason = null where comment_uuid = $1)
         update feature_request set comments = comments + 1 where request_uuid = $2",
        locked.comment_uuid,
        locked.request.request_uuid,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Whether at least two percent of the newest comments contain the longest word of a search. True for a search without
/// words, which matches everything.
pub(super) async fn is_common_text(db: &Db, text: &str) -> Result<bool, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) filter (where folded(newest.body) ~ (select coalesce((sought_patterns($1))[1], ''))) * 50
                      >= count(*) as "is_common!"
             from (select c.body from feature_comment as c order by c.created_at desc, c.comment_uuid desc limit 400)
                  as newest"#,
        text
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}
