//! Representation and list of notifications.

use labs_core::describe::{InputType, OutputType};
use labs_core::list::{Condition, FixedOrder, Key, PlacedValue, SqlValue, WrittenQuery};
use labs_core::markdown::extract_excerpt;
use labs_core::time::Time;
use labs_core::words::words;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::read_state::ReadState;
use crate::feature_requests::FeatureRequestMention;
use crate::feature_requests::rules::FeatureRequestStatus;
use crate::people::Person;

words! {
    /// Kind of a notification.
    pub enum BoardNotificationKind {
        /// A status changed.
        Status = "STATUS",
        /// A request was merged into another.
        Merge = "MERGE",
        /// A merge was undone.
        Unmerge = "UNMERGE",
        /// Staff answered.
        Answer = "ANSWER",
    }
}

words! {
    /// Reason why the user gets a notification.
    pub enum BoardNotificationReason {
        /// The caller proposed one of the feature requests.
        Proposed = "PROPOSED",
        /// The caller voted for one of them.
        Voted = "VOTED",
        /// The caller follows one of them.
        Followed = "FOLLOWED",
    }
}

/// Event that concerns a feature request that the caller proposed, voted for or follows.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct BoardNotification {
    /// UUID of the notification. It is specific to the caller and always the same.
    uuid: Uuid,
    /// Kind of event.
    kind: BoardNotificationKind,
    /// Feature request that the event concerns. For a merge or unmerge: the merged request.
    #[sqlx(json)]
    feature_request: FeatureRequestMention,
    /// For a merge or unmerge: the target request.
    #[sqlx(json(nullable))]
    other_feature_request: Option<FeatureRequestMention>,
    /// Reasons for the notification. They also apply to requests that were merged into one of these. Only the caller
    /// sees them.
    because: Vec<BoardNotificationReason>,
    /// For a status change: the previous status.
    from_status: Option<FeatureRequestStatus>,
    /// For a status change: the new status.
    to_status: Option<FeatureRequestStatus>,
    /// Public note of staff on the event.
    note: Option<String>,
    /// For an answer: id of the comment.
    comment_uuid: Option<Uuid>,
    /// For an answer: its beginning, as plain text.
    excerpt: Option<String>,
    /// Whether the caller has read the notification.
    read: bool,
    /// Time of the event.
    occurred_at: Time,
}

impl BoardNotification {
    /// Returns the notification with an excerpt of plain text instead of Markdown.
    pub(super) fn with_plain_excerpt(self) -> Self {
        Self { excerpt: self.excerpt.as_deref().map(extract_excerpt), ..self }
    }
}

/// Filter of notifications. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct BoardNotificationFilter {
    unread: Option<bool>,
}

/// Notifications of a user. Cursors are bound to the user.
#[derive(Debug, Serialize)]
pub(super) struct PersonNotifications {
    person_uuid: Uuid,
    filter: BoardNotificationFilter,
    #[serde(skip)]
    person: Person,
    #[serde(skip)]
    naming: [u8; 32],
    #[serde(skip)]
    reading: ReadState,
}

impl PersonNotifications {
    /// Creates the list scope of a user with this read state; `naming` is the key for the ids.
    pub(super) fn of(person: Person, filter: BoardNotificationFilter, naming: [u8; 32], reading: ReadState) -> Self {
        Self { person_uuid: person.uuid, filter, person, naming, reading }
    }
}

/// Notifications of a user, newest first.
pub(super) static NEWS: WrittenQuery<PersonNotifications, BoardNotification, FixedOrder> = WrittenQuery {
    operation: "engagement_notifications_list",
    rows: "select n.* from (
               select board_news_uuid({naming}, e.event_uuid) as uuid, e.kind, own.because, e.from_status, e.to_status,
                      e.note, e.occurred_at, e.comment_uuid,
                      (select left(c.body, 1000) from feature_comment as c where c.comment_uuid = e.comment_uuid) as excerpt,
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
        PlacedValue { name: "person", value: |of| Some(of.person_uuid.into()) },
        PlacedValue { name: "voter", value: |of| Some(SqlValue::Bytes(of.person.voter.to_vec())) },
        PlacedValue { name: "follower", value: |of| Some(SqlValue::Bytes(of.person.follower.to_vec())) },
        PlacedValue { name: "naming", value: |of| Some(SqlValue::Bytes(of.naming.to_vec())) },
        PlacedValue { name: "until", value: |of| of.reading.until.map(SqlValue::from) },
        PlacedValue { name: "read", value: |of| Some(SqlValue::Ids(of.reading.read.clone())) },
    ],
    conditions: &[Condition { sql: "n.read <> {}", value: |of| of.filter.unread.map(SqlValue::from) }],
    order: |FixedOrder| const { &[OCCURRED.descending(), ID.descending()] },
};

const OCCURRED: Key<BoardNotification> = Key::moment("n.occurred_at", |one| json!(one.occurred_at));
const ID: Key<BoardNotification> = Key::id("n.uuid", |one| json!(one.uuid));
