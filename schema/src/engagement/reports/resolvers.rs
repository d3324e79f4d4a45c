//! Resolvers of reports: users of partners create them, staff decide.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use labs_core::access::{access, audit_partner, audit_target, hidden_from_partner};
use labs_core::audit_target::AuditTargetKind;
use labs_core::context::{self, RequestContext, RequestContextExt};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::page::CountedList;
use serde::Serialize;
use uuid::Uuid;

use super::list::{BoardReport, BoardReportFilter, BoardReportSort, ONE, REPORTS};
use super::rules::{self, BoardReportDecision, BoardReportReason};
use super::store::{self, Target};
use super::types::BoardReportReceipt;
use crate::engagement::comments::store::thread;
use crate::engagement::feature_requests::store::lock;
use crate::engagement::people::{self, BoardDaily, Person};

/// A new report on a feature request or a comment.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardReportMake {
    /// Reason of the report.
    reason: BoardReportReason,
    /// Note of the reporter, for staff.
    note: Option<String>,
}

/// Decision of staff on a report.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardReportResolve {
    /// Whether the reports are upheld or dismissed.
    outcome: BoardReportDecision,
    /// Internal note of staff.
    note: Option<String>,
}

/// Result of a decision.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardReportResolution {
    /// Number of decided reports on the same object, including this one.
    resolved_reports: i32,
    /// The report after the decision.
    report: BoardReport,
}

/// Queries of reports.
#[derive(Default)]
pub(in crate::engagement) struct BoardReportsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl BoardReportsQuery {
    /// List reports on feature requests and comments.
    #[graphql(
        directive = access::apply("labs.admin.engagement".into()),
        directive = audit_partner::apply("partner_uuid".into())
    )]
    async fn engagement_reports_list(
        &self,
        ctx: &Context<'_>,
        filter: Option<BoardReportFilter>,
        sort: Option<BoardReportSort>,
        limit: Option<i32>,
        cursor: Option<String>,
        include_total: Option<bool>,
    ) -> Result<Option<CountedList<BoardReport>>, Fault> {
        let (cx, filter) = (ctx.cx(), filter.unwrap_or_default());
        let rows = REPORTS.page(cx, &filter, &PageRequest::new(sort, limit, cursor)).await?;
        let total = REPORTS.total(&cx.db, &filter, include_total).await?;
        cx.answer_list(rows.map(|row| Ok(row.for_caller(cx)))?.counted_list(total))
    }
}

/// Mutations of reports.
#[derive(Default)]
pub(in crate::engagement) struct BoardReportsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl BoardReportsMutation {
    /// Report a feature request.
    #[graphql(directive = access::apply("engagement.feature-requests:write".into()))]
    async fn engagement_reports_report_feature_request(
        &self,
        ctx: &Context<'_>,
        request_uuid: Uuid,
        body: BoardReportMake,
    ) -> Result<Option<BoardReportReceipt>, Fault> {
        let cx = ctx.cx();
        let person = Person::require_caller(cx)?;
        let locked = lock(&cx.db, request_uuid).await?.ok_or_else(|| Fault::not_found("feature request"))?;
        if thread(&cx.db, request_uuid).await?.is_none() {
            return Err(Fault::not_found("feature request"));
        }
        ensure_foreign(&person, Some(locked.author_uuid))?;
        let target = Target { request_uuid: Some(request_uuid), comment_uuid: None };
        cx.answer(report(cx, &person, target, body).await?)
    }

    /// Report a comment.
    #[graphql(directive = access::apply("engagement.feature-requests:write".into()))]
    async fn engagement_reports_report_comment(
        &self,
        ctx: &Context<'_>,
        comment_uuid: Uuid,
        body: BoardReportMake,
    ) -> Result<Option<BoardReportReceipt>, Fault> {
        let cx = ctx.cx();
        let person = Person::require_caller(cx)?;
        let locked = store::lock_comment(&cx.db, comment_uuid).await?.ok_or_else(|| Fault::not_found("comment"))?;
        ensure_foreign(&person, locked.author_uuid)?;
        let target = Target { request_uuid: None, comment_uuid: Some(comment_uuid) };
        cx.answer(report(cx, &person, target, body).await?)
    }

    /// Resolve a report on a feature request or comment.
    #[graphql(
        directive = access::apply("labs.admin.engagement:write".into()),
        directive = audit_target::apply(AuditTargetKind::BoardReport, "report_uuid".into()),
        directive = hidden_from_partner::apply()
    )]
    async fn engagement_reports_resolve(
        &self,
        ctx: &Context<'_>,
        report_uuid: Uuid,
        body: BoardReportResolve,
    ) -> Result<Option<BoardReportResolution>, Fault> {
        let cx = ctx.cx();
        let target = store::lock_target(&cx.db, report_uuid).await?.ok_or_else(|| Fault::not_found("report"))?;
        rules::ensure_open(find(cx, report_uuid).await?.outcome)?;
        let note = rules::trim_note(body.note);
        if let Some(note) = &note {
            cx.note_reason(note);
        }
        let resolved_reports = store::resolve(cx, target, body.outcome, note.as_deref()).await?;
        cx.answer(BoardReportResolution { resolved_reports, report: find(cx, report_uuid).await? })
    }
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
