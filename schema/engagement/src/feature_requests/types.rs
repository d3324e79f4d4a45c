//! A feature request as partners see it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use labs_core::context::RequestContext;
use labs_core::describe::{Json, OutputType};
use labs_core::fault::Fault;
use labs_core::list::{Lookup, Select};
use labs_core::markdown::{FEATURE_REQUEST, extract_excerpt};
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::rules::{self, FeatureRequestStatus, RequestMarks};
use crate::author::BoardAuthor;
use crate::board_texts::StoredHtml;
use crate::people::Person;
use crate::vote_status::{self, VoteStatus};

/// A feature request on the board, as shown in lists.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(crate) struct FeatureRequestSummary {
    /// UUID of the feature request.
    pub(crate) uuid: Uuid,
    /// Title of the feature request, in one line.
    title: String,
    /// Beginning of the text, as plain text.
    excerpt: String,
    /// Topic of the feature request. Null if not set.
    topic: Option<FeatureRequestTopic>,
    /// Status of the feature request.
    pub(crate) status: FeatureRequestStatus,
    /// Time since which the feature request has this status.
    pub(crate) status_at: Time,
    /// Number of users who voted for the feature request or for a request that was merged into it. Each user counts
    /// once, including the author. The service never reveals who voted.
    votes: i32,
    /// Whether the caller voted for the feature request. False for a machine client.
    voted: bool,
    /// Whether the caller follows the feature request. False for a machine client.
    followed: bool,
    /// Whether the caller proposed the feature request.
    mine: bool,
    /// Number of visible comments and answers, including comments and answers on requests that were merged into this
    /// one.
    comments_count: i32,
    /// Author of the feature request.
    proposed_by: BoardAuthor,
    /// Whether staff keep the feature request at the top of the board.
    pinned: bool,
    /// Whether the feature request accepts no more comments.
    locked: bool,
    /// UUID of the feature request that this one was merged into as a duplicate. Null if not merged. Vote for, follow
    /// and comment on that request instead.
    merged_into_uuid: Option<Uuid>,
    /// For a shipped feature request: the changelog entry that describes it, while that entry is released.
    changelog_entry: Option<ChangelogMention>,
    /// Time when the author last changed the text. Null if never.
    edited_at: Option<Time>,
    /// Time of the last activity: the proposal, an edit, a comment, an answer or a change of status. Votes do not count
    /// as activity.
    active_at: Time,
    /// Time when the feature request was proposed.
    created_at: Time,
    /// Actions that the caller can currently perform. Empty for a machine client, or without the write scope.
    allowed_actions: Vec<String>,
}

/// A feature request with its full text.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(crate) struct FeatureRequest {
    /// Fields that are also in lists.
    #[serde(flatten)]
    summary: FeatureRequestSummary,
    /// Text of the feature request, in Markdown.
    body: String,
    /// The same text as HTML that is safe to display. Links have `rel="nofollow ugc noopener"`.
    body_html: String,
}

/// Subject of a feature request.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(crate) struct FeatureRequestTopic {
    /// UUID of the topic.
    uuid: Uuid,
    /// Names by locale; always includes English.
    names: Json<BTreeMap<String, String>>,
}

/// Reference to a feature request.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(crate) struct FeatureRequestMention {
    /// UUID of the feature request.
    uuid: Uuid,
    /// Title of the feature request.
    pub(crate) title: String,
}

/// Changelog entry that describes the shipped feature. Present while the entry is visible to readers.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(crate) struct ChangelogMention {
    /// UUID of the changelog entry.
    uuid: Uuid,
    /// Slug of the changelog entry.
    slug: String,
    /// Title of the changelog entry.
    title: String,
}

/// Columns for the topic and the changelog entry of a feature request `r`.
macro_rules! topic_and_entry {
    () => {
        "(select jsonb_build_object('uuid', t.topic_uuid, 'names', t.names)
            from board_topic as t where t.topic_uuid = r.topic_uuid) as topic,
         (select jsonb_build_object('uuid', i.item_uuid, 'slug', i.slug, 'title', i.title)
            from publication_item as i
           where i.item_uuid = r.entry_uuid and i.state = 'RELEASED') as changelog_entry"
    };
}
pub(crate) use topic_and_entry;

/// A row of the board.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct BoardRow {
    pub(super) uuid: Uuid,
    title: String,
    excerpt: String,
    body: Option<String>,
    #[sqlx(flatten)]
    html: StoredHtml,
    #[sqlx(json(nullable))]
    topic: Option<FeatureRequestTopic>,
    status: FeatureRequestStatus,
    status_at: Time,
    pub(super) votes: i32,
    comments_count: i32,
    #[sqlx(json)]
    proposed_by: BoardAuthor,
    author_uuid: Uuid,
    pub(super) pin: i16,
    pub(super) heat: i32,
    locked: bool,
    root_uuid: Uuid,
    #[sqlx(json(nullable))]
    changelog_entry: Option<ChangelogMention>,
    edited_at: Option<Time>,
    pub(super) active_at: Time,
    pub(super) created_at: Time,
}

/// The columns of a [`BoardRow`] without the body and its HTML.
macro_rules! board_row {
    ($votes:literal) => {
        concat!(
            "r.request_uuid as uuid, r.title, left(r.body, 1000) as excerpt, r.status, r.status_at, ",
            $votes,
            ",
             (select coalesce(sum(d.comments), 0)::integer from feature_request as d
               where d.root_uuid = r.root_uuid and d.suspended_at is null) as comments_count,
             board_author(r.partner_uuid, r.author_uuid) as proposed_by, r.author_uuid,
             r.pin, r.heat, r.locked_at is not null as locked, r.root_uuid, r.edited_at, r.active_at, r.created_at, ",
            topic_and_entry!()
        )
    };
}

/// Feature requests as shown in lists.
pub(crate) static SHORT: Select<BoardRow> = Select::new(
    concat!(board_row!("r.votes"), ", null::text as body, null::text as body_html, 0::smallint as body_renderer"),
    "feature_request as r",
);

static WHOLE: Select<BoardRow> = Select::new(
    concat!(board_row!("root.votes"), ", r.body, r.body_html, r.body_renderer"),
    "feature_request as r join feature_request as root on root.request_uuid = r.root_uuid",
);

/// Finds several feature requests on the board by id.
pub(super) static NEAR: Lookup<BoardRow> = Lookup::new(&SHORT, &["r.request_uuid = any({}) and r.shown"]);

/// Finds a feature request that partners can see: neither it nor its merge target is suspended.
pub(super) static ON_BOARD: Lookup<BoardRow> =
    Lookup::new(&WHOLE, &["r.request_uuid = {} and r.suspended_at is null and root.suspended_at is null"]);

impl BoardRow {
    /// Compares by votes, most votes first.
    pub(crate) fn by_votes(&self, other: &Self) -> Ordering {
        (other.votes, other.uuid).cmp(&(self.votes, self.uuid))
    }

    fn into_view(self, cx: &RequestContext, person: Option<&Person>, vote_status: VoteStatus) -> FeatureRequestSummary {
        let mine = person.is_some_and(|person| person.uuid == self.author_uuid);
        let merged_into_uuid = (self.root_uuid != self.uuid).then_some(self.root_uuid);
        let marks = RequestMarks {
            status: self.status,
            is_merged: merged_into_uuid.is_some(),
            is_locked: self.locked,
            is_pinned: self.pin > 0,
            is_suspended: false,
        };
        let acts = person.is_some() && cx.may("engagement.feature-requests:write");
        let allowed_actions = if acts { rules::partner_actions(marks, mine, vote_status) } else { Vec::new() };
        FeatureRequestSummary {
            uuid: self.uuid,
            title: self.title,
            excerpt: extract_excerpt(&self.excerpt),
            topic: self.topic,
            status: self.status,
            status_at: self.status_at,
            votes: self.votes,
            voted: vote_status.voted,
            followed: vote_status.followed,
            mine,
            comments_count: self.comments_count,
            proposed_by: self.proposed_by,
            pinned: self.pin > 0,
            locked: self.locked,
            merged_into_uuid,
            changelog_entry: self.changelog_entry,
            edited_at: self.edited_at,
            active_at: self.active_at,
            created_at: self.created_at,
            allowed_actions,
        }
    }
}

/// Converts rows to the feature requests that the caller sees.
///
/// # Errors
/// If the database does not answer.
pub(crate) async fn into_view(cx: &RequestContext, rows: Vec<BoardRow>) -> Result<Vec<FeatureRequestSummary>, Fault> {
    let person = Person::of_caller(cx);
    let standings = vote_status::load(cx, person.as_ref(), rows.iter().map(|row| row.root_uuid)).await?;
    Ok(rows
        .into_iter()
        .zip(standings)
        .map(|(row, vote_status)| row.into_view(cx, person.as_ref(), vote_status))
        .collect())
}

/// Loads one feature request as the caller sees it. `person` is the caller if it is a partner's user.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if it is not on the board.
pub(crate) async fn load_shown(
    cx: &RequestContext,
    person: Option<&Person>,
    request_uuid: Uuid,
) -> Result<FeatureRequest, Fault> {
    let row = load_row(cx, request_uuid).await?;
    let vote_status = vote_status::load(cx, person, std::iter::once(row.root_uuid)).await?;
    let vote_status = vote_status.first().copied().unwrap_or_default();
    let body = row.body.clone().unwrap_or_default();
    let body_html = row.html.clone().or_render(cx, &body, FEATURE_REQUEST).await?;
    Ok(FeatureRequest { summary: row.into_view(cx, person, vote_status), body_html, body })
}

/// Ensures that a feature request is on the board.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if it is not.
pub(super) async fn ensure_on_board(cx: &RequestContext, request_uuid: Uuid) -> Result<(), Fault> {
    load_row(cx, request_uuid).await.map(|_| ())
}

async fn load_row(cx: &RequestContext, request_uuid: Uuid) -> Result<BoardRow, Fault> {
    let found = ON_BOARD.fetch_one(&cx.db, [request_uuid.into()]).await?;
    found.ok_or_else(|| Fault::not_found("feature request"))
}
