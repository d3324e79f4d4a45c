//! Proposals as staff see them: one, and the list with what narrows it and its orders.

use async_graphql::{InputObject, SimpleObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::core::context::RequestContext;
use crate::core::list::{Bound, Condition, EdgeQuery, Key, ListQuery, Lookup, Select};
use crate::core::texts::first_words;
use crate::core::time::Time;
use crate::core::words::words;
use crate::engagement::author::BoardAuthor;
use crate::engagement::feature_requests::rules::{FeatureRequestStatus, Marks, staff_actions};
use crate::engagement::feature_requests::{ChangelogMention, FeatureRequestTopic, topic_and_entry};
use crate::engagement::reports::rules::{BoardReportOutcome, BoardReportReason};

/// A proposal as staff see it. Who voted for it stands nowhere.
#[derive(Clone, Debug, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct ModeratedFeatureRequest {
    /// UUID of the object.
    pub(crate) uuid: Uuid,
    /// Its title.
    pub(super) title: String,
    /// Text of the feature request, in Markdown.
    pub(super) body: String,
    /// What it is about.
    #[sqlx(json(nullable))]
    topic: Option<FeatureRequestTopic>,
    /// How far it has come.
    status: FeatureRequestStatus,
    /// Time when the new address became effective.
    status_at: Time,
    /// How many people want it.
    votes: i32,
    /// Number of visible comments and answers on the feature request.
    comments_count: i32,
    /// Who proposed it.
    #[sqlx(json)]
    pub(crate) proposed_by: BoardAuthor,
    /// Of a shipped one: the changelog entry that tells of it.
    #[sqlx(json(nullable))]
    changelog_entry: Option<ChangelogMention>,
    /// Whether the feature request stays at the top of the board.
    pinned: bool,
    /// Whether the feature request accepts no more comments.
    locked: bool,
    /// Since when it is off the board.
    suspended_at: Option<Time>,
    /// Why.
    suspension_reason: Option<String>,
    /// The one that it was merged into; that one may be merged itself.
    merged_into_uuid: Option<Uuid>,
    /// Number of open reports on the feature request.
    open_reports: i32,
    /// Time of the first of these reports.
    reported_at: Option<Time>,
    /// When staff first answered it or moved it on.
    answered_at: Option<Time>,
    /// Time when the author last changed the text.
    edited_at: Option<Time>,
    /// Time of the last activity. Votes do not count.
    active_at: Time,
    /// Time when the feature request was proposed.
    created_at: Time,
    /// What the caller can do to it now.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
    /// Whose company proposed it, for the audit record.
    #[graphql(skip)]
    #[serde(skip)]
    pub(super) partner_uuid: Uuid,
}

impl ModeratedFeatureRequest {
    /// The same with what the caller can do to it.
    pub(crate) fn for_caller(self, cx: &RequestContext) -> Self {
        let marks = Marks {
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

/// A proposal with all that staff may want to know of it.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ModeratedFeatureRequestDetails {
    /// What the list tells of it too.
    #[graphql(flatten)]
    #[serde(flatten)]
    pub(super) request: ModeratedFeatureRequest,
    /// Text of the feature request, as HTML that is safe to display.
    body_html: String,
    /// What it said before, the latest first; a hundred at most.
    earlier_texts: Vec<EarlierFeatureRequestText>,
    /// The hundred latest reports on it.
    reports: Vec<FeatureRequestReport>,
}

impl ModeratedFeatureRequestDetails {
    /// A proposal with its HTML and its past.
    pub(super) fn new(
        request: ModeratedFeatureRequest,
        body_html: String,
        earlier_texts: Vec<EarlierFeatureRequestText>,
        reports: Vec<FeatureRequestReport>,
    ) -> Self {
        Self { request, body_html, earlier_texts, reports }
    }
}

/// What a proposal said before it was edited.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct EarlierFeatureRequestText {
    /// Title at that time.
    pub(super) title: String,
    /// Text of the feature request at that time, in Markdown.
    pub(super) body: String,
    /// Until when.
    pub(super) replaced_at: Time,
}

/// A report on a proposal.
#[derive(Clone, Debug, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct FeatureRequestReport {
    /// UUID of the object.
    pub(super) uuid: Uuid,
    /// Id of the reporter's partner. Null for a former partner.
    pub(super) partner_uuid: Option<Uuid>,
    /// What is wrong.
    pub(super) reason: BoardReportReason,
    /// Note of the reporter.
    pub(super) note: Option<String>,
    /// Result of the reauthentication.
    pub(super) outcome: BoardReportOutcome,
    /// What staff noted.
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

/// One proposal.
pub(super) static ONE: Lookup<ModeratedFeatureRequest> = Lookup::new(&WHOLE, &["r.request_uuid = {}"]);

/// A proposal that something was done to.
pub(crate) static PROPOSAL: EdgeQuery<ModeratedFeatureRequest> = EdgeQuery {
    operation: "engagement_moderation_get_feature_request",
    argument: "request_uuid",
    select: &WHOLE,
    condition: "r.request_uuid = above.uuid",
    order: &[],
};

/// What the list is narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ModeratedFeatureRequestFilter {
    status: Option<Vec<FeatureRequestStatus>>,
    suspended: Option<bool>,
    merged: Option<bool>,
    reported: Option<bool>,
    answered: Option<bool>,
    topic_uuid: Option<Vec<Uuid>>,
    partner_uuid: Option<Uuid>,
    q: Option<String>,
    created_at_from: Option<Time>,
    created_at_until: Option<Time>,
}

words! {
    /// The orders of proposals for staff.
    pub(crate) enum ModeratedFeatureRequestSort {
        /// Most open reports first; among as many, the one that was reported first.
        Reports = "REPORTS_DESC",
        /// The newest first.
        CreatedAt = "CREATED_AT_DESC",
        /// Most votes first.
        Votes = "VOTES_DESC",
        /// The one to which something happened last first.
        ActiveAt = "ACTIVE_AT_DESC",
    }
}

/// The list of all proposals.
pub(super) static MODERATED: ListQuery<
    ModeratedFeatureRequestFilter,
    ModeratedFeatureRequest,
    ModeratedFeatureRequestSort,
> = ListQuery {
    operation: "engagement_moderation_list_feature_requests",
    select: &WHOLE,
    within: &[],
    conditions: &[
        Condition { sql: "r.status = any({})", value: |of| Bound::words(of.status.as_ref()) },
        Condition { sql: "(r.suspended_at is not null) = {}", value: |of| of.suspended.map(Bound::from) },
        Condition { sql: "(r.merged_into_uuid is not null) = {}", value: |of| of.merged.map(Bound::from) },
        Condition { sql: "(r.open_reports > 0) = {}", value: |of| of.reported.map(Bound::from) },
        Condition { sql: "(r.answered_at is not null) = {}", value: |of| of.answered.map(Bound::from) },
        Condition { sql: "r.topic_uuid = any({})", value: |of| Bound::ids(of.topic_uuid.as_ref()) },
        Condition { sql: "r.partner_uuid = {}", value: |of| of.partner_uuid.map(Bound::from) },
        Condition {
            sql: "r.request_uuid = any(array(select w.request_uuid from feature_request_words as w
                      where w.search @@ (select every from board_terms({}))))",
            value: |of| of.q.as_deref().map(|q| Bound::from(first_words(q))),
        },
        Condition { sql: "r.created_at >= {}", value: |of| of.created_at_from.map(Bound::from) },
        Condition { sql: "r.created_at < {}", value: |of| of.created_at_until.map(Bound::from) },
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
