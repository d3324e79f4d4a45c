//! All other SQL statements about reports.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::{BoardReportDecision, BoardReportOutcome, BoardReportReason};
use super::types::BoardReportReceipt;
use crate::people::{Person, staff};

/// Reported object: exactly one of the two fields is set.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Target {
    /// The reported feature request.
    pub(crate) request_uuid: Option<Uuid>,
    /// The reported comment.
    pub(crate) comment_uuid: Option<Uuid>,
}

/// A comment that is locked for a report.
pub(super) struct ReportedComment {
    /// Author, including staff members.
    pub(super) author_uuid: Option<Uuid>,
}

/// Locks a comment that partners can read; `None` if it is removed or its feature request is off the board.
pub(super) async fn lock_comment(db: &Db, comment_uuid: Uuid) -> Result<Option<ReportedComment>, Fault> {
    Ok(sqlx::query_as!(
        ReportedComment,
        "select c.author_uuid
           from feature_comment as c join feature_request as d on d.request_uuid = c.request_uuid
           join feature_request as root on root.request_uuid = d.root_uuid
          where c.comment_uuid = $1 and c.suspended_at is null and d.suspended_at is null and root.suspended_at is null
            for update of c",
        comment_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Returns the user's report on an object.
pub(super) async fn get_made(db: &Db, person: &Person, target: Target) -> Result<Option<BoardReportReceipt>, Fault> {
    Ok(sqlx::query_as!(
        BoardReportReceipt,
        r#"select report_uuid as uuid, reason as "reason: BoardReportReason", note,
                  outcome as "outcome: BoardReportOutcome", reported_at as "reported_at: Time"
             from board_report
            where reporter_uuid = $1 and request_uuid is not distinct from $2 and comment_uuid is not distinct from $3"#,
        person.uuid,
        target.request_uuid,
        target.comment_uuid,
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Inserts a report on a locked object and increments its count.
pub(super) async fn insert(
    cx: &RequestContext,
    person: &Person,
    target: Target,
    (reason, note): (BoardReportReason, Option<&str>),
) -> Result<(), Fault> {
    sqlx::query!(
        "with request as (
             update feature_request
                set open_reports = open_reports + 1, reported_at = coalesce(reported_at, labs_now())
              where request_uuid = $2
         ), comment as (
             update feature_comment
                set open_reports = open_reports + 1, reported_at = coalesce(reported_at, labs_now())
              where comment_uuid = $3)
         insert into board_report (report_uuid, request_uuid, comment_uuid, reporter_uuid, partner_uuid, reason, note)
         values ($1, $2, $3, $4, $5, $6, $7)",
        cx.new_uuid(),
        target.request_uuid,
        target.comment_uuid,
        person.uuid,
        person.partner_uuid,
        reason.name(),
        note,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    Ok(())
}

/// Returns and locks the object of a report until the transaction ends.
pub(super) async fn lock_target(db: &Db, report_uuid: Uuid) -> Result<Option<Target>, Fault> {
    let target = sqlx::query_as!(
        Target,
        "select request_uuid, comment_uuid from board_report where report_uuid = $1",
        report_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    let Some(target) = target else { return Ok(None) };
    if let Some(request_uuid) = target.request_uuid {
        sqlx::query!("select from feature_request where request_uuid = $1 for update", request_uuid)
            .fetch_optional(&mut *db.conn().await?)
            .await?;
    }
    if let Some(comment_uuid) = target.comment_uuid {
        sqlx::query!("select from feature_comment where comment_uuid = $1 for update", comment_uuid)
            .fetch_optional(&mut *db.conn().await?)
            .await?;
    }
    Ok(Some(target))
}

/// Decides all open reports on a locked object and returns their number.
pub(crate) async fn resolve(
    cx: &RequestContext,
    target: Target,
    decision: BoardReportDecision,
    note: Option<&str>,
) -> Result<i32, Fault> {
    Ok(sqlx::query_scalar!(
        r#"with resolved as (
             update board_report
                set outcome = $3, resolved_by = $4, resolved_at = labs_now(), resolution_note = $5
              where outcome = 'OPEN' and (request_uuid = $1 or comment_uuid = $2)
             returning report_uuid
         ), request as (
             update feature_request set open_reports = 0, reported_at = null where request_uuid = $1 and open_reports > 0
         ), comment as (
             update feature_comment set open_reports = 0, reported_at = null where comment_uuid = $2 and open_reports > 0)
         select count(*)::integer as "resolved!" from resolved"#,
        target.request_uuid,
        target.comment_uuid,
        decision.name(),
        staff(cx)?,
        note,
    )
    .fetch_one(&mut *cx.db.conn().await?)
    .await?)
}
