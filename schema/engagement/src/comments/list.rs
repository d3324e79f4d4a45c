//! Comments as partners see them: one comment, and the list of a feature request.

use labs_core::context::RequestContext;
use labs_core::describe::OutputType;
use labs_core::fault::Fault;
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, PlacedValue, Select, WrittenQuery};
use labs_core::markdown::COMMENT as COMMENT_TEXT;
use labs_core::time::Time;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::rules::{CommentStatus, partner_actions};
use crate::author::BoardAuthor;
use crate::board_texts::StoredHtml;
use crate::people::Person;

/// A comment on a feature request, or an answer of staff to it.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct FeatureComment {
    /// UUID of the object.
    uuid: Uuid,
    /// UUID of the feature request on which the comment was written.
    feature_request_uuid: Uuid,
    /// Whether that feature request is now merged into another.
    from_merged: bool,
    /// Text of the comment, in Markdown. Null if moderation removed the comment.
    body: Option<String>,
    /// The same text as HTML that is safe to display. Links have `rel="nofollow ugc noopener"`.
    body_html: Option<String>,
    /// Whether the comment is an answer of staff. Staff act for the service and are not named.
    is_answer: bool,
    /// Author of the comment. Null for an answer of staff and for a removed comment.
    written_by: Option<BoardAuthor>,
    /// Whether the caller wrote the comment.
    mine: bool,
    /// Time when the author last changed the comment. Null if never, and for a removed comment.
    edited_at: Option<Time>,
    /// Whether moderation removed the comment. Only its place in the list remains.
    removed: bool,
    /// Time when the comment was written.
    created_at: Time,
    /// Actions that the caller can currently perform. Empty for a machine client, or without the write scope.
    allowed_actions: Vec<String>,
}

#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct CommentRow {
    uuid: Uuid,
    feature_request_uuid: Uuid,
    from_merged: bool,
    body: Option<String>,
    #[sqlx(flatten)]
    html: StoredHtml,
    is_answer: bool,
    #[sqlx(json(nullable))]
    written_by: Option<BoardAuthor>,
    author_uuid: Option<Uuid>,
    edited_at: Option<Time>,
    removed: bool,
    locked: bool,
    created_at: Time,
}

/// Columns of a comment. The text of a removed comment never leaves the database.
macro_rules! columns {
    () => {
        "c.comment_uuid as uuid, c.request_uuid as feature_request_uuid, d.merged_into_uuid is not null as from_merged,
         case when c.suspended_at is null then c.body end as body,
         case when c.suspended_at is null then c.body_html end as body_html, c.body_renderer, c.is_answer,
         case when c.suspended_at is null and not c.is_answer then board_author(c.partner_uuid, c.author_uuid) end
             as written_by,
         c.author_uuid, case when c.suspended_at is null then c.edited_at end as edited_at,
         c.suspended_at is not null as removed, d.locked_at is not null or root.locked_at is not null as locked,
         c.created_at"
    };
}

/// Relations of a comment.
macro_rules! relations {
    () => {
        "feature_comment as c join feature_request as d on d.request_uuid = c.request_uuid
         join feature_request as root on root.request_uuid = d.root_uuid"
    };
}

static COMMENT: Select<CommentRow> = Select::new(columns!(), relations!());

/// Finds a comment that partners can see: neither its feature request nor the merge target is suspended. A removed
/// comment keeps its position.
pub(super) static ON_BOARD: Lookup<CommentRow> =
    Lookup::new(&COMMENT, &["c.comment_uuid = {} and d.suspended_at is null and root.suspended_at is null"]);

/// Comments written on one feature request, oldest first.
pub(super) static OWN: ListQuery<Uuid, CommentRow, FixedOrder> = ListQuery {
    operation: "engagement_comments_list",
    select: &COMMENT,
    within: &[Condition { sql: "c.request_uuid = {}", value: |of| Some((*of).into()) }],
    conditions: &[],
    order: |FixedOrder| const { &[CREATED, ID] },
};

/// Comments of a feature request and of those merged into it, except suspended ones. Each of these feature requests
/// contributes at most a page, so that the cost does not grow with the number of their comments.
pub(super) static TOGETHER: WrittenQuery<Uuid, CommentRow, FixedOrder> = WrittenQuery {
    operation: "engagement_comments_list",
    rows: concat!(
        "select ",
        columns!(),
        " from (select c.comment_uuid
                  from feature_request as part
                 cross join lateral (
                      select c.created_at, c.comment_uuid from feature_comment as c
                       where c.request_uuid = part.request_uuid and {behind}
                       order by c.created_at, c.comment_uuid limit 101) as c
                 where part.root_uuid = {root} and part.suspended_at is null
                 order by c.created_at, c.comment_uuid limit 101) as earliest
          join ",
        relations!(),
        " on c.comment_uuid = earliest.comment_uuid"
    ),
    count: "select count(*) from feature_request as part join feature_comment as c using (request_uuid)
             where part.root_uuid = {root} and part.suspended_at is null",
    values: &[PlacedValue { name: "root", value: |of| Some((*of).into()) }],
    conditions: &[],
    order: |FixedOrder| const { &[CREATED, ID] },
};

const CREATED: Key<CommentRow> = Key::moment("c.created_at", |row| json!(row.created_at));
const ID: Key<CommentRow> = Key::id("c.comment_uuid", |row| json!(row.uuid));

impl CommentRow {
    /// Returns the comment as the caller sees it.
    ///
    /// # Errors
    /// [`labs_core::Code::Unavailable`] if its HTML is not stored and too many texts wait to be rendered.
    pub(super) async fn into_view(self, cx: &RequestContext, person: Option<&Person>) -> Result<FeatureComment, Fault> {
        let is_own = person.is_some_and(|person| self.author_uuid == Some(person.uuid));
        let status = CommentStatus { is_own, is_removed: self.removed, is_locked: self.locked };
        let acts = person.is_some() && cx.may("engagement.feature-requests:write");
        let body_html = match &self.body {
            Some(body) => Some(self.html.or_render(cx, body, COMMENT_TEXT).await?),
            None => None,
        };
        Ok(FeatureComment {
            uuid: self.uuid,
            feature_request_uuid: self.feature_request_uuid,
            from_merged: self.from_merged,
            body_html,
            body: self.body,
            is_answer: self.is_answer,
            written_by: self.written_by,
            mine: is_own,
            edited_at: self.edited_at,
            removed: self.removed,
            created_at: self.created_at,
            allowed_actions: if acts { partner_actions(status) } else { Vec::new() },
        })
    }
}
