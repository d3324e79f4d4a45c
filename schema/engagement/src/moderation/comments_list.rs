//! Comments as staff see them: one comment, and the list with its filter and orders.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, EdgeQuery, Key, ListQuery, Lookup, Select, SqlValue};
use labs_core::time::Time;
use labs_core::words::words;
use labs_core::{matches_longest_word, matches_words};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::author::BoardAuthor;
use crate::feature_requests::FeatureRequestMention;

/// A comment, as staff see it.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub struct ModeratedFeatureComment {
    /// UUID of the comment.
    uuid: Uuid,
    /// Feature request on which it was written.
    #[sqlx(json)]
    pub(super) feature_request: FeatureRequestMention,
    /// Text of the comment, in Markdown, even if the comment is removed.
    body: String,
    /// Whether the comment is an answer of staff.
    is_answer: bool,
    /// Author of the comment. Null for an answer of staff.
    #[sqlx(json(nullable))]
    written_by: Option<BoardAuthor>,
    /// Time when the author last changed the comment.
    edited_at: Option<Time>,
    /// Texts before each edit, newest first.
    #[sqlx(json)]
    earlier_texts: Vec<EarlierFeatureCommentText>,
    /// Time since which the comment is removed. Null while it is shown.
    suspended_at: Option<Time>,
    /// Reason for the removal.
    suspension_reason: Option<String>,
    /// Number of open reports on the reported feature request or comment.
    open_reports: i32,
    /// Time of the first open report.
    reported_at: Option<Time>,
    /// Time when the comment was written.
    created_at: Time,
    /// Actions that the caller can currently perform. Empty without the write scope.
    #[sqlx(skip)]
    allowed_actions: Vec<String>,
}

/// Text of a comment before an edit.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(crate) struct EarlierFeatureCommentText {
    /// Text of the comment at that time, in Markdown.
    body: String,
    /// Time until which the comment had this text.
    replaced_at: Time,
}

/// Returns the actions of staff on a comment.
pub(super) fn comment_actions(is_suspended: bool) -> Vec<String> {
    vec![if is_suspended { "reinstate" } else { "suspend" }.to_owned()]
}

impl ModeratedFeatureComment {
    /// Returns the comment with the caller's allowed actions.
    pub fn for_caller(self, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.engagement:write");
        let allowed_actions = if acts { comment_actions(self.suspended_at.is_some()) } else { Vec::new() };
        Self { allowed_actions, ..self }
    }
}

static WHOLE: Select<ModeratedFeatureComment> = Select::new(
    "c.comment_uuid as uuid, jsonb_build_object('uuid', d.request_uuid, 'title', d.title) as feature_request, c.body,
     c.is_answer, case when not c.is_answer then board_author(c.partner_uuid, c.author_uuid) end as written_by, c.edited_at,
     (select coalesce(jsonb_agg(jsonb_build_object('body', t.body, 'replaced_at', t.replaced_at)
                                order by t.replaced_at desc), '[]')
        from (select e.body, e.replaced_at from board_earlier_text as e where e.comment_uuid = c.comment_uuid
               order by e.replaced_at desc limit 20) as t) as earlier_texts,
     c.suspended_at, c.suspension_reason, c.open_reports, c.reported_at, c.created_at",
    "feature_comment as c join feature_request as d on d.request_uuid = c.request_uuid",
);

/// Finds one comment by id.
pub(super) static ONE: Lookup<ModeratedFeatureComment> = Lookup::new(&WHOLE, &["c.comment_uuid = {}"]);

/// Comments of each feature request, newest first.
pub static COMMENTS_OF_EACH: EdgeQuery<ModeratedFeatureComment> = EdgeQuery {
    operation: "engagement_moderation_list_comments",
    argument: "feature_request_uuid",
    select: &WHOLE,
    condition: "c.request_uuid = above.uuid",
    order: &[CREATED.descending(), ID.descending()],
};

/// Filter of the list. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct ModeratedFeatureCommentFilter {
    suspended: Option<bool>,
    reported: Option<bool>,
    is_answer: Option<bool>,
    feature_request_uuid: Option<Uuid>,
    partner_uuid: Option<Uuid>,
    pub(super) q: Option<String>,
    created_at_from: Option<Time>,
    created_at_until: Option<Time>,
    /// Whether many entries match `q`; set by the resolver. The statement then tests each in the order of the list.
    #[serde(skip)]
    pub(super) is_common_text: bool,
}

words! {
    /// Sort orders of comments for staff.
    pub(crate) enum ModeratedFeatureCommentSort {
        /// Most open reports first; then earliest report first.
        ReportsDesc = "REPORTS_DESC",
        /// Newest first.
        CreatedAtDesc = "CREATED_AT_DESC",
    }
}

/// The list of all comments.
pub(super) static MODERATED: ListQuery<
    ModeratedFeatureCommentFilter,
    ModeratedFeatureComment,
    ModeratedFeatureCommentSort,
> = ListQuery {
    operation: "engagement_moderation_list_comments",
    select: &WHOLE,
    within: &[],
    conditions: &[
        Condition { sql: "c.suspended_at is not null", value: |of| SqlValue::nothing_if(of.suspended == Some(true)) },
        Condition { sql: "c.suspended_at is null", value: |of| SqlValue::nothing_if(of.suspended == Some(false)) },
        Condition { sql: "c.open_reports > 0", value: |of| SqlValue::nothing_if(of.reported == Some(true)) },
        Condition { sql: "c.open_reports = 0", value: |of| SqlValue::nothing_if(of.reported == Some(false)) },
        Condition { sql: "c.is_answer", value: |of| SqlValue::nothing_if(of.is_answer == Some(true)) },
        Condition { sql: "not c.is_answer", value: |of| SqlValue::nothing_if(of.is_answer == Some(false)) },
        Condition { sql: "c.request_uuid = {}", value: |of| of.feature_request_uuid.map(SqlValue::from) },
        Condition { sql: "c.partner_uuid = {}", value: |of| of.partner_uuid.map(SqlValue::from) },
        Condition {
            sql: concat!(
                "c.comment_uuid = any(array(select said.comment_uuid from feature_comment as said where ",
                matches_longest_word!("said.body"),
                " and ",
                matches_words!("said.body"),
                "))"
            ),
            value: |of| of.q.as_deref().filter(|_| !of.is_common_text).map(SqlValue::from),
        },
        Condition {
            sql: matches_words!("c.body"),
            value: |of| of.q.as_deref().filter(|_| of.is_common_text).map(SqlValue::from),
        },
        Condition { sql: "c.created_at >= {}", value: |of| of.created_at_from.map(SqlValue::from) },
        Condition { sql: "c.created_at < {}", value: |of| of.created_at_until.map(SqlValue::from) },
    ],
    order: |sort| match sort {
        ModeratedFeatureCommentSort::ReportsDesc => const { &[REPORTS.descending(), REPORTED, ID] },
        ModeratedFeatureCommentSort::CreatedAtDesc => const { &[CREATED.descending(), ID.descending()] },
    },
};

const ID: Key<ModeratedFeatureComment> = Key::id("c.comment_uuid", |one| json!(one.uuid));
const REPORTS: Key<ModeratedFeatureComment> = Key::whole("c.open_reports", |one| json!(one.open_reports));
const REPORTED: Key<ModeratedFeatureComment> =
    Key::moment("coalesce(c.reported_at, 'infinity')", |one| json!(one.reported_at));
const CREATED: Key<ModeratedFeatureComment> = Key::moment("c.created_at", |one| json!(one.created_at));
