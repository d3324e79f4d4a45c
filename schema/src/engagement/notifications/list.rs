//! News as they are told, and the list of them.

use async_graphql::{InputObject, SimpleObject};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::reading::Reading;
use crate::core::list::{Bound, Condition, FixedOrder, Key, Placed, WrittenQuery};
use crate::core::time::Time;
use crate::core::words::words;
use crate::engagement::feature_requests::FeatureRequestMention;
use crate::engagement::feature_requests::rules::FeatureRequestStatus;
use crate::engagement::people::Person;

words! {
    /// What news tell of.
    pub(crate) enum BoardNotificationKind {
        /// A status changed.
        Status = "STATUS",
        /// One was merged into another.
        Merge = "MERGE",
        /// They came apart again.
        Unmerge = "UNMERGE",
        /// Staff answered.
        Answer = "ANSWER",
    }
}

words! {
    /// Why somebody hears of it.
    pub(crate) enum BoardNotificationReason {
        /// They proposed it.
        Proposed = "PROPOSED",
        /// They voted for it.
        Voted = "VOTED",
        /// They follow it.
        Followed = "FOLLOWED",
    }
}

/// Something that happened to what a person proposed, voted for or follows.
#[derive(Clone, Debug, Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardNotification {
    /// Its id, which is made for the caller.
    uuid: Uuid,
    /// Events of this page.
    kind: BoardNotificationKind,
    /// To which proposal; of a merge or its end, the one that was merged.
    #[sqlx(json)]
    feature_request: FeatureRequestMention,
    /// For a merge or unmerge: the target request.
    #[sqlx(json(nullable))]
    other_feature_request: Option<FeatureRequestMention>,
    /// Why the caller hears of it.
    because: Vec<BoardNotificationReason>,
    /// For a status change: the previous status.
    from_status: Option<FeatureRequestStatus>,
    /// For a status change: the new status.
    to_status: Option<FeatureRequestStatus>,
    /// What staff said to it.
    note: Option<String>,
    /// For an answer: id of the comment.
    comment_uuid: Option<Uuid>,
    /// Of an answer: its beginning.
    excerpt: Option<String>,
    /// Whether the caller has read it.
    read: bool,
    /// Time of the event.
    occurred_at: Time,
}

/// What news are narrowed to. The contract describes each field.
#[derive(Debug, Default, InputObject, Serialize)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardNotificationFilter {
    unread: Option<bool>,
}

/// The news of a person. Cursors are bound to them.
#[derive(Debug, Serialize)]
pub(super) struct News {
    person_uuid: Uuid,
    filter: BoardNotificationFilter,
    #[serde(skip)]
    person: Person,
    #[serde(skip)]
    naming: [u8; 32],
    #[serde(skip)]
    reading: Reading,
}

impl News {
    /// The news of a person who has read so much of them; `naming` makes their ids.
    pub(super) fn of(person: Person, filter: BoardNotificationFilter, naming: [u8; 32], reading: Reading) -> Self {
        Self { person_uuid: person.uuid, filter, person, naming, reading }
    }
}

/// The news of a person, the latest first.
pub(super) static NEWS: WrittenQuery<News, BoardNotification, FixedOrder> = WrittenQuery {
    operation: "engagement_notifications_list",
    rows: "select n.* from (
               select board_news_uuid({naming}, e.event_uuid) as uuid, e.kind, own.because, e.from_status, e.to_status,
                      e.note, e.occurred_at, e.comment_uuid,
                      (select left(c.body, 280) from feature_comment as c where c.comment_uuid = e.comment_uuid) as excerpt,
                      jsonb_build_object('uuid', r.request_uuid, 'title', r.title) as feature_request,
                      case when o.request_uuid is not null
                           then jsonb_build_object('uuid', o.request_uuid, 'title', o.title) end as other_feature_request,
                      e.occurred_at <= {until: '-infinity'}
                      or board_news_uuid({naming}, e.event_uuid) = any({read}) as read
                 from board_news({person}, {voter}, {follower}) as own join feature_event as e using (event_uuid)
                 join feature_request as r on r.request_uuid = e.request_uuid
                 left join feature_request as o on o.request_uuid = e.other_uuid) as n
            where {narrowed} and {behind}",
    count: "select count(*) from board_news({person}, {voter}, {follower})",
    values: &[
        Placed { name: "person", value: |of| Some(of.person_uuid.into()) },
        Placed { name: "voter", value: |of| Some(Bound::Bytes(of.person.voter.to_vec())) },
        Placed { name: "follower", value: |of| Some(Bound::Bytes(of.person.follower.to_vec())) },
        Placed { name: "naming", value: |of| Some(Bound::Bytes(of.naming.to_vec())) },
        Placed { name: "until", value: |of| of.reading.until.map(Bound::from) },
        Placed { name: "read", value: |of| Some(Bound::Ids(of.reading.read.clone())) },
    ],
    conditions: &[Condition { sql: "n.read <> {}", value: |of| of.filter.unread.map(Bound::from) }],
    order: |FixedOrder| const { &[OCCURRED.descending(), ID.descending()] },
};

const OCCURRED: Key<BoardNotification> = Key::moment("n.occurred_at", |one| json!(one.occurred_at));
const ID: Key<BoardNotification> = Key::id("n.uuid", |one| json!(one.uuid));
