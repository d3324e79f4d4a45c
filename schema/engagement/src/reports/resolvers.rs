//! Resolvers of reports: users of partners create them, staff decide.

use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{self, RequestContext};
use labs_core::describe::{InputType, OutputType};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::CountedList;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::list::{BoardReport, BoardReportFilter, BoardReportSort, ONE, REPORTS};
use super::rules::{self, BoardReportDecision, BoardReportReason};
use super::store::{self, Target};
use super::types::BoardReportReceipt;
use crate::comments::store::thread;
use crate::feature_requests::store::lock;
use crate::people::{self, BoardDaily, Person};

/// A report on a feature request or comment.
#[derive(Deserialize, InputType)]
pub(super) struct BoardReportMake {
    /// Reason of the report.
    reason: BoardReportReason,
    /// Information for the moderators. Required for `OTHER`.
    note: Option<String>,
}

/// Decision on the open reports on a feature request or comment.
#[derive(Deserialize, InputType)]
pub(super) struct BoardReportResolve {
    /// Whether the reports are upheld or dismissed.
    outcome: BoardReportDecision,
    /// Internal note of staff. Kept with the reports and in the audit record. Only staff can read it.
    note: Option<String>,
}

/// A decided report, and the number of reports that the same decision resolved.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct BoardReportResolution {
    /// Number of open reports that were decided, including this one.
    resolved_reports: i32,
    /// The report after the decision.
    report: BoardReport,
}

/// Operations of this file.
pub(crate) const OPERATIONS: &[Operation] = operations![
    engagement_reports_list,
    engagement_reports_report_feature_request,
    engagement_reports_report_comment,
    engagement_reports_resolve,
];

/// List reports on feature requests and comments.
#[operation(query, access = "labs.admin.engagement", audit_partner = "partner_uuid")]
async fn engagement_reports_list(
    cx: &RequestContext,
    filter: Option<BoardReportFilter>,
    sort: Option<BoardReportSort>,
    limit: Option<i32>,
    cursor: Option<String>,
    include_total: Option<bool>,
) -> Result<CountedList<BoardReport>, Fault> {
    let filter = filter.unwrap_or_default();
    let rows = REPORTS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
    let total = REPORTS.total(&cx.db, &filter, include_total).await?;
    Ok(rows.map(|row| Ok(row.for_caller(cx)))?.counted_list(total))
}

/// Report a feature request.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_reports_report_feature_request(
    cx: &RequestContext,
    request_uuid: Uuid,
    body: BoardReportMake,
) -> Result<BoardReportReceipt, Fault> {
    let person = Person::require_caller(cx)?;
    let locked = lock(&cx.db, request_uuid).await?.ok_or_else(|| Fault::not_found("feature request"))?;
    if thread(&cx.db, request_uuid).await?.is_none() {
        return Err(Fault::not_found("feature request"));
    }
    ensure_foreign(&person, Some(locked.author_uuid))?;
    let target = Target { request_uuid: Some(request_uuid), comment_uuid: None };
    report(cx, &person, target, body).await
}

/// Report a comment.
#[operation(mutation, access = "engagement.feature-requests:write")]
async fn engagement_reports_report_comment(
    cx: &RequestContext,
    comment_uuid: Uuid,
    body: BoardReportMake,
) -> Result<BoardReportReceipt, Fault> {
    let person = Person::require_caller(cx)?;
    let locked = store::lock_comment(&cx.db, comment_uuid).await?.ok_or_else(|| Fault::not_found("comment"))?;
    ensure_foreign(&person, locked.author_uuid)?;
    let target = Target { request_uuid: None, comment_uuid: Some(comment_uuid) };
    report(cx, &person, target, body).await
}

/// Resolve a report on a feature request or comment.
#[operation(
    mutation,
    access = "labs.admin.engagement:write",
    audit_target(BoardReport, "report_uuid"),
    hidden_from_partner
)]
async fn engagement_reports_resolve(
    cx: &RequestContext,
    report_uuid: Uuid,
    body: BoardReportResolve,
) -> Result<BoardReportResolution, Fault> {
    let target = store::lock_target(&cx.db, report_uuid).await?.ok_or_else(|| Fault::not_found("report"))?;
    rules::ensure_open(find(cx, report_uuid).await?.outcome)?;
    let note = rules::trim_note(body.note);
    if let Some(note) = &note {
        cx.note_reason(note);
    }
    let resolved_reports = store::resolve(cx, target, body.outcome, note.as_deref()).await?;
    Ok(BoardReportResolution { resolved_reports, report: find(cx, report_uuid).await? })
}

/// Rejects a report on the user's own entry.
fn ensure_foreign(person: &Person, author_uuid: Option<Uuid>) -> Result<(), Fault> {
    if author_uuid == Some(person.uuid) {
        return Err(Fault::conflict("You wrote this yourself. Edit it, or contact support to have it removed."));
    }
    Ok(())
}

/// Reports a locked object. If the user has already reported it, returns that report unchanged.
async fn report(
    cx: &RequestContext,
    person: &Person,
    target: Target,
    body: BoardReportMake,
) -> Result<BoardReportReceipt, Fault> {
    let note = rules::trim_note(body.note);
    rules::ensure_said(body.reason, note.as_deref())?;
    if let Some(made) = store::get_made(&cx.db, person, target).await? {
        return Ok(made);
    }
    people::spend(cx, person, BoardDaily::Reports).await?;
    store::insert(cx, person, target, (body.reason, note.as_deref())).await?;
    let made = store::get_made(&cx.db, person, target).await?;
    made.ok_or_else(|| Fault::internal("a report cannot be found after it was added"))
}

/// Loads the current report and names it in the audit record.
async fn find(cx: &RequestContext, report_uuid: Uuid) -> Result<BoardReport, Fault> {
    let found = ONE.fetch_one(&cx.db, [report_uuid.into()]).await?;
    let report = found.ok_or_else(|| Fault::not_found("report"))?.for_caller(cx);
    cx.note_target(context::Target {
        kind: Some(AuditTargetKind::BoardReport),
        uuid: Some(report_uuid),
        label: Some(report.target.title.clone()),
        partner_uuid: report.partner_uuid,
    });
    Ok(report)
}
