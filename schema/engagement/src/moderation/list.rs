//! Feature requests as staff see them: one, and the list with its filter and orders.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, EdgeQuery, Key, ListQuery, Lookup, Select, SqlValue};
use labs_core::texts::first_words;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::author::BoardAuthor;
use crate::feature_requests::rules::{FeatureRequestStatus, RequestMarks, staff_actions};
use crate::feature_requests::{ChangelogMention, FeatureRequestTopic, topic_and_entry};
use crate::reports::rules::{BoardReportOutcome, BoardReportReason};

/// A feature request, as staff see it. The service never reveals who voted for it.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub struct ModeratedFeatureRequest {
    /// UUID of the feature request.
    pub(crate) uuid: Uuid,
    /// Title of the feature request, in one line.
    pub(super) title: String,
    /// Text of the feature request, in Markdown.
    pub(super) body: String,
    /// Topic of the feature request. Null if not set.
    #[sqlx(json(nullable))]
    topic: Option<FeatureRequestTopic>,
    /// Status of the feature request.
    status: FeatureRequestStatus,
    /// Time since which the feature request has this status.
    status_at: Time,
    /// Number of users who voted for the feature request or a request that was merged into it. Each user counts once.
    /// For a merged request: the number of the request at the end of the chain of merges.
    votes: i32,
    /// Number of visible comments and answers on the feature request.
    comments_count: i32,
    /// Author of the feature request.
    #[sqlx(json)]
    pub(crate) proposed_by: BoardAuthor,
    /// For a shipped feature request: the changelog entry, while it is released.
    #[sqlx(json(nullable))]
    changelog_entry: Option<ChangelogMention>,
    /// Whether the feature request stays at the top of the board.
    pinned: bool,
    /// Whether the feature request accepts no more comments.
    locked: bool,
    /// Time since which the feature request is suspended. Null while it is on the board.
    suspended_at: Option<Time>,
    /// Reason for the suspension.
    suspension_reason: Option<String>,
    /// UUID of the feature request that this one was merged into. That request may itself be merged. Null if this one
    /// is not merged.
    merged_into_uuid: Option<Uuid>,
    /// Number of open reports on the feature request.
    open_reports: i32,
    /// Time of the first open report.
    reported_at: Option<Time>,
    /// Time when staff first answered the feature request or moved it to another status. Null if neither has happened
    /// yet.
    answered_at: Option<Time>,
    /// Time when the author last changed the text.
    edited_at: Option<Time>,
    /// Time of the last activity. Votes do not count.
    active_at: Time,
    /// Time when the feature request was proposed.
    created_at: Time,
    /// Actions that the caller can currently perform. Empty without the write scope.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
    /// Partner of the author, for the audit record.
    #[serde(skip)]
    pub(super) partner_uuid: Uuid,
}

impl ModeratedFeatureRequest {
    /// Returns the feature request with the caller's allowed actions.
    pub fn for_caller(self, cx: &RequestContext) -> Self {
        let marks = RequestMarks {
            status: self.status,
            is_merged: self.merged_into_uuid.is_some(),
            is_locked: self.locked,
            is_pinned: self.pinned,
            is_suspended: self.suspended_at.is_some(),
        };
        let acts = cx.may("labs.admin.engagement:write");
        let allowed_actions = if acts { staff_actions(marks) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }
}

/// A feature request with its earlier texts and its reports.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct ModeratedFeatureRequestDetails {
    /// Fields that are also in the list.
    #[serde(flatten)]
    pub(super) request: ModeratedFeatureRequest,
    /// Text of the feature request, as HTML that is safe to display. Links have `rel="nofollow ugc noopener"`.
    body_html: String,
    /// Texts before each edit, newest first.
    earlier_texts: Vec<EarlierFeatureRequestText>,
    /// Reports on the feature request, newest first.
    reports: Vec<FeatureRequestReport>,
}

impl ModeratedFeatureRequestDetails {
    /// Creates the details from the feature request, its HTML and its history.
    pub(super) fn new(
        request: ModeratedFeatureRequest,
        body_html: String,
        earlier_texts: Vec<EarlierFeatureRequestText>,
        reports: Vec<FeatureRequestReport>,
    ) -> Self {
        Self { request, body_html, earlier_texts, reports }
    }
}

/// Text of a feature request before an edit.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct EarlierFeatureRequestText {
    /// Title at that time.
    pub(super) title: String,
    /// Text of the feature request at that time, in Markdown.
    pub(super) body: String,
    /// Time until which the feature request had this text.
    pub(super) replaced_at: Time,
}

/// A report on a feature request, as staff see it together with the feature request.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(super) struct FeatureRequestReport {
    /// UUID of the report.
    pub(super) uuid: Uuid,
    /// UUID of the reporter's partner. Null for a former partner.
    pub(super) partner_uuid: Option<Uuid>,
    /// Reason of the report.
    pub(super) reason: BoardReportReason,
    /// Note of the reporter.
    pub(super) note: Option<String>,
    /// Outcome of the report.
    pub(super) outcome: BoardReportOutcome,
    /// Internal note of staff.
    pub(super) resolution_note: Option<String>,
    /// Time when the report was made.
    pub(super) reported_at: Time,
    /// Time of the decision by staff.
    pub(super) resolved_at: Option<Time>,
}

static WHOLE: Select<ModeratedFeatureRequest> = Select::new(
    concat!(
        "r.request_uuid as uuid, r.title, r.body, r.status, r.status_at, root.votes,
         r.comments as comments_count, board_author(r.partner_uuid, r.author_uuid) as proposed_by,
         r.pinned_at is not null as pinned, r.locked_at is not null as locked, r.suspended_at, r.suspension_reason,
         r.merged_into_uuid, r.open_reports, r.reported_at, r.answered_at, r.edited_at, r.active_at, r.created_at,
         r.partner_uuid, ",
        topic_and_entry!()
    ),
    "feature_request as r join feature_request as root on root.request_uuid = r.root_uuid",
);

/// Finds one feature request by id.
pub(super) static ONE: Lookup<ModeratedFeatureRequest> = Lookup::new(&WHOLE, &["r.request_uuid = {}"]);

/// The feature request of an action, as an edge.
pub static PROPOSAL: EdgeQuery<ModeratedFeatureRequest> = EdgeQuery {
    operation: "engagement_moderation_get_feature_request",
    argument: "request_uuid",
    select: &WHOLE,
    condition: "r.request_uuid = above.uuid",
    order: &[],
};

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct ModeratedFeatureRequestFilter {
    status: Option<Vec<FeatureRequestStatus>>,
    suspended: Option<bool>,
    merged: Option<bool>,
    reported: Option<bool>,
    answered: Option<bool>,
    pub(super) topic_uuid: Option<Vec<Uuid>>,
    partner_uuid: Option<Uuid>,
    pub(super) q: Option<String>,
    created_at_from: Option<Time>,
    created_at_until: Option<Time>,
    /// Whether many entries match `q`; set by the resolver. The statement then tests each in the order of the list.
    #[serde(skip)]
    pub(super) has_common_words: bool,
    /// Whether many entries have one of the topics, with the same effect.
    #[serde(skip)]
    pub(super) has_common_topics: bool,
}

words! {
    /// Sort orders of feature requests for staff.
    pub(crate) enum ModeratedFeatureRequestSort {
        /// Most open reports first; then earliest report first.
        Reports = "REPORTS_DESC",
        /// Newest first.
        CreatedAt = "CREATED_AT_DESC",
        /// Most votes first.
        Votes = "VOTES_DESC",
        /// Most recently active first.
        ActiveAt = "ACTIVE_AT_DESC",
    }
}

/// List of all feature requests.
pub(super) static MODERATED: ListQuery<
    ModeratedFeatureRequestFilter,
    ModeratedFeatureRequest,
    ModeratedFeatureRequestSort,
> = ListQuery {
    operation: "engagement_moderation_list_feature_requests",
    select: &WHOLE,
    within: &[],
    conditions: &[
        Condition { sql: "r.status = any({})", value: |of| SqlValue::words(of.status.as_ref()) },
        Condition { sql: "(r.suspended_at is not null) = {}", value: |of| of.suspended.map(SqlValue::from) },
        Condition { sql: "(r.merged_into_uuid is not null) = {}", value: |of| of.merged.map(SqlValue::from) },
        Condition { sql: "(r.open_reports > 0) = {}", value: |of| of.reported.map(SqlValue::from) },
        Condition { sql: "(r.answered_at is not null) = {}", value: |of| of.answered.map(SqlValue::from) },
        Condition {
            sql: "r.topic_uuid = any({})",
            value: |of| SqlValue::ids(of.topic_uuid.as_ref().filter(|_| !of.has_common_topics)),
        },
        Condition {
            sql: "coalesce(r.topic_uuid = any({}), false)",
            value: |of| SqlValue::ids(of.topic_uuid.as_ref().filter(|_| of.has_common_topics)),
        },
        Condition { sql: "r.partner_uuid = {}", value: |of| of.partner_uuid.map(SqlValue::from) },
        Condition {
            sql: "r.request_uuid = any(array(
                      select w.request_uuid from feature_request_words as w
                       where w.search @@ (select every from board_terms({}))
                      union
                      select w.request_uuid from feature_request_words as w
                       where w.title ~ (select coalesce((sought_patterns({}))[1], ''))
                         and coalesce(w.title ~ all ((select sought_patterns({}))::text[]), false)))",
            value: |of| of.q.as_deref().filter(|_| !of.has_common_words).map(|q| SqlValue::from(first_words(q))),
        },
        Condition {
            sql: "(select w.search @@ (select every from board_terms({}))
                          or coalesce(w.title ~ all ((select sought_patterns({}))::text[]), false)
                     from feature_request_words as w where w.request_uuid = r.request_uuid)",
            value: |of| of.q.as_deref().filter(|_| of.has_common_words).map(|q| SqlValue::from(first_words(q))),
        },
        Condition { sql: "r.created_at >= {}", value: |of| of.created_at_from.map(SqlValue::from) },
        Condition { sql: "r.created_at < {}", value: |of| of.created_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        ModeratedFeatureRequestSort::Reports => const { &[REPORTS.descending(), REPORTED, ID] },
        ModeratedFeatureRequestSort::CreatedAt => const { &[CREATED.descending(), ID.descending()] },
        ModeratedFeatureRequestSort::Votes => const { &[VOTES.descending(), ID.descending()] },
        ModeratedFeatureRequestSort::ActiveAt => const { &[ACTIVE.descending(), ID.descending()] },
    },
};

const ID: Key<ModeratedFeatureRequest> = Key::id("r.request_uuid", |one| json!(one.uuid));
const REPORTS: Key<ModeratedFeatureRequest> = Key::whole("r.open_reports", |one| json!(one.open_reports));
const REPORTED: Key<ModeratedFeatureRequest> =
    Key::moment("coalesce(r.reported_at, 'infinity')", |one| json!(one.reported_at));
const CREATED: Key<ModeratedFeatureRequest> = Key::moment("r.created_at", |one| json!(one.created_at));
const VOTES: Key<ModeratedFeatureRequest> = Key::whole("root.votes", |one| json!(one.votes));
const ACTIVE: Key<ModeratedFeatureRequest> = Key::moment("r.active_at", |one| json!(one.active_at));
