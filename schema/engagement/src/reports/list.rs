//! Reports as staff see them: one report, and the list with its filter and orders.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, Key, ListQuery, Lookup, Select, SqlValue};
use labs_core::markdown::extract_excerpt;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::rules::{BoardReportOutcome, BoardReportReason, BoardReportTargetKind, staff_actions};

/// A report, as staff see it.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct BoardReport {
    /// UUID of the report.
    pub(super) uuid: Uuid,
    /// Reported object.
    #[sqlx(flatten)]
    pub(super) target: BoardReportTarget,
    /// Reason of the report.
    reason: BoardReportReason,
    /// Note of the reporter.
    note: Option<String>,
    /// UUID of the reporter's partner. Null for a former partner.
    pub(super) partner_uuid: Option<Uuid>,
    /// Current company name of that partner.
    company_name: Option<String>,
    /// Outcome of the report.
    pub(super) outcome: BoardReportOutcome,
    /// Internal note of staff.
    resolution_note: Option<String>,
    /// Time when the report was made.
    reported_at: Time,
    /// Time of the decision by staff.
    resolved_at: Option<Time>,
    /// Actions that the caller can currently perform. Empty without the write scope.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

/// Reported feature request or comment.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct BoardReportTarget {
    /// Kind of the object.
    #[sqlx(rename = "target_kind")]
    kind: BoardReportTargetKind,
    /// UUID of the object.
    #[sqlx(rename = "target_uuid")]
    uuid: Uuid,
    /// UUID of the feature request: the reported request, or the request on which the reported comment was written.
    feature_request_uuid: Uuid,
    /// Title of that feature request.
    pub(super) title: String,
    /// Beginning of the reported text in its current version, as plain text.
    excerpt: String,
    /// Whether the reported feature request or comment is suspended.
    suspended: bool,
    /// Number of open reports on the reported feature request or comment.
    open_reports: i32,
    /// Time of the first open report on the reported feature request or comment. Null if none is open.
    #[sqlx(rename = "target_reported_at")]
    reported_at: Option<Time>,
}

impl BoardReport {
    /// Returns the report with the caller's allowed actions, and with an excerpt of plain text instead of Markdown.
    pub(super) fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.engagement:write");
        let allowed_actions = if acts { staff_actions(self.outcome) } else { Vec::new() };
        let target = BoardReportTarget { excerpt: extract_excerpt(&self.target.excerpt), ..self.target };
        Self { allowed_actions, target, ..self }
    }
}

static WHOLE: Select<BoardReport> = Select::new(
    "r.report_uuid as uuid, case when r.comment_uuid is null then 'FEATURE_REQUEST' else 'COMMENT' end as target_kind,
     coalesce(r.comment_uuid, r.request_uuid) as target_uuid, d.request_uuid as feature_request_uuid, d.title,
     left(case when r.comment_uuid is null then d.body else c.body end, 1000) as excerpt,
     case when r.comment_uuid is null then d.suspended_at else c.suspended_at end is not null as suspended,
     case when r.comment_uuid is null then d.open_reports else c.open_reports end as open_reports,
     case when r.comment_uuid is null then d.reported_at else c.reported_at end as target_reported_at,
     r.reason, r.note, case when p.state <> 'ERASED' then p.partner_uuid end as partner_uuid,
     case when p.state <> 'ERASED' then p.company_name end as company_name,
     r.outcome, r.resolution_note, r.reported_at, r.resolved_at",
    "board_report as r join partner as p on p.partner_uuid = r.partner_uuid
     left join feature_comment as c on c.comment_uuid = r.comment_uuid
     join feature_request as d on d.request_uuid = coalesce(r.request_uuid, c.request_uuid)",
);

/// Finds one report by id.
pub(super) static ONE: Lookup<BoardReport> = Lookup::new(&WHOLE, &["r.report_uuid = {}"]);

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct BoardReportFilter {
    outcome: Option<Vec<BoardReportOutcome>>,
    reason: Option<Vec<BoardReportReason>>,
    target_kind: Option<BoardReportTargetKind>,
    feature_request_uuid: Option<Uuid>,
    comment_uuid: Option<Uuid>,
    partner_uuid: Option<Uuid>,
    reported_at_from: Option<Time>,
    reported_at_until: Option<Time>,
}

words! {
    /// Sort orders of reports.
    pub(crate) enum BoardReportSort {
        /// Oldest first.
        ReportedAt = "REPORTED_AT",
        /// Newest first.
        ReportedAtDesc = "REPORTED_AT_DESC",
    }
}

/// List of all reports.
pub(super) static REPORTS: ListQuery<BoardReportFilter, BoardReport, BoardReportSort> = ListQuery {
    operation: "engagement_reports_list",
    select: &WHOLE,
    within: &[],
    conditions: &[
        Condition { sql: "r.outcome = any({})", value: |of| SqlValue::words(of.outcome.as_ref()) },
        Condition { sql: "r.reason = any({})", value: |of| SqlValue::words(of.reason.as_ref()) },
        Condition {
            sql: "r.request_uuid is not null",
            value: |of| SqlValue::nothing_if(of.target_kind == Some(BoardReportTargetKind::FeatureRequest)),
        },
        Condition {
            sql: "r.comment_uuid is not null",
            value: |of| SqlValue::nothing_if(of.target_kind == Some(BoardReportTargetKind::Comment)),
        },
        Condition {
            sql:
                "r.request_uuid = {} or r.comment_uuid = any(array(select said.comment_uuid from feature_comment as said
                      where said.request_uuid = {}))",
            value: |of| of.feature_request_uuid.map(SqlValue::from),
        },
        Condition { sql: "r.comment_uuid = {}", value: |of| of.comment_uuid.map(SqlValue::from) },
        Condition { sql: "r.partner_uuid = {}", value: |of| of.partner_uuid.map(SqlValue::from) },
        Condition { sql: "r.reported_at >= {}", value: |of| of.reported_at_from.map(SqlValue::from) },
        Condition { sql: "r.reported_at < {}", value: |of| of.reported_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        BoardReportSort::ReportedAt => const { &[REPORTED, ID] },
        BoardReportSort::ReportedAtDesc => const { &[REPORTED.descending(), ID.descending()] },
    },
};

const REPORTED: Key<BoardReport> = Key::moment("r.reported_at", |one| json!(one.reported_at));
const ID: Key<BoardReport> = Key::id("r.report_uuid", |one| json!(one.uuid));
