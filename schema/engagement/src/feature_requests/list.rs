//! Lists of feature requests for partners: the board, the history of one, and those merged into it.

use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Select, SqlValue};
use labs_core::texts::first_words;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::rules::FeatureRequestStatus;
use super::types::{BoardRow, ChangelogMention, SHORT};
use crate::author::BoardAuthor;

/// Filter of the board. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct FeatureRequestFilter {
    status: Option<Vec<FeatureRequestStatus>>,
    pub(super) topic_uuid: Option<Vec<Uuid>>,
    partner_uuid: Option<Uuid>,
    pub(super) mine: Option<bool>,
    pub(super) voted: Option<bool>,
    pub(super) followed: Option<bool>,
    pub(super) q: Option<String>,
}

/// The board as the caller sees it. Cursors are bound to the user.
#[derive(Debug, Default, Serialize)]
pub(super) struct Board {
    /// UUID of the calling user; none for a machine client.
    pub(super) person_uuid: Option<Uuid>,
    /// Filter of the list.
    pub(super) filter: FeatureRequestFilter,
    /// Feature requests that the user voted for, if the filter needs them. They may change between two pages.
    #[serde(skip)]
    pub(super) voted: Vec<Uuid>,
    /// Feature requests that the user follows, if the filter needs them. They may change between two pages.
    #[serde(skip)]
    pub(super) followed: Vec<Uuid>,
    /// Whether many feature requests match the search. The statement then tests each in the order of the list.
    #[serde(skip)]
    pub(super) has_common_words: bool,
    /// Whether many feature requests have one of the topics, with the same effect.
    #[serde(skip)]
    pub(super) has_common_topics: bool,
}

words! {
    /// Sort orders of the board. Pinned feature requests come first in each.
    pub(crate) enum FeatureRequestSort {
        /// Most votes first.
        Votes = "VOTES_DESC",
        /// Most recent votes first. A vote counts half as much as a vote that is two weeks younger.
        Trend = "TREND_DESC",
        /// Newest first.
        CreatedAt = "CREATED_AT_DESC",
        /// Most recently active first.
        ActiveAt = "ACTIVE_AT_DESC",
    }
}

/// The board: feature requests that are neither suspended nor merged into another.
pub(super) static BOARD: ListQuery<Board, BoardRow, FeatureRequestSort> = ListQuery {
    operation: "engagement_feature_requests_list",
    select: &SHORT,
    within: &[Condition { sql: "r.shown", value: |_| Some(SqlValue::Nothing) }],
    conditions: &[
        Condition { sql: "r.status = any({})", value: |of| SqlValue::words(of.filter.status.as_ref()) },
        Condition {
            sql: "r.topic_uuid = any({})",
            value: |of| SqlValue::ids(of.filter.topic_uuid.as_ref().filter(|_| !of.has_common_topics)),
        },
        Condition {
            sql: "coalesce(r.topic_uuid = any({}), false)",
            value: |of| SqlValue::ids(of.filter.topic_uuid.as_ref().filter(|_| of.has_common_topics)),
        },
        Condition { sql: "r.partner_uuid = {}", value: |of| of.filter.partner_uuid.map(SqlValue::from) },
        Condition {
            sql: "r.author_uuid = {}",
            value: |of| (of.filter.mine == Some(true)).then(|| SqlValue::Id(of.person_uuid.unwrap_or_default())),
        },
        Condition {
            sql: "r.author_uuid <> {}",
            value: |of| (of.filter.mine == Some(false)).then(|| SqlValue::Id(of.person_uuid.unwrap_or_default())),
        },
        Condition {
            sql: "r.request_uuid = any({})",
            value: |of| (of.filter.voted == Some(true)).then(|| SqlValue::Ids(of.voted.clone())),
        },
        Condition {
            sql: "r.request_uuid <> all({})",
            value: |of| (of.filter.voted == Some(false)).then(|| SqlValue::Ids(of.voted.clone())),
        },
        Condition {
            sql: "r.request_uuid = any({})",
            value: |of| (of.filter.followed == Some(true)).then(|| SqlValue::Ids(of.followed.clone())),
        },
        Condition {
            sql: "r.request_uuid <> all({})",
            value: |of| (of.filter.followed == Some(false)).then(|| SqlValue::Ids(of.followed.clone())),
        },
        Condition {
            sql: "r.request_uuid = any(array(select w.request_uuid from feature_request_words as w
                      where w.search @@ (select every from board_terms({}))))",
            value: |of| of.filter.q.as_deref().filter(|_| !of.has_common_words).map(|q| SqlValue::from(first_words(q))),
        },
        Condition {
            sql: "(select w.search @@ (select every from board_terms({})) from feature_request_words as w
                    where w.request_uuid = r.request_uuid)",
            value: |of| of.filter.q.as_deref().filter(|_| of.has_common_words).map(|q| SqlValue::from(first_words(q))),
        },
    ],
    order: |sort| match sort {
        FeatureRequestSort::Votes => const { &[PIN.descending(), VOTES.descending(), ID.descending()] },
        FeatureRequestSort::Trend => const { &[PIN.descending(), HEAT.descending(), ID.descending()] },
        FeatureRequestSort::CreatedAt => const { &[PIN.descending(), CREATED.descending(), ID.descending()] },
        FeatureRequestSort::ActiveAt => const { &[PIN.descending(), ACTIVE.descending(), ID.descending()] },
    },
};

const ID: Key<BoardRow> = Key::id("r.request_uuid", |row| json!(row.uuid));
const PIN: Key<BoardRow> = Key::whole("r.pin", |row| json!(row.pin));
const VOTES: Key<BoardRow> = Key::whole("r.votes", |row| json!(row.votes));
const HEAT: Key<BoardRow> = Key::whole("r.heat", |row| json!(row.heat));
const CREATED: Key<BoardRow> = Key::moment("r.created_at", |row| json!(row.created_at));
const ACTIVE: Key<BoardRow> = Key::moment("r.active_at", |row| json!(row.active_at));

words! {
    /// Kind of a public event of a feature request.
    pub(crate) enum FeatureRequestChangeKind {
        /// The status changed.
        Status = "STATUS",
        /// A request was merged into another.
        Merge = "MERGE",
        /// A merge was undone.
        Unmerge = "UNMERGE",
    }
}

/// An event in the history of a feature request. Staff act for the service and are not named.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct FeatureRequestChange {
    /// UUID of the event.
    uuid: Uuid,
    /// Kind of event.
    kind: FeatureRequestChangeKind,
    /// For a status change: the previous status.
    from_status: Option<FeatureRequestStatus>,
    /// For a status change: the new status.
    to_status: Option<FeatureRequestStatus>,
    /// For a merge or unmerge: id of the merged request.
    merged_uuid: Option<Uuid>,
    /// For a merge or unmerge: id of the target request.
    into_uuid: Option<Uuid>,
    /// Public note of staff on the event.
    note: Option<String>,
    /// For a shipped feature request: the changelog entry, while it is released.
    #[sqlx(json(nullable))]
    changelog_entry: Option<ChangelogMention>,
    /// Time of the event.
    occurred_at: Time,
}

static CHANGE: Select<FeatureRequestChange> = Select::new(
    "e.event_uuid as uuid, e.kind, e.from_status, e.to_status, e.note, e.occurred_at,
     case when e.other_uuid is not null then e.request_uuid end as merged_uuid, e.other_uuid as into_uuid,
     (select jsonb_build_object('uuid', i.item_uuid, 'slug', i.slug, 'title', i.title)
        from publication_item as i where i.item_uuid = e.entry_uuid and i.state = 'RELEASED') as changelog_entry",
    "feature_event as e",
);

/// Events of a feature request, newest first.
pub(super) static STATUS_CHANGES: ListQuery<Uuid, FeatureRequestChange, FixedOrder> = ListQuery {
    operation: "engagement_feature_requests_list_status_changes",
    select: &CHANGE,
    within: &[
        Condition { sql: "e.request_uuid = {} or e.other_uuid = {}", value: |of| Some((*of).into()) },
        Condition { sql: "e.kind <> 'ANSWER'", value: |_| Some(SqlValue::Nothing) },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[CHANGE_AT.descending(), CHANGE_ID.descending()] },
};

const CHANGE_AT: Key<FeatureRequestChange> = Key::moment("e.occurred_at", |change| json!(change.occurred_at));
const CHANGE_ID: Key<FeatureRequestChange> = Key::id("e.event_uuid", |change| json!(change.uuid));

/// A feature request that was merged into another.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct FeatureRequestDuplicate {
    /// UUID of the feature request.
    uuid: Uuid,
    /// Title of the feature request.
    title: String,
    /// Author of the feature request.
    #[sqlx(json)]
    proposed_by: BoardAuthor,
    /// Note of staff on the merge.
    note: Option<String>,
    /// Time of the merge.
    merged_at: Time,
    /// Time when the feature request was proposed.
    created_at: Time,
}

static DUPLICATE: Select<FeatureRequestDuplicate> = Select::new(
    "d.request_uuid as uuid, d.title, board_author(d.partner_uuid, d.author_uuid) as proposed_by, d.created_at,
     merge.note, merge.occurred_at as merged_at",
    "feature_request as d join lateral (select e.note, e.occurred_at, e.event_uuid from feature_event as e
         where e.request_uuid = d.request_uuid and e.kind = 'MERGE'
         order by e.occurred_at desc, e.event_uuid desc limit 1) as merge on true",
);

/// Feature requests that were merged into one, directly or through another, newest first.
pub(super) static DUPLICATES: ListQuery<Uuid, FeatureRequestDuplicate, FixedOrder> = ListQuery {
    operation: "engagement_feature_requests_list_duplicates",
    select: &DUPLICATE,
    within: &[
        Condition {
            sql: "(d.root_uuid = {} or d.merged_into_uuid = {}) and d.request_uuid <> {}",
            value: |of| Some((*of).into()),
        },
        Condition { sql: "d.suspended_at is null", value: |_| Some(SqlValue::Nothing) },
    ],
    conditions: &[],
    order: |FixedOrder| const { &[MERGED_AT.descending(), MERGED_ID.descending()] },
};

const MERGED_AT: Key<FeatureRequestDuplicate> = Key::moment("merge.occurred_at", |one| json!(one.merged_at));
const MERGED_ID: Key<FeatureRequestDuplicate> = Key::id("d.request_uuid", |one| json!(one.uuid));
