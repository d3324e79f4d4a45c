//! Topics: one topic, and the list of active ones.

use labs_core::describe::{Json, OutputType};
use labs_core::list::{Condition, FixedOrder, Key, ListQuery, Lookup, Select, SqlValue};
use labs_core::texts::Texts;
use labs_core::time::Time;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

/// A topic of feature requests.
#[derive(Clone, Debug, Serialize, OutputType, sqlx::FromRow)]
pub(super) struct BoardTopic {
    /// UUID of the topic.
    pub(super) uuid: Uuid,
    /// Names by locale; always includes English.
    #[sqlx(json)]
    pub(super) names: Json<Texts>,
    /// Position among all topics, from 1.
    pub(super) position: i32,
    /// Whether the topic can still be assigned to feature requests. Requests that already have it keep it.
    pub(super) active: bool,
    /// Time of creation.
    created_at: Time,
    /// Time of the last change.
    updated_at: Time,
}

static WHOLE: Select<BoardTopic> =
    Select::new("t.topic_uuid as uuid, t.names, t.position, t.active, t.created_at, t.updated_at", "board_topic as t");

/// Finds one topic by id.
pub(super) static BY_ID: Lookup<BoardTopic> = Lookup::new(&WHOLE, &["t.topic_uuid = {}"]);

/// List of topics that can be assigned to feature requests.
pub(super) static OFFERED: ListQuery<(), BoardTopic, FixedOrder> = ListQuery {
    operation: "engagement_topics_list",
    select: &WHOLE,
    within: &[Condition { sql: "t.active", value: |()| Some(SqlValue::Nothing) }],
    conditions: &[],
    order: |FixedOrder| const { &[POSITION, ID] },
};

const POSITION: Key<BoardTopic> = Key::whole("t.position", |topic| json!(topic.position));
const ID: Key<BoardTopic> = Key::id("t.topic_uuid", |topic| json!(topic.uuid));
