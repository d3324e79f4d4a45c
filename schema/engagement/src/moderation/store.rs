//! SQL statements with which staff change feature requests.

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::time::Time;
use uuid::Uuid;

use super::list::{EarlierFeatureRequestText, FeatureRequestReport};
use crate::feature_requests::rules::FeatureRequestStatus;
use crate::feature_requests::store::LockedFeatureRequest;
use crate::people::staff;
use crate::reports::rules::{BoardReportDecision, BoardReportOutcome, BoardReportReason};
use crate::reports::{self, store::Target};

/// A status change.
pub(super) struct StatusChange<'a> {
    pub(super) to: FeatureRequestStatus,
    pub(super) note: Option<&'a str>,
    pub(super) entry_uuid: Option<Uuid>,
}

/// Stores the status and its event.
pub(super) async fn set_status(
    cx: &RequestContext,
    held: &LockedFeatureRequest,
    change: &StatusChange<'_>,
) -> Result<(), Fault> {
    sqlx::query!(
        "with event as (
             insert into feature_event (event_uuid, request_uuid, kind, from_status, to_status, note, entry_uuid, actor_uuid)
             values ($2, $1, 'STATUS', $3, $4, $5, $6, $7))
         update feature_request
            set status = $4, status_at = labs_now(), active_at = labs_now(), entry_uuid = $6,
                answered_at = coalesce(answered_at, labs_now()),
                declined_votes = case when $4 = 'DECLINED' then votes end
          where request_uuid = $1",
        held.request_uuid,
        cx.new_uuid(),
        held.status.name(),
        change.to.name(),
        change.note,
        change.entry_uuid,
        staff(cx)?,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    Ok(())
}

/// Whether a released changelog entry with this id exists.
pub(super) async fn entry_is_released(db: &Db, entry_uuid: Uuid) -> Result<bool, Fault> {
    let found = sqlx::query_scalar!(
        "select item_uuid from publication_item
          where item_uuid = $1 and kind = 'CHANGELOG_ENTRY' and state = 'RELEASED' for key share",
        entry_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(found.is_some())
}

/// Suspends a feature request from the board and upholds the reports on it.
pub(super) async fn suspend(cx: &RequestContext, request_uuid: Uuid, reason: &str) -> Result<(), Fault> {
    sqlx::query!(
        "update feature_request set suspended_at = labs_now(), suspension_reason = $2, pinned_at = null
          where request_uuid = $1",
        request_uuid,
        reason,
    )
    .execute(&mut *cx.db.conn().await?)
    .await?;
    let target = Target { request_uuid: Some(request_uuid), comment_uuid: None };
    reports::store::resolve(cx, target, BoardReportDecision::Upheld, Some(reason)).await?;
    Ok(())
}

/// Reinstates a feature request on the board.
pub(super) async fn reinstate(db: &Db, request_uuid: Uuid) -> Result<(), Fault> {
    sqlx::query!(
        "update feature_request set suspended_at = null, suspension_reason = null where request_uuid = $1",
        request_uuid
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Sets the topic.
pub(super) async fn set_topic(db: &Db, request_uuid: Uuid, topic_uuid: Option<Uuid>) -> Result<(), Fault> {
    sqlx::query!("update feature_request set topic_uuid = $2 where request_uuid = $1", request_uuid, topic_uuid)
        .execute(&mut *db.conn().await?)
        .await?;
    Ok(())
}

/// Pins or unpins a feature request.
pub(super) async fn set_pinned(db: &Db, request_uuid: Uuid, pinned: bool) -> Result<(), Fault> {
    sqlx::query!(
        "update feature_request set pinned_at = case when $2 then labs_now() end where request_uuid = $1",
        request_uuid,
        pinned,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Locks or unlocks the comments of a feature request.
pub(super) async fn set_locked(db: &Db, request_uuid: Uuid, locked: bool) -> Result<(), Fault> {
    sqlx::query!(
        "update feature_request set locked_at = case when $2 then labs_now() end where request_uuid = $1",
        request_uuid,
        locked,
    )
    .execute(&mut *db.conn().await?)
    .await?;
    Ok(())
}

/// Returns earlier texts of a feature request, and the reports on it; at most a hundred each, newest first.
pub(super) async fn load_history(
    db: &Db,
    request_uuid: Uuid,
) -> Result<(Vec<EarlierFeatureRequestText>, Vec<FeatureRequestReport>), Fault> {
    let texts = sqlx::query_as!(
        EarlierFeatureRequestText,
        r#"select title as "title!", body, replaced_at as "replaced_at: Time" from board_earlier_text
            where request_uuid = $1 order by replaced_at desc, text_uuid desc limit 100"#,
        request_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    let reports = sqlx::query_as!(
        FeatureRequestReport,
        r#"select r.report_uuid as uuid, case when p.state <> 'ERASED' then p.partner_uuid end as partner_uuid,
                  r.reason as "reason: BoardReportReason",
                  r.note, r.outcome as "outcome: BoardReportOutcome", r.resolution_note, r.reported_at as "reported_at: Time",
                  r.resolved_at as "resolved_at: Time"
             from board_report as r join partner as p using (partner_uuid)
            where r.request_uuid = $1 order by r.reported_at desc, r.report_uuid desc limit 100"#,
        request_uuid
    )
    .fetch_all(&mut *db.conn().await?)
    .await?;
    Ok((texts, reports))
}
